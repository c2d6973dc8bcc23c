#include <string>

#include <host/outbox/partitions_task.hpp>

namespace radd::outbox {
namespace {

// Takes SHARE UPDATE EXCLUSIVE on radd.events for a moment: emitters and readers go on.
constexpr Sql ensure_partitions = "SELECT radd.ensure_partitions() AS made";

}  // namespace

bool PartitionsTask::tick() {
    const auto made = database_.transact(
        [](Transaction& tx) { return tx.query_one(ensure_partitions)->integer("made"); });
    if (made > 0) log_.info("partitions: " + std::to_string(made) + " made ahead of the stream");
    return false;
}

}  // namespace radd::outbox
