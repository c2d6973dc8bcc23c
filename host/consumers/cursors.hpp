#pragma once

/// The rows of radd.consumers as their owner uses them: declare, acquire, renew, move, release.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <host/consumers/position.hpp>
#include <host/db/session.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/manifest.hpp>

namespace radd::consumers {

/// What is written down about a consumer or a task when a host that has it starts.
struct Declaration {
    std::string name;
    std::string plugin;
    std::string plugin_version;
    bool task = false;
    FirstStart first_start = FirstStart::head;
    bool bootstraps = false;  ///< What is there at the first start is no news to it.
    Resume resume = Resume::cursor;
    bool paused = false;  ///< By the manifest: until the manifest says otherwise.
    /// A retired consumer with whose work it goes on: its first start is where that one stopped.
    /// Empty, or one that never was: none.
    std::string succeeds{};
};

/// What declaring has found or done.
struct Declared {
    bool first_start = false;  ///< The row is new, its cursor is `cursor`.
    bool retired = false;      ///< Known, and held until an operator resumes it.
    bool beyond_head = false;  ///< Known, and held until an operator seeks.
    std::int64_t cursor = 0;
    /// It came back after it was disabled: how many events are no news to it (Resume::head).
    std::optional<std::int64_t> passed{};
};

/// A cursor found beyond the end of the stream, and held until an operator seeks.
struct BeyondHead {
    std::string name;
    std::int64_t cursor;
};

/// A phase in which an event was passed without its effect, or, after a sweep, without all of it.
enum class SkipPhase : std::uint8_t { plan, deliver, quarantine, sweep };
[[nodiscard]] std::string_view to_text(SkipPhase phase) noexcept;

struct Skip {
    std::int64_t event_id;
    std::string event_type;
    SkipPhase phase;
    std::string error;  ///< One line, see failure.hpp.
};

/// Every call is one statement or one transaction of its own on the session it was made with.
/// @throws Unavailable, SqlError as Session::query(). One thread at a time, as its session.
class ConsumerStore {
public:
    static constexpr std::int64_t count_max = 10'000;  ///< Up to here events are counted.

    /// `installation` names the host and its plugins over restarts; for declare(), acquire() and
    /// mark_disabled().
    explicit ConsumerStore(db::Session& session, std::string installation = {})
        : session_{&session}, installation_{std::move(installation)} {}

    /// Makes the row at the first start, with the cursor at `head` or 0, or as the one it succeeds
    /// left it, whose open records it takes over; else brings it up to date, and moves it to `head`
    /// if it was disabled and its policy says so. `head` must be the position of a tail. Two hosts
    /// may do this at once.
    /// @throws Contention if somebody holds the row for longer than a commit takes.
    Declared declare(const Declaration& wanted, std::int64_t head);

    /// Marks what this installation ran last, nobody runs now and is not among `declared`, unless
    /// its plugin is one of `unloaded`. Returns how many.
    std::int64_t mark_disabled(std::span<const std::string> declared,
                               std::span<const std::string> unloaded = {});

    [[nodiscard]] std::vector<BeyondHead> hold_beyond_head(std::span<const std::string> names);

    /// Takes every lease among `names` that is free: released or expired, active, not paused.
    /// Waits for nobody.
    [[nodiscard]] std::vector<Acquired> acquire(std::span<const std::string> names,
                                                const std::string& owner,
                                                std::chrono::milliseconds lease);

    struct Held {
        std::string name;
        std::int64_t epoch;
        bool abandoned = false;  ///< For release(): an attempt was started and not finished.
    };
    /// Renews all in one statement. Returns the retry round of those that are still owned; one
    /// that is missing was taken over, paused, retired or sought.
    [[nodiscard]] std::map<std::string, std::int64_t> renew(std::span<const Held> held,
                                                            std::chrono::milliseconds lease);
    void release(std::span<const Held> held);

    /// Writes many moves in one statement. Returns the names that were written.
    [[nodiscard]] std::vector<std::string> advance_many(std::span<const Move> moves);

    /// The row as it is once no commit is under way on it. Empty if there is none.
    struct Row {
        std::int64_t epoch;
        std::int64_t cursor;
    };
    [[nodiscard]] std::optional<Row> settled_row(const std::string& name);

    /// The rows as they are now, whoever is at them.
    [[nodiscard]] std::map<std::string, Row> rows(std::span<const std::string> names);

    /// Counts one more start of planning `event_id`, committed before it begins. Returns how many
    /// there were, this one included; empty if `epoch` is over.
    [[nodiscard]] std::optional<std::int64_t> start_attempt(const std::string& name,
                                                            std::int64_t epoch,
                                                            std::int64_t event_id);

    /// Shows to everybody that a handler has outlived its deadline, or, without an event, no more.
    void set_overdue(const std::string& name,
                     std::int64_t epoch,
                     std::optional<std::int64_t> event_id);

    void record(const Declaration& consumer, const Skip& skip);

private:
    db::Session* session_;
    std::string installation_;
};

/// Moves the cursor in the transaction of the effects it settles. False: fenced; roll back.
[[nodiscard]] bool advance(outbox::OutboxTransaction& tx,
                           const Move& move,
                           std::chrono::milliseconds lease);

/// Records a skipped event in the transaction whose cursor passes it.
void record_in(outbox::OutboxTransaction& tx, const Declaration& consumer, const Skip& skip);

/// Values of one column as PostgreSQL reads an array.
[[nodiscard]] std::string integer_array(std::span<const std::int64_t> values);

}  // namespace radd::consumers
