#pragma once

/// The newest part of the stream, kept for consumers that are near the head.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <host/outbox/event_reader.hpp>

namespace radd::outbox {

/// A run of final events without a gap that a reader could miss. Not synchronised.
class StreamBuffer {
public:
    explicit StreamBuffer(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Forgets everything: from here on it holds what comes after `position`.
    void restart(std::int64_t position);

    /// Appends events in order; the oldest make room. The newest one always stays.
    void append(const std::vector<SharedEvent>& events);

    /// At most `rows` events after `after` and about `bytes` of them, at least one if there is
    /// any; empty optional if it does not reach back that far.
    [[nodiscard]] std::optional<std::vector<SharedEvent>> read(std::int64_t after,
                                                               std::size_t rows,
                                                               std::size_t bytes) const;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::int64_t from_ = 0;  ///< Every final event above it is here.
    std::deque<SharedEvent> events_{};
};

}  // namespace radd::outbox
