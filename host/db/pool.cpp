#include <algorithm>
#include <utility>

#include <host/db/pool.hpp>
#include <radd/error.hpp>

namespace radd::db {
namespace {

std::string seconds_since(std::chrono::steady_clock::time_point start) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count() /
                        100;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

Lease::Lease(Pool& pool, std::unique_ptr<Session> session, std::size_t slot)
    : pool_{&pool}, session_{std::move(session)}, slot_{slot} {}

Lease::Lease(Lease&& other) noexcept
    : pool_{std::exchange(other.pool_, nullptr)},
      session_{std::move(other.session_)},
      slot_{other.slot_} {}

Lease::~Lease() {
    if (pool_) pool_->give_back(slot_, std::move(session_));
}

Pool::Pool(ConnectOptions options, std::size_t size) : options_{std::move(options)} {
    if (size < 1 || size > size_max) {
        throw ConfigError{"database pool: size " + std::to_string(size) + " is not between 1 and " +
                          std::to_string(size_max)};
    }
    slots_.resize(size);
}

Pool::~Pool() = default;

Lease Pool::lease(std::string purpose, std::chrono::milliseconds timeout) {
    std::unique_lock lock{mutex_};
    const std::uint64_t mine = ++arrivals_;
    waiting_.insert(mine);
    const auto may_go = [&] { return *waiting_.begin() == mine && find_free() != nullptr; };
    if (!may_go()) ++counts_.waits;
    const bool is_my_turn = changed_.wait_for(lock, timeout, may_go);
    waiting_.erase(mine);
    if (!is_my_turn) {
        ++counts_.timeouts;
        changed_.notify_all();  // Whoever came next may be first now.
        throw Unavailable{"database pool: no session for " + purpose + " within " +
                          std::to_string(timeout.count()) + " ms; held by " + describe_holders() +
                          "; raise the pool size or shorten what holds them"};
    }

    Slot& slot = *find_free();
    ++counts_.leases;
    slot.is_leased = true;
    slot.holder = std::move(purpose);
    slot.since = std::chrono::steady_clock::now();
    std::unique_ptr<Session> session = std::move(slot.idle);
    lock.unlock();
    changed_.notify_all();

    const auto at = static_cast<std::size_t>(&slot - slots_.data());
    // From here on the lease gives the slot back, also when opening a session throws.
    Lease lease{*this, std::move(session), at};
    if (lease.session_ && !lease.session_->usable()) lease.session_.reset();
    if (!lease.session_) lease.session_ = std::make_unique<Session>(options_);
    return lease;
}

std::size_t Pool::leased() const {
    const std::scoped_lock lock{mutex_};
    return static_cast<std::size_t>(std::ranges::count_if(slots_, &Slot::is_leased));
}

Pool::Counts Pool::counts() const {
    const std::scoped_lock lock{mutex_};
    Counts found{counts_};
    found.leased = static_cast<std::size_t>(std::ranges::count_if(slots_, &Slot::is_leased));
    return found;
}

/// The free slot whose session is open, or else any free one.
Pool::Slot* Pool::find_free() {
    Slot* free = nullptr;
    for (Slot& slot : slots_) {
        if (slot.is_leased) continue;
        if (slot.idle) return &slot;
        if (!free) free = &slot;
    }
    return free;
}

std::string Pool::describe_holders() const {
    std::string text;
    for (const Slot& slot : slots_) {
        if (!slot.is_leased) continue;
        text.append(text.empty() ? "" : ", ").append(slot.holder);
        text.append(" (for ").append(seconds_since(slot.since)).append(")");
    }
    return text.empty() ? "nobody, but others came first" : text;
}

void Pool::give_back(std::size_t slot, std::unique_ptr<Session> session) noexcept {
    // Before the slot is free: the next borrower must not see this one's transaction.
    if (session) session->rollback();
    if (session && !session->usable()) session.reset();
    {
        const std::scoped_lock lock{mutex_};
        slots_[slot].idle = std::move(session);
        slots_[slot].is_leased = false;
    }
    changed_.notify_all();
}

}  // namespace radd::db
