#pragma once

/// `field=value` words of a command line.

#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace items {

/// The command line cannot be understood; what() says why. The command answers with its usage.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using Fields = std::map<std::string, std::string, std::less<>>;

/// @throws UsageError for a word without `=`, a field that is not allowed (with the nearest that
///         is) or one that is given twice.
[[nodiscard]] Fields parse_fields(std::span<const std::string> words,
                                  const std::set<std::string, std::less<>>& allowed);

/// "a, b,,c" → a, b, c.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace items
