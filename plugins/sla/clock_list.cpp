// Clocks as people read them.

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "clocks.hpp"
#include "sql.hpp"

namespace sla {
namespace {

radd::json optional_json(const auto& value) {
    return value ? radd::json(*value) : radd::json();
}

std::vector<ClockLine> lines_of(const radd::Rows& rows) {
    std::vector<ClockLine> lines;
    for (const auto row : rows)
        lines.push_back({.item_id = row.integer("item_id"),
                         .item_key = row.text("key"),
                         .item_title = row.text("title"),
                         .project_key = row.text("project_key"),
                         .policy_id = row.integer("policy_id"),
                         .policy_name = row.text("policy_name"),
                         .target = row.text("target"),
                         .life = row.integer("life"),
                         .state = row.text("state"),
                         .remaining_ms = row.optional_integer("remaining_ms"),
                         .began_at = row.text("began_at"),
                         .due_soon_at = row.optional_text("due_soon_at"),
                         .due_at = row.optional_text("due_at"),
                         .due_us = row.optional_integer("due_us"),
                         .met_at = row.optional_text("met_at"),
                         .due_soon_sent_at = row.optional_text("due_soon_sent_at"),
                         .breach_sent_at = row.optional_text("breach_sent_at")});
    return lines;
}

/// Where a page begins: the key of clocks_open.
struct Start {
    std::optional<std::int64_t> due_us = 0;  // Empty: among those that are not due at all.
    std::int64_t item_id = 0;
    std::int64_t policy_id = 0;
    std::string target{};
    std::int64_t life = 0;
};

[[noreturn]] void refuse_place() {
    throw radd::InvalidInput{"after", "is no place in this list; give `next.after` of a page"};
}

std::int64_t number_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) refuse_place();
    return number;
}

Start start_at(const std::string& after) {
    std::array<std::string_view, 5> parts;
    std::string_view rest = after;
    for (std::size_t at = 0; at < parts.size(); ++at) {
        const auto end = rest.find('.');
        if ((end == std::string_view::npos) != (at + 1 == parts.size())) refuse_place();
        parts.at(at) = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    Start start{.item_id = number_in(parts[1]),
                .policy_id = number_in(parts[2]),
                .target = std::string{parts[3]},
                .life = number_in(parts[4])};
    if (parts[0] == "none")
        start.due_us.reset();
    else
        start.due_us = number_in(parts[0]);
    return start;
}

}  // namespace

radd::json to_json(const ClockLine& clock) {
    return {{"item", {{"id", clock.item_id}, {"key", clock.item_key}, {"title", clock.item_title}}},
            {"project", clock.project_key},
            {"policy", {{"id", clock.policy_id}, {"name", clock.policy_name}}},
            {"target", clock.target},
            {"life", clock.life},
            {"state", clock.state},
            {"remaining_ms", optional_json(clock.remaining_ms)},
            {"began_at", clock.began_at},
            {"due_soon_at", optional_json(clock.due_soon_at)},
            {"due_at", optional_json(clock.due_at)},
            {"met_at", optional_json(clock.met_at)},
            {"due_soon_sent_at", optional_json(clock.due_soon_sent_at)},
            {"breach_sent_at", optional_json(clock.breach_sent_at)}};
}

std::string place_of(const ClockLine& clock) {
    return (clock.due_us ? std::to_string(*clock.due_us) : "none") + "." +
           std::to_string(clock.item_id) + "." + std::to_string(clock.policy_id) + "." +
           clock.target + "." + std::to_string(clock.life);
}

std::vector<ClockLine> list_open(radd::Transaction& tx, const ClockQuery& query) {
    const Start start = query.after ? start_at(*query.after) : Start{};
    return lines_of(tx.query(sql::list_open_clocks,
                             query.project,
                             query.state,
                             start.due_us,
                             start.item_id,
                             start.policy_id,
                             start.target,
                             start.life,
                             std::min(query.limit, clocks_listed_max)));
}

std::vector<ClockLine> list_of_item(radd::Transaction& tx, std::int64_t item_id) {
    return lines_of(tx.query(sql::list_clocks_of_item, item_id, clocks_listed_max));
}

}  // namespace sla
