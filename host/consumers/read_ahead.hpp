#pragma once

/// What a consumer far behind has read beyond its batch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <host/outbox/event_reader.hpp>

namespace radd::consumers {

/// One statement of a thousand rows costs the database less than ten of a hundred, and a batch is
/// small for other reasons. Holds what one statement brought. One thread at a time.
class ReadAhead {
public:
    /// `events` are everything that follows `after`, as far as they go.
    void keep(std::int64_t after, std::vector<outbox::SharedEvent> events) {
        from_ = after;
        events_ = std::move(events);
    }
    void clear() noexcept { events_.clear(); }

    /// At most `rows` that follow `after`; none if it holds nothing that does.
    [[nodiscard]] std::vector<outbox::SharedEvent> take(std::int64_t after, std::size_t rows) {
        if (after < from_) clear();
        const auto next = std::ranges::upper_bound(
            events_, after, {}, [](const outbox::SharedEvent& event) { return event->id; });
        const auto left = static_cast<std::size_t>(events_.end() - next);
        if (left == 0) clear();
        const auto count = static_cast<std::ptrdiff_t>(std::min(left, rows));
        return left == 0 ? std::vector<outbox::SharedEvent>{}
                         : std::vector<outbox::SharedEvent>{next, next + count};
    }

private:
    std::vector<outbox::SharedEvent> events_;
    std::int64_t from_ = 0;
};

}  // namespace radd::consumers
