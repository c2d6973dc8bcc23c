#include "csv_times.hpp"

#include <utility>

#include "csv_columns.hpp"
#include <radd/terminal_text.hpp>

namespace importer {
namespace {

constexpr std::size_t quoted_bytes_max = 80;

void say(std::string& text, std::int64_t count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + " " + what;
}

}  // namespace

std::string in_quotes(std::string_view value) {
    std::size_t size = 0;
    while (size < value.size() && size < quoted_bytes_max) {
        const auto length = radd::terminal::sequence_length(value.substr(size));
        if (length == 0 || value[size] == '\0') break;
        size += length;
    }
    return "'" + std::string{value.substr(0, size)} + (size < value.size() ? "…'" : "'");
}

TimeFormat TimeFormats::of(const std::string& column) const {
    TimeFormat format = usual;
    const auto name = folded(column);
    if (const auto zone = zones.find(name); zone != zones.end()) format.zone = zone->second;
    if (const auto order = orders.find(name); order != orders.end()) format.order = order->second;
    return format;
}

std::optional<radd::Timestamp> CsvTimes::read(const std::string& column,
                                              std::string_view text,
                                              std::int64_t line) {
    auto format = by_column_.find(column);
    if (format == by_column_.end()) format = by_column_.emplace(column, formats_.of(column)).first;
    auto& count = counts_[column];
    ++count.read;

    const auto doubt = [&](std::int64_t& kind) {
        ++kind;
        if (count.first_line != 0) return;
        count.first = in_quotes(text);
        count.first_line = line;
    };
    const auto time = parse_jira_time(text, format->second.order);
    if (!time) {
        doubt(count.unreadable);
        return std::nullopt;
    }
    const auto instant = instant_of(*time, format->second.zone);
    if (instant.note == WallNote::skipped) doubt(count.skipped);
    if (instant.note == WallNote::repeated) doubt(count.repeated);
    return instant.at;
}

void CsvTimes::warn(Problems& warnings) const {
    for (const auto& [column, count] : counts_) {
        if (count.first_line == 0) continue;
        auto text = "of " + std::to_string(count.read) + " times in this column";
        say(text, count.unreadable, "cannot be read");
        say(text, count.skipped, "do not exist in the zone, the clocks jumped over them");
        say(text, count.repeated, "happened twice in the zone, and the later one is taken");
        text += "; the first is " + count.first;
        if (count.unreadable > 0)
            text += ". If days and months are numbers, --dates says in which order";
        warnings.push_back(
            {.key = "", .field = column, .text = std::move(text), .line = count.first_line});
    }
}

}  // namespace importer
