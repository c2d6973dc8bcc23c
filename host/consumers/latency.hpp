#pragma once

/// How long something takes, counted in buckets: for metrics, at the price of an addition.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace radd::consumers {

/// One thread observes, any thread reads. A reading may lack what is being added just then; it
/// never goes back.
class Latency {
public:
    using Time = std::chrono::nanoseconds;

    /// Upper ends, each included, as Prometheus counts. What is longer falls behind the last.
    static constexpr std::array<Time, 14> bounds{std::chrono::microseconds{100},
                                                 std::chrono::microseconds{250},
                                                 std::chrono::microseconds{500},
                                                 std::chrono::milliseconds{1},
                                                 std::chrono::microseconds{2500},
                                                 std::chrono::milliseconds{5},
                                                 std::chrono::milliseconds{10},
                                                 std::chrono::milliseconds{25},
                                                 std::chrono::milliseconds{50},
                                                 std::chrono::milliseconds{100},
                                                 std::chrono::milliseconds{500},
                                                 std::chrono::seconds{1},
                                                 std::chrono::seconds{5},
                                                 std::chrono::seconds{30}};

    struct Counts {
        std::array<std::uint64_t, bounds.size() + 1> buckets{};  ///< Not cumulative.
        Time sum{};
    };

    void observe(Time took) noexcept {
        std::size_t bucket = 0;
        while (bucket < bounds.size() && took > bounds[bucket]) ++bucket;
        add(buckets_[bucket], 1);
        add(sum_ns_, static_cast<std::uint64_t>(took.count() > 0 ? took.count() : 0));
    }

    [[nodiscard]] Counts counts() const noexcept {
        Counts found;
        for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
            found.buckets[bucket] = buckets_[bucket].load(std::memory_order_relaxed);
        found.sum = Time{static_cast<std::int64_t>(sum_ns_.load(std::memory_order_relaxed))};
        return found;
    }

private:
    /// One writer: no locked instruction is needed.
    static void add(std::atomic<std::uint64_t>& to, std::uint64_t more) noexcept {
        to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }

    std::array<std::atomic<std::uint64_t>, bounds.size() + 1> buckets_{};
    std::atomic<std::uint64_t> sum_ns_{0};
};

}  // namespace radd::consumers
