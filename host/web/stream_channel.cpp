#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

#include <host/web/server_state.hpp>

namespace radd::web {

StreamChannel::StreamChannel(std::shared_ptr<ServerState> state,
                             StreamOrigin origin,
                             std::shared_ptr<StreamSession> session)
    : state_{std::move(state)},
      origin_{std::move(origin)},
      timer_{state_->io},
      session_{std::move(session)} {}

bool StreamChannel::send(const StreamMessage& message) {
    const auto& frame = message.frame(origin_.kind);
    const std::scoped_lock lock{mutex_};
    if (has_ended_ || is_closing_) return false;
    if (bytes_waiting_ > 0 && bytes_waiting_ + frame->size() > stream_bytes_max) {
        wants_refill_ = true;
        return false;
    }
    waiting_.push_back(frame);
    bytes_waiting_ += frame->size();
    notify();
    return true;
}

void StreamChannel::request_refill() {
    const std::scoped_lock lock{mutex_};
    wants_refill_ = true;
    notify();
}

void StreamChannel::close() {
    const std::scoped_lock lock{mutex_};
    is_closing_ = true;
    notify();
}

void StreamChannel::refill(Log& log) {
    std::shared_ptr<StreamSession> session;
    {
        const std::scoped_lock lock{mutex_};
        session = session_;
    }
    try {
        if (session) session->refill(*this);
    } catch (const std::exception& error) {
        log.warn(origin_.route + ": a stream ends: " + error.what());
        close();
    } catch (...) {
        log.warn(origin_.route + ": a stream ends: an exception that is no std::exception");
        close();
    }
    const std::scoped_lock lock{mutex_};
    is_refilling_ = false;
    if (wants_refill_) notify();
}

StreamChannel::Taken StreamChannel::take(std::size_t bytes_max) {
    Taken taken;
    const std::scoped_lock lock{mutex_};
    is_notified_ = false;
    while (!waiting_.empty() && taken.bytes < bytes_max) {
        taken.bytes += waiting_.front()->size();
        taken.frames.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    taken.is_closing = is_closing_ || has_ended_;
    taken.wants_refill = wants_refill_now();
    if (taken.wants_refill) {
        wants_refill_ = false;
        is_refilling_ = true;
    }
    return taken;
}

void StreamChannel::written(std::size_t bytes) {
    const std::scoped_lock lock{mutex_};
    bytes_waiting_ -= bytes;
}

void StreamChannel::refill_failed_to_start() {
    const std::scoped_lock lock{mutex_};
    wants_refill_ = true;
    is_refilling_ = false;
}

bool StreamChannel::wants_refill_now() const noexcept {
    return wants_refill_ && !is_refilling_ && !is_closing_ && !has_ended_ &&
           bytes_waiting_ <= stream_bytes_max / 2;
}

void StreamChannel::wake() {
    const std::scoped_lock lock{mutex_};
    notify();
}

/// One post wakes the writer, however many messages come before it looks.
void StreamChannel::notify() {
    if (std::exchange(is_notified_, true)) return;
    if (state_->io.stopped()) return;
    asio::post(state_->io, [self = shared_from_this()] { self->timer_.cancel(); });
}

void StreamChannel::end() {
    std::shared_ptr<StreamSession> session;  // Ends outside the lock: it may call us.
    const std::scoped_lock ending{mutex_};
    has_ended_ = true;
    session = std::move(session_);
    waiting_.clear();
}

bool StreamChannel::has_ended() const {
    const std::scoped_lock lock{mutex_};
    return has_ended_;
}

}  // namespace radd::web
