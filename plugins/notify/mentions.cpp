#include "mentions.hpp"

#include <algorithm>

#include <items/service.hpp>

namespace notify {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view closing = ".,:;!?)]}\"'";

/// A name has at most so many characters, of at most four bytes.
constexpr std::size_t name_bytes_max = 4 * items::name_length_max;

bool begins_word(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    return blanks.find(before) != std::string_view::npos ||
           std::string_view{"([{\"'*_>"}.find(before) != std::string_view::npos;
}

std::string_view without_closing(std::string_view name) {
    const auto last = name.find_last_not_of(closing);
    return last == std::string_view::npos ? std::string_view{} : name.substr(0, last + 1);
}

/// Prefixes of `text` that end with a word, the shortest first; a line break ends the last.
NameCandidates candidates_at(std::string_view text) {
    NameCandidates names;
    const auto line = text.substr(0, std::min(text.find_first_of("\r\n"), name_bytes_max));
    for (std::size_t end = 0, words = 0; end < line.size() && words < mention_words_max; ++words) {
        end = std::min(line.find(' ', end + 1), line.size());
        const auto name = line.substr(0, end);
        // "Dr." is a name with its dot, "Ada." one without.
        for (const auto form : {without_closing(name), name}) {
            if (form.empty() || form.front() == ' ' || form.front() == '@' || form.back() == ' ')
                continue;
            if (names.empty() || names.back() != form) names.emplace_back(form);
        }
    }
    std::ranges::reverse(names);
    return names;
}

}  // namespace

std::vector<NameCandidates> mentions_in(std::string_view text) {
    std::vector<NameCandidates> found;
    for (auto at = text.find('@'); at != std::string_view::npos && found.size() < mentions_max;
         at = text.find('@', at + 1)) {
        if (!begins_word(text, at)) continue;
        auto names = candidates_at(text.substr(at + 1));
        if (!names.empty()) found.push_back(std::move(names));
    }
    return found;
}

}  // namespace notify
