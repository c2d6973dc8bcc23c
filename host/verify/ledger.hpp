#pragma once

/// What the receipts of many consumers should say, from one walk over the stream.

#include <cstdint>
#include <map>
#include <span>

#include <host/consumers/receipt.hpp>

namespace radd::verify {

/// Ids without a hole between them, both ends included.
struct Run {
    std::int64_t first;
    std::int64_t last;
};

/// Sums ids as they come and remembers the sum at each place that was asked for, so that the
/// receipt of any stretch between two places is a difference. Memory is bounded by the places.
class Ledger {
public:
    /// All places first, then the runs, ascending.
    void ask(std::int64_t place) { marks_.try_emplace(place); }
    void add(const Run& run);
    /// No run will come any more.
    void finish();

    /// Of the events above `after` and up to `until`, which were both asked for.
    [[nodiscard]] consumers::Receipt between(std::int64_t after, std::int64_t until) const;
    /// Whether the stream has an event with this id, which was asked for.
    [[nodiscard]] bool has(std::int64_t place) const;
    [[nodiscard]] std::int64_t events() const noexcept { return sum_.count; }

private:
    struct Mark {
        consumers::Receipt sum{};
        bool is_event = false;
    };
    void sum_up_to(std::int64_t id);

    std::map<std::int64_t, Mark> marks_;
    std::map<std::int64_t, Mark>::iterator next_{};
    bool walking_ = false;
    std::int64_t at_ = 0;  ///< First id of the run at hand that is not in the sum.
    consumers::Receipt sum_;
};

/// The receipt of every id in `runs`.
[[nodiscard]] consumers::Receipt receipt_of(std::span<const Run> runs);

}  // namespace radd::verify
