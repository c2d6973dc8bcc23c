#pragma once

/// Is this body one JSON value that we can take? Answered with the place where it is not.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace radd::web {

struct JsonFault {
    std::string problem;  ///< "is not JSON at byte 17"; never repeats a value.
    std::string field{};  ///< Where the text is JSON and a member is the culprit: "a.b".
};

/// The first fault of `text`: not JSON, not UTF-8, deeper than `depth_max`, a number that no
/// double holds; and, with its field, a key given twice or a NUL character, which PostgreSQL
/// cannot keep.
[[nodiscard]] std::optional<JsonFault> find_json_fault(std::string_view text,
                                                       std::size_t depth_max);

}  // namespace radd::web
