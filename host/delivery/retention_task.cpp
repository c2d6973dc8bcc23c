#include <host/delivery/queue_sql.hpp>
#include <host/delivery/retention_task.hpp>

namespace radd::delivery {

bool RetentionTask::tick() {
    const Kept& kept = queues_[next_];
    const auto removed = database_.transact([&](Transaction& tx) {
        return tx.execute(
            sql::remove_finished, kept.queue, kept.keep_finished.count(), rows_per_tick_max);
    });
    if (removed == rows_per_tick_max) return true;
    next_ = (next_ + 1) % queues_.size();
    return next_ != 0;
}

}  // namespace radd::delivery
