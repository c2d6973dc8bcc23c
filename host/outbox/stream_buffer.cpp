#include <algorithm>

#include <host/outbox/stream_buffer.hpp>

namespace radd::outbox {

void StreamBuffer::restart(std::int64_t position) {
    events_.clear();
    bytes_ = 0;
    from_ = position;
}

void StreamBuffer::append(const std::vector<SharedEvent>& events) {
    for (const SharedEvent& event : events) {
        bytes_ += bytes_of(*event);
        events_.push_back(event);
    }
    while (bytes_ > bytes_max_ && events_.size() > 1) {
        bytes_ -= bytes_of(*events_.front());
        from_ = events_.front()->id;
        events_.pop_front();
    }
}

std::optional<std::vector<SharedEvent>> StreamBuffer::read(std::int64_t after,
                                                           std::size_t rows,
                                                           std::size_t bytes) const {
    if (after < from_) return std::nullopt;
    std::vector<SharedEvent> found;
    std::size_t taken = 0;
    for (auto next = std::ranges::upper_bound(events_, after, {}, &Event::id);
         next != events_.end() && found.size() < rows;
         ++next) {
        taken += bytes_of(**next);
        if (!found.empty() && taken > bytes) break;
        found.push_back(*next);
    }
    return found;
}

}  // namespace radd::outbox
