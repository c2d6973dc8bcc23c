#pragma once

/// Passwords: which are taken, what is kept of one, and how often one may be checked at once.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>

#include <radd/clock.hpp>

namespace radd::accounts {

/// Of scrypt (RFC 7914): 2^log_n blocks of 128·r bytes, p times. The default takes 32 MiB and,
/// measured on two busy cores of 2026, 70 ms.
struct ScryptCost {
    int log_n = 15;
    int r = 8;
    int p = 1;

    friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

/// @throws Error if OpenSSL refuses `cost`.
[[nodiscard]] std::string scrypt(std::string_view password,
                                 std::string_view salt,
                                 const ScryptCost& cost,
                                 std::size_t bytes);

/// [any-thread]
class Passwords {
public:
    static constexpr std::size_t bytes_min = 12;
    static constexpr std::size_t bytes_max = 1024;
    /// At once: each takes a core and its memory, which a flood of attempts must not multiply.
    static constexpr int derivations_max = 2;
    /// For one of these. Few threads serve all requests, and those that wait here serve none.
    static constexpr std::chrono::milliseconds turn_wait{500};
    static constexpr std::size_t salt_bytes = 16;
    static constexpr std::size_t hash_bytes = 32;

    explicit Passwords(Random& random, ScryptCost cost = {}) : random_{random}, cost_{cost} {}

    /// What every derivation holds while it runs; given back at its end.
    class Turn {
    public:
        explicit Turn(Passwords& passwords);
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { turns_.release(); }

    private:
        std::counting_semaphore<derivations_max>& turns_;
    };
    /// @throws Unavailable if others kept every turn for turn_wait.
    [[nodiscard]] Turn take_turn() { return Turn{*this}; }

    /// @throws InvalidInput with field "password" unless it has bytes_min … bytes_max bytes and
    ///         is valid UTF-8 without NUL. Any other character is welcome.
    static void require_acceptable(std::string_view password);

    /// What is kept: `$scrypt$ln=15,r=8,p=1$salt$hash`, with a salt of its own.
    /// @throws Unavailable as take_turn().
    [[nodiscard]] std::string hash(std::string_view password);

    /// Whether `stored` was made of it. Takes the same work whatever the outcome, and also without
    /// `stored`: nobody can tell an unknown name from a wrong password by the time it took.
    /// @throws Unavailable as take_turn(); SchemaError if `stored` is no such text.
    [[nodiscard]] bool matches(std::string_view password, const std::optional<std::string>& stored);

    /// Whether `stored` was made at another cost than today's.
    [[nodiscard]] bool is_outdated(std::string_view stored) const;

    /// How often the work was done.
    [[nodiscard]] std::uint64_t derivations() const noexcept { return derivations_; }

private:
    [[nodiscard]] std::string derive(std::string_view password,
                                     std::string_view salt,
                                     const ScryptCost& cost);

    Random& random_;
    ScryptCost cost_;
    std::counting_semaphore<derivations_max> turns_{derivations_max};
    std::atomic<std::uint64_t> derivations_{0};
};

}  // namespace radd::accounts
