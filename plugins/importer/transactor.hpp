#pragma once

/// Long work in many transactions, or in one that is rolled back.

#include <functional>

#include <radd/transaction.hpp>

namespace importer {

/// Runs some work in a transaction of its own, or in that of a dry run.
using Transactor = std::function<void(const std::function<void(radd::Transaction&)>&)>;

/// Runs `work` with a transactor. A dry run does everything in one transaction and rolls that back:
/// what it reports is what it would have done. Its events are checked and go nowhere, so that no
/// reader of the stream waits for them.
///
/// A transaction that lost a race is tried 3 times, as a consumer would: somebody may be editing
/// the same items. @throws whatever `work` does.
void run_transactions(radd::Database& database,
                      bool dry_run,
                      const std::function<void(const Transactor&)>& work);

}  // namespace importer
