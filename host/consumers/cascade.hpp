#pragma once

/// The cascades of all plugins, as one consumer of the kernel.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::consumers {

inline constexpr std::string_view cascade_consumer = "events.cascade";

/// One plugin's sweep, and whose it is.
struct Cascade {
    std::string plugin;
    std::string plugin_version;
    const CascadeSpec* spec;  ///< Lent; outlives the consumer.
};

/// Sweeps what hangs on deleted things, as CascadeSpec promises.
///
/// Not one of the plugins' shapes: it starts at the head and sees silent events, and a failing
/// sweep must be recorded without undoing its neighbours, so the record is written here, in the
/// transaction that moves the cursor.
class CascadeConsumer final : public Consumer {
public:
    CascadeConsumer(std::vector<Cascade> cascades, Log& log);

    [[nodiscard]] ConsumerTraits traits() const noexcept override {
        return {.first_start = FirstStart::head, .sees_silent = true};
    }
    void offer(Transaction& tx, const Event& event) override;
    void keep() noexcept override;
    void drop() noexcept override { staged_.reset(); }
    void forget() noexcept override;
    [[nodiscard]] std::optional<std::int64_t> next_delivery() const noexcept override;

    /// Logs what failed and calls every after_commit. @throws Error naming those that threw.
    void deliver_next() override;

private:
    struct Failed {
        const Cascade* cascade;
        std::string error;
    };
    /// What one event came to, to be told after the commit.
    struct Swept {
        std::int64_t event_id;
        std::string event_type;
        std::string parent_id;
        std::vector<const Cascade*> done{};
        std::vector<Failed> failed{};
    };

    void log_failed(const Swept& swept);

    std::vector<Cascade> cascades_;
    Log& log_;
    std::optional<Swept> staged_;
    std::deque<Swept> swept_;
};

}  // namespace radd::consumers
