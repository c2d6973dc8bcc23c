#include <host/consumers/position.hpp>

namespace radd::consumers {

void Position::take(const Acquired& acquired) {
    const std::scoped_lock lock{mutex_};
    acquired_ = acquired;
    in_memory_ = acquired.standing;
    on_disk_ = acquired.standing.cursor;
}

void Position::lose(std::int64_t epoch) {
    const std::scoped_lock lock{mutex_};
    if (owned(epoch)) acquired_.reset();
}

std::optional<Standing> Position::current() const {
    const std::scoped_lock lock{mutex_};
    if (!acquired_) return std::nullopt;
    return in_memory_;
}

std::optional<Acquired> Position::acquired() const {
    const std::scoped_lock lock{mutex_};
    return acquired_;
}

void Position::pass(const Standing& next) {
    const std::scoped_lock lock{mutex_};
    if (owned(next.epoch)) in_memory_ = next;
}

void Position::persist(const Standing& next) {
    const std::scoped_lock lock{mutex_};
    if (!owned(next.epoch)) return;
    on_disk_ = next.cursor;
    // The keeper writes a snapshot; the runner may have gone on in memory meanwhile.
    if (in_memory_.cursor < next.cursor) in_memory_ = next;
}

std::optional<Move> Position::move_to(const Standing& next) const {
    const std::scoped_lock lock{mutex_};
    if (!owned(next.epoch)) return std::nullopt;
    return Move{acquired_->name, next.epoch, on_disk_, next.cursor, next.receipt};
}

std::optional<Move> Position::unwritten() const {
    const std::scoped_lock lock{mutex_};
    if (!acquired_ || in_memory_.cursor == on_disk_) return std::nullopt;
    return Move{acquired_->name, in_memory_.epoch, on_disk_, in_memory_.cursor, in_memory_.receipt};
}

}  // namespace radd::consumers
