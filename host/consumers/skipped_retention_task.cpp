#include <host/consumers/skipped_retention_task.hpp>
#include <host/consumers/sql.hpp>

namespace radd::consumers {

bool SkippedRetentionTask::tick() {
    return database_.transact([&](Transaction& tx) {
        return tx.execute(sql::remove_resolved, keep_days_, rows_per_tick_max);
    }) == rows_per_tick_max;
}

}  // namespace radd::consumers
