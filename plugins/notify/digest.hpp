#pragma once

/// Once a day and person, what they have not seen and no mail has told.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <radd/consumer.hpp>
#include <radd/delivery.hpp>
#include <radd/services.hpp>

namespace notify {

/// Which time it is, for whoever decides when something is due.
using NowOf = std::function<radd::Timestamp(radd::Transaction&)>;

/// By the database's clock, as everything that is due: hosts whose clocks differ agree.
[[nodiscard]] radd::Timestamp database_now(radd::Transaction& tx);

/// At the person's hour in their zone, or as soon after it as a host runs. A digest, the notices in
/// it and its mail are one commit; a person has at most one on a day of theirs, whatever clocks,
/// zones and hosts do. A day with nothing to tell has none.
class Digest final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t people_per_tick_max = 50;
    static constexpr std::int64_t notices_max = 1000;  ///< In one digest; the next has the others.

    explicit Digest(radd::Services& host, NowOf now_of = database_now);

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::seconds{30};
    }
    bool tick() override;

private:
    void send(radd::Transaction& tx, const std::string& person, const std::string& day);

    radd::Database& database_;
    radd::DeliveryQueue& queue_;
    const NowOf now_of_;
    radd::Log& log_;
};

}  // namespace notify
