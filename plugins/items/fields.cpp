#include "fields.hpp"

#include <algorithm>
#include <cstddef>

namespace items {
namespace {

/// Levenshtein's: how many letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::string unknown_field(std::string_view name,
                          const std::set<std::string, std::less<>>& allowed) {
    std::string message = "there is no field '" + std::string{name} + "'";
    const auto nearest = std::ranges::min_element(
        allowed, {}, [name](const std::string& field) { return distance(name, field); });
    if (nearest != allowed.end() && distance(name, *nearest) <= 2)
        return message + "; did you mean '" + *nearest + "'?";
    message += "; there are:";
    for (const auto& field : allowed) message += " " + field;
    return message;
}

}  // namespace

Fields parse_fields(std::span<const std::string> words,
                    const std::set<std::string, std::less<>>& allowed) {
    Fields fields;
    for (const auto& word : words) {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            throw UsageError{"'" + word + "' is no field=value; quote text that has spaces"};
        const auto name = word.substr(0, equals);
        if (!allowed.contains(name)) throw UsageError{unknown_field(name, allowed)};
        if (!fields.emplace(name, word.substr(equals + 1)).second)
            throw UsageError{"'" + name + "' is given twice"};
    }
    return fields;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = text.find(',');
        auto part = text.substr(0, comma);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        const auto first = part.find_first_not_of(' ');
        if (first == std::string_view::npos) continue;
        part = part.substr(first, part.find_last_not_of(' ') - first + 1);
        parts.emplace_back(part);
    }
    return parts;
}

}  // namespace items
