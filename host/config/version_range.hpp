#pragma once

/// Which versions of a plugin a manifest accepts.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <host/config/scalars.hpp>

namespace radd::config {

/// As radd_add_plugin() takes it: three numbers, nothing else.
struct Version {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t patch = 0;

    // clang-tidy 14 takes the 0 in a defaulted <=> for a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend std::strong_ordering operator<=>(const Version&, const Version&) = default;
};

/// Empty unless `text` is "x.y.z", each of at most nine digits and without leading zeros.
[[nodiscard]] std::optional<Version> parse_version(std::string_view text);

/// Conditions, all of which must hold: `>=1.4 <2`.
///
/// Each is an operator (`>=`, `>`, `<=`, `<`, `=`, or none for `=`) and one to three numbers. Only
/// as many numbers as are given are compared: `<=1.4` and `1.4` admit 1.4.7, `>1.4` does not.
class VersionRange {
public:
    [[nodiscard]] bool contains(const Version& version) const;

    /// As it was written.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    friend Parsed<VersionRange> parse_version_range(std::string_view text);

    enum class Relation : std::uint8_t { equal, less, less_or_equal, greater, greater_or_equal };
    struct Condition {
        Relation relation;
        Version bound;
        int parts;  ///< How many numbers were given.
    };
    static std::optional<Condition> parse_condition(std::string_view word);
    static bool holds(const Condition& condition, Version version);

    std::string text_;
    std::vector<Condition> conditions_;
};

/// A complaint (E46) names the word that cannot be read.
[[nodiscard]] Parsed<VersionRange> parse_version_range(std::string_view text);

}  // namespace radd::config
