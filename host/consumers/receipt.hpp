#pragma once

/// The proof, kept beside the cursor, of which events a consumer has handled.

#include <cstdint>

namespace radd::consumers {

/// One step of the generator SplitMix64, as a mixing function: neighbouring ids give unrelated
/// numbers. https://prng.di.unimi.it/splitmix64.c
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t value) noexcept {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

/// How many ids, and the sum of their hashes modulo 2^64: independent of their order, and different
/// as soon as one is missing or was counted twice.
struct Receipt {
    std::int64_t count = 0;
    std::uint64_t hash = 0;

    constexpr void add(std::int64_t id) noexcept {
        ++count;
        hash += splitmix64(static_cast<std::uint64_t>(id));
    }
    constexpr void add(const Receipt& other) noexcept {
        count += other.count;
        hash += other.hash;
    }

    friend constexpr bool operator==(const Receipt&, const Receipt&) = default;
};

}  // namespace radd::consumers
