#pragma once

/// What an operator does to consumers, from any process: pause, resume, seek, retry, retire.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <host/db/session.hpp>
#include <radd/error.hpp>

namespace radd::consumers {

/// Where a seek goes.
enum class SeekTo : std::uint8_t { beginning, head };
using SeekTarget = std::variant<SeekTo, std::int64_t>;

/// What moving a cursor by hand has meant.
struct Seek {
    std::int64_t from;
    std::int64_t to;
    std::int64_t events;       ///< Between both: to be replayed if `to` < `from`, else passed.
    bool approximate = false;  ///< More than 10 000: `events` is the distance of the ids.
};

/// An event that a consumer has passed without its effect, and that is still open.
struct SkippedEvent {
    std::int64_t id;  ///< Of the record; a later one has a higher id.
    std::string consumer;
    std::int64_t event_id;
    std::string event_type;
    std::string phase;
    std::string error;
    std::string plugin;
    std::string plugin_version;
    std::int64_t attempts;
    std::string skipped_at;
    bool retry_requested;
    std::string event_text;  ///< JSON: the row of radd.events as it was.
};

/// Nobody is called that: the field is "consumer", and the message names the nearest known name.
class UnknownConsumer : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// Works on the rows alone, so it needs no running host. An owner is fenced by the raised epoch at
/// its next write, and learns it with its next renewal.
///
/// Every call is a transaction of its own. @throws UnknownConsumer if there is no such consumer;
/// Unavailable, SqlError as Session::query().
class ConsumerOperations {
public:
    explicit ConsumerOperations(db::Session& session) : session_{&session} {}

    /// Does nothing, but for throwing what the others throw of an unknown name.
    void require_known(const std::string& name);

    /// Without `how_long`: until resumed.
    void pause(const std::string& name,
               std::optional<std::chrono::milliseconds> how_long,
               const std::string& reason);

    /// Ends a pause, and brings back what was retired: at `head` if its policy says so, which is
    /// then returned, else at its cursor, or, if what it had not passed is gone with its partition,
    /// where the stream begins now, which is returned as well. One that bootstraps stays at its
    /// cursor whatever its policy: by Resume::head what came meanwhile is backlog to it and no
    /// news.
    std::optional<Seek> resume(const std::string& name, std::int64_t head);

    /// Moves the cursor and begins a new receipt there. Open records of skipped events that will be
    /// replayed are settled. `head`: position of a tail, or radd.head() after radd.settle().
    /// The beginning is where the stream begins since partitions of it were dropped.
    /// @throws InvalidInput with field "target" if it lies beyond the head or before the beginning.
    Seek seek(const std::string& name, SeekTarget target, std::int64_t head);

    /// What seek() would do, without doing it. Throws what it throws.
    [[nodiscard]] Seek preview_seek(const std::string& name, SeekTarget target, std::int64_t head);

    /// Asks the owner to plan skipped events again, outside the cursor. Returns how many were
    /// found; without `event_id`: all of them.
    std::int64_t retry(const std::string& name, std::optional<std::int64_t> event_id);

    /// It is run no more and stays in the list.
    void retire(const std::string& name);

    /// Open records, newest first; those below `before_id`, if given. Without `name`: of all.
    [[nodiscard]] std::vector<SkippedEvent> skipped(
        const std::optional<std::string>& name,
        std::int64_t rows_max,
        const std::optional<std::int64_t>& before_id = std::nullopt);

private:
    struct Locked;
    [[nodiscard]] Locked lock(const std::string& name);
    [[noreturn]] void refuse_unknown(const std::string& name);
    Seek seek_in_scope(const std::string& name, SeekTarget target, std::int64_t head);
    Seek move(const std::string& name, std::int64_t from, std::int64_t to);
    /// Nothing more of the stream is given up until the transaction ends. The last position before
    /// what is kept.
    [[nodiscard]] std::int64_t keep_floor();

    db::Session* session_;
};

}  // namespace radd::consumers
