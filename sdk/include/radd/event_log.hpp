#pragma once

/// The stream as it is stored, for who must look back: a client that comes again, say.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <radd/event.hpp>
#include <radd/export.hpp>
#include <radd/http.hpp>

namespace radd {

/// Reads the outbox without a cursor. [any-thread] Each call is one statement on a session of its
/// own. @throws Unavailable while the database is away or every session is busy.
class RADD_EXPORT EventLog {
public:
    /// Of one read: about so many payload bytes, and one event at least.
    static constexpr std::size_t read_bytes_max = std::size_t{512} * 1024;
    static constexpr std::int64_t read_rows_max = 1000;

    virtual ~EventLog();

    /// Events with after < id <= through, in order, silent ones too; at most `rows`. Complete only
    /// up to an id that this process has heard of (TailSubscriber): beyond, an event may still
    /// appear before one that is there. @throws InvalidInput if `rows` is not in 1 to
    /// read_rows_max.
    [[nodiscard]] virtual std::vector<Event> read(std::int64_t after,
                                                  std::int64_t through,
                                                  std::int64_t rows) = 0;

    /// Id of the oldest event that is kept; 0 if there is none.
    [[nodiscard]] virtual std::int64_t oldest() = 0;

    /// Whether a person of this role may read events of this type, by its present name or an old
    /// one: EventTypeSpec::readable_by. What no loaded plugin declares is for administrators. Does
    /// not query.
    [[nodiscard]] virtual bool may_read(Role reader, std::string_view event_type) const = 0;

    /// One line of JSON, as /api/v1/events shows `event`. Does not query.
    [[nodiscard]] virtual std::string json_line(const Event& event) const = 0;
};

}  // namespace radd
