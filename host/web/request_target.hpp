#pragma once

/// The target of a request line, decoded and checked.

#include <string>
#include <string_view>
#include <vector>

#include <radd/http.hpp>

namespace radd::web {

inline constexpr std::size_t query_parameters_max = 100;  ///< Past it: 400.

struct RequestTarget {
    std::string path;                     ///< Decoded: "/api/v1/items/DEMO-1".
    std::vector<std::string> segments{};  ///< Split before decoding, so `%2F` is no separator.
    std::vector<HttpField> query{};       ///< In their order; `+` is a space.
};

/// Takes the origin form ("/a?b=c") and the absolute form ("http://host/a?b=c").
/// @throws HttpError 400, saying what is wrong where: a bad escape, NUL, text that is not UTF-8,
/// a `.` or `..` segment, a fragment, too many parameters.
[[nodiscard]] RequestTarget parse_target(std::string_view target);

}  // namespace radd::web
