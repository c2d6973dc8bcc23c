#pragma once

/// Keeping partitions ahead of the stream while the host runs.

#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::outbox {

/// Calls radd.ensure_partitions(): nothing to do but every ten million events. Partitions reach so
/// far ahead that a host which is down for long stops nobody from emitting.
class PartitionsTask final : public PeriodicTask {
public:
    static constexpr std::chrono::minutes every{5};

    PartitionsTask(Database& database, Log& log) : database_{database}, log_{log} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    bool tick() override;

private:
    Database& database_;
    Log& log_;
};

}  // namespace radd::outbox
