// What the keeper does first: writing down what this host declares.

#include <host/consumers/keeper.hpp>
#include <radd/error.hpp>

namespace radd::consumers {

void Keeper::declare_all() {
    // Seeding at the head needs a head.
    if (const auto outage = parts_.tail.outage())
        throw Unavailable{"the stream cannot be read: " + outage->reason};
    ConsumerStore store{*session_, parts_.installation};
    const auto head = parts_.tail.position();
    std::vector<std::string> names;
    for (const Kept& one : kept_) {
        names.push_back(one.declaration.name);
        if (!undeclared_.contains(one.declaration.name)) continue;
        try {
            log_declared(one.declaration, store.declare(one.declaration, head));
            undeclared_.erase(one.declaration.name);
        } catch (const Contention&) {
            // In use by a host that has stopped in the middle of a commit; its transaction ends by
            // idle_in_transaction_session_timeout. The others need not wait for that.
            parts_.log.debug("keeper: " + one.declaration.name +
                             " is declared later: another host holds its row");
        }
    }
    if (looked_for_disabled_) return;
    const auto disabled = store.mark_disabled(names, parts_.unloaded_plugins);
    if (disabled > 0)
        parts_.log.warn("keeper: " + std::to_string(disabled) +
                        " known consumers are not declared by any plugin here and are not run; "
                        "`radd consumers list` shows them");
    looked_for_disabled_ = true;
}

void Keeper::log_declared(const Declaration& declaration, const Declared& found) {
    if (declaration.task) return;
    const std::string subject = "consumer " + declaration.name + ": ";
    if (found.first_start) {
        parts_.log.info(subject + "first start, cursor seeded at " + std::to_string(found.cursor));
        if (declaration.first_start == FirstStart::beginning && found.cursor > 0)
            parts_.log.warn(subject + "events up to " + std::to_string(found.cursor) +
                            " are gone with their partitions: what it builds begins after them");
    } else if (found.passed) {
        const bool many = *found.passed > ConsumerStore::count_max;
        const std::string count = many ? "more than 10000" : std::to_string(*found.passed);
        if (declaration.bootstraps)
            parts_.log.info(subject + "was disabled and resumes at " +
                            std::to_string(found.cursor) + "; " + count +
                            " events up to the head are backlog to it and no news");
        else
            parts_.log.warn(subject + "was disabled and resumes at the head " +
                            std::to_string(found.cursor) + ", passing " + count + " events");
    } else if (found.retired) {
        parts_.log.warn(subject + "is retired and not run; `radd consumers resume " +
                        declaration.name + "` brings it back");
    } else if (found.beyond_head) {
        parts_.log.error(subject + "held at " + std::to_string(found.cursor) +
                         ", which was found beyond the end of the stream; `radd consumers seek " +
                         declaration.name + " head` or an id lets it go on");
    }
}

}  // namespace radd::consumers
