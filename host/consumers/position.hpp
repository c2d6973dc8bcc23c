#pragma once

/// Where one consumer stands: what is on disk, and what has moved in memory since.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <host/consumers/receipt.hpp>

namespace radd::consumers {

/// A cursor as its owner knows it.
struct Standing {
    std::int64_t epoch = 0;
    std::int64_t cursor = 0;
    Receipt receipt{};
};

/// A cursor that is to be written: only if the row still says `epoch` and `old_cursor`.
struct Move {
    std::string name;
    std::int64_t epoch;
    std::int64_t old_cursor;
    std::int64_t new_cursor;
    Receipt receipt;
};

/// What taking a lease tells the new owner.
struct Acquired {
    std::string name;
    Standing standing;
    bool expired = false;  ///< The owner before did not release it: it died, or hangs.
    std::optional<std::int64_t> attempt_event_id{};  ///< It may have died planning this event.
    std::int64_t retry_round = 0;
    std::int64_t backlog_until = 0;  ///< Events up to here are no news.
};

/// Shared by the thread that runs the consumer and the keeper of its lease. Batches without effects
/// move only the memory side; whoever writes the row holds persisting(), so that the keeper's write
/// and an advance of the runner never both start from the same old cursor. [any-thread]
class Position {
public:
    void take(const Acquired& acquired);

    /// Ownership `epoch` is gone. What was not on disk is forgotten with it.
    void lose(std::int64_t epoch);

    /// Empty: somebody else owns it, or nobody.
    [[nodiscard]] std::optional<Standing> current() const;
    [[nodiscard]] std::optional<Acquired> acquired() const;  ///< How the current lease began.

    /// Ignored unless the lease is still that of `next.epoch`.
    void pass(const Standing& next);     ///< In memory.
    void persist(const Standing& next);  ///< It is on disk; the memory follows.

    /// The write from what is on disk to `next`. Empty if `next.epoch` is over.
    [[nodiscard]] std::optional<Move> move_to(const Standing& next) const;
    /// The write that brings the disk up to date. Empty if it is.
    [[nodiscard]] std::optional<Move> unwritten() const;

    /// Held from deciding on a write until its outcome is known.
    [[nodiscard]] std::mutex& persisting() noexcept { return persisting_; }

private:
    [[nodiscard]] bool owned(std::int64_t epoch) const {
        return acquired_ && acquired_->standing.epoch == epoch;
    }

    std::mutex persisting_;
    mutable std::mutex mutex_;
    std::optional<Acquired> acquired_;
    Standing in_memory_;
    std::int64_t on_disk_ = 0;
};

}  // namespace radd::consumers
