#include "hub.hpp"

#include <algorithm>

#include "session.hpp"

namespace realtime {

void Hub::began(std::int64_t head) {
    const std::scoped_lock lock{mutex_};
    forget(head);
    // The stream went back: what clients have seen past its head is not there any more.
    for (Session* session : live_) {
        session->is_ahead_ = false;
        session->client_->request_refill();
    }
    live_.clear();
}

void Hub::heard(const radd::Event& event) {
    Kept kept{.event = {}, .message = message_of(log_, event)};
    kept.event.id = event.id;
    kept.event.type = event.type;
    kept.event.entity_type = event.entity_type;
    kept.event.entity_id = event.entity_id;
    kept.event.project_id = event.project_id;

    const std::scoped_lock lock{mutex_};
    position_ = event.id;
    std::erase_if(live_, [&](Session* session) {
        return !session->offer(kept.event, kept.message);  // It will be refilled.
    });
    kept_bytes_ += kept.message.bytes();
    kept_.push_back(std::move(kept));
    while (kept_.size() > kept_events_max || (kept_.size() > 1 && kept_bytes_ > kept_bytes_max)) {
        kept_bytes_ -= kept_.front().message.bytes();
        kept_after_ = kept_.front().event.id;
        kept_.pop_front();
    }
}

void Hub::missed(std::int64_t through) {
    const std::scoped_lock lock{mutex_};
    forget(through);
    // They are in the database, from where each session fetches them.
    for (Session* session : live_) session->client_->request_refill();
    live_.clear();
}

void Hub::forget(std::int64_t position) {
    kept_.clear();
    kept_bytes_ = 0;
    kept_after_ = position;
    position_ = position;
}

std::optional<std::int64_t> Hub::position() const {
    const std::scoped_lock lock{mutex_};
    return position_;
}

Hub::Joined Hub::join(Session& session) {
    const std::scoped_lock lock{mutex_};
    if (*session.after_ < kept_after_) return Joined::behind;
    const auto next = std::ranges::upper_bound(
        kept_, *session.after_, {}, [](const Kept& kept) { return kept.event.id; });
    for (auto kept = next; kept != kept_.end(); ++kept) {
        if (!session.offer(kept->event, kept->message)) return Joined::full;
    }
    live_.insert(&session);
    return Joined::live;
}

void Hub::leave(Session& session) {
    const std::scoped_lock lock{mutex_};
    live_.erase(&session);
}

}  // namespace realtime
