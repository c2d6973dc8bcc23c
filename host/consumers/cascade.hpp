#pragma once

/// The cascades of a plugin, as a consumer that the kernel makes for it.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::consumers {

/// What swept for all plugins before each had a consumer of its own: its row is retired, and each
/// of them begins where it stopped.
inline constexpr std::string_view cascades_before = "events.cascade";

/// No plugin can declare this name: what follows `events.` would be one word.
[[nodiscard]] std::string cascade_consumer(std::string_view plugin);

/// Sweeps what hangs on deleted things, as CascadeSpec promises.
///
/// Not one of the plugins' shapes: it starts at the head and sees silent events, and a failing
/// sweep must be recorded without undoing its neighbours, so the record is written here, in the
/// transaction that moves the cursor. One for each plugin, so that a cursor waits for a plugin that
/// is off, or is not on this host, and no plugin for the sweeps of another.
class CascadeConsumer final : public Consumer {
public:
    /// `cascades` is lent, and outlives the consumer.
    CascadeConsumer(std::string plugin,
                    std::string plugin_version,
                    std::span<const CascadeSpec> cascades,
                    Log& log);

    /// What it sweeps after, each type once.
    [[nodiscard]] std::vector<EventType> listens_to() const;

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
        const CascadeSpec* cascade;
        std::string error;
    };
    /// What one event came to, to be told after the commit.
    struct Swept {
        std::int64_t event_id;
        std::string event_type;
        std::string parent_id;
        std::vector<const CascadeSpec*> done{};
        std::vector<Failed> failed{};
    };

    void log_failed(const Swept& swept);

    std::string name_;
    std::string plugin_;
    std::string plugin_version_;
    std::span<const CascadeSpec> cascades_;
    Log& log_;
    std::optional<Swept> staged_;
    std::deque<Swept> swept_;
};

}  // namespace radd::consumers
