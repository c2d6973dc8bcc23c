#include "transactor.hpp"

#include <radd/error.hpp>
#include <radd/rehearsal.hpp>

namespace importer {
namespace {

constexpr int attempts_max = 3;

/// Ends a dry run: thrown to have everything rolled back, caught where it was thrown for.
struct DryRunDone {};

void transact_with_retries(radd::Database& database,
                           const std::function<void(radd::Transaction&)>& work) {
    for (int attempt = 1;; ++attempt) {
        try {
            return database.transact(work);
        } catch (const radd::Contention&) {
            if (attempt == attempts_max) throw;
        }
    }
}

}  // namespace

void run_transactions(radd::Database& database,
                      bool dry_run,
                      const std::function<void(const Transactor&)>& work) {
    if (!dry_run) {
        work([&database](const auto& part) { transact_with_retries(database, part); });
        return;
    }
    try {
        database.transact([&work](radd::Transaction& tx) {
            const radd::Rehearsal rehearsal;
            work([&tx](const auto& part) { part(tx); });
            throw DryRunDone{};
        });
    } catch (const DryRunDone&) {}
}

}  // namespace importer
