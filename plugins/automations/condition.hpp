#pragma once

/// The language of conditions: JSON, total, and bounded before it runs.
///
///     {"all": [C, …]}   {"any": [C, …]}   {"not": C}   {}: always
///     {"field": "changes.state.to.category", "is": "done"}
///
/// A test has one of these words:
///   is, is_not   the same JSON value, or not; 1 and 1.0 are the same
///   in           one of a list
///   contains     a text has the text in it, or a list has the value in it
///   above, below both are numbers, or both are texts (so instants compare), and it is so
///   exists       true: there is a value, and it is not null; false: there is none
///
/// Every condition has an answer for every event: what is not there reads as null, and what cannot
/// be compared is false.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <radd/json_text.hpp>

namespace automations {

inline constexpr std::size_t condition_depth_max = 8;  ///< A test alone is 1 deep.
inline constexpr std::size_t condition_tests_max = 100;
inline constexpr std::size_t path_bytes_max = 200;
inline constexpr std::size_t path_words_max = 10;

/// The value at a path; null if there is none.
using Look = std::function<radd::json(const std::string& path)>;

/// @throws radd::InvalidInput naming the place: "when.all.0.is".
void check_condition(const radd::json& condition, const std::string& place);

/// Of a condition that check_condition() has passed.
[[nodiscard]] bool holds(const radd::json& condition, const Look& look);

/// @throws radd::InvalidInput unless it begins with event, payload, changes or entity.
void check_path(const std::string& path, const std::string& place);

/// "a.b.0" → a, b, 0
[[nodiscard]] std::vector<std::string> words_of(const std::string& path);

}  // namespace automations
