#pragma once

/// Whom a text names: `@` and the name of a person, as people write it: "@Ada Lovelace, please".

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

inline constexpr std::size_t mentions_max = 50;      ///< Of one text; more are not looked at.
inline constexpr std::size_t mention_words_max = 6;  ///< Of one name.

/// What may be a name behind one `@`, the longest first: where a name ends nobody can tell who
/// does not know the people.
using NameCandidates = std::vector<std::string>;

/// One entry for each `@` that begins a word. An address in a text is none.
[[nodiscard]] std::vector<NameCandidates> mentions_in(std::string_view text);

}  // namespace notify
