#include <utility>

#include <host/consumers/retention.hpp>
#include <host/consumers/retention_task.hpp>
#include <radd/error.hpp>

namespace radd::consumers {

bool RetentionTask::tick() {
    auto lease = pool_.lease("retention");
    if (lease->server_version() < Retention::server_version_min) {
        say_once(
            "retention: detaching a partition beside its writers needs PostgreSQL 14, and this is "
            "an older one; nothing is dropped: leave retention.events.keep_days out, or upgrade");
        return false;
    }
    Retention retention{*lease};
    const RetentionStatus status = retention.status(keep_days_);
    if (!status.may_drop) {
        say_once(
            "retention: only the owner of radd.events drops partitions, and this role is not; "
            "nothing is dropped: give the host the owner's role, or leave "
            "retention.events.keep_days out");
        return false;
    }
    std::string holders;
    for (const auto& holder : status.held_by)
        holders += (holders.empty() ? "" : ", ") + holder.name + " (" + holder.state + ", at " +
                   std::to_string(holder.cursor) + ")";
    if (holders.empty()) {
        said_.clear();
    } else {
        say_once("retention: events below " + std::to_string(status.old_below) +
                 " are old enough to go and are held by " + holders +
                 "; let them catch up, or `radd consumers retire` who is not coming back");
    }
    try {
        static_cast<void>(retention.give_up(keep_days_));
        // Each may wait for as long as a statement may.
        if (retention.drop(1) > 0) {
            log_.info("retention: a partition is dropped; the stream begins at event " +
                      std::to_string(retention.status(keep_days_).first_kept));
            return true;
        }
    } catch (const Contention& busy) {
        log_.info(std::string{"retention: a partition is in use and is dropped later: "} +
                  busy.what());
    }
    return false;
}

void RetentionTask::say_once(std::string message) {
    if (std::exchange(said_, std::move(message)) != said_) log_.warn(said_);
}

}  // namespace radd::consumers
