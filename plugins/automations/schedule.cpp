#include <exception>
#include <optional>

#include "runner.hpp"

namespace automations {

bool Schedule::tick() {
    std::optional<Rule> rule;
    try {
        return database_.transact([&](radd::Transaction& tx) {
            rule = rules_.due(tx);
            if (!rule) return false;
            engine_.run(tx, *rule, nullptr);
            Rules::schedule(tx, rule->id, rule->draft.trigger);
            return true;
        });
    } catch (const radd::Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        if (!rule) throw;
        pass_over(*rule, error.what());
        return true;
    }
}

/// A rule whose next time cannot be told, as its zone is gone, has none: it is disabled.
void Schedule::pass_over(const Rule& rule, const std::string& error) {
    database_.transact([&](radd::Transaction& tx) {
        engine_.fail(tx, rule, nullptr, error, std::chrono::milliseconds{0});
        try {
            tx.in_savepoint([&] { Rules::schedule(tx, rule.id, rule.draft.trigger); });
        } catch (const radd::Unavailable&) {
            throw;
        } catch (const std::exception& unknown_time) {
            Rules::disable(tx,
                           rule.id,
                           std::string{"when it runs next cannot be told: "} + unknown_time.what());
        }
    });
}

}  // namespace automations
