#pragma once

/// The plugin csat on a host in memory.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <csat/events.hpp>
#include <items/events.hpp>
#include <radd/testing/fixture_host.hpp>

namespace csat_bench {

using csat::CsatEvent;
using items::ItemEntity;
using items::ItemEvent;
using radd::testing::an_event;
using radd::testing::FixtureHost;
using radd::testing::rows;
using radd::testing::Statement;

inline constexpr const char* sender = "csat.sender";

inline radd::json state(const char* category) {
    return {{"name", "any"}, {"category", category}};
}

inline an_event a_move(std::int64_t item, const radd::json& from, const radd::json& to) {
    return an_event{ItemEvent::updated}
        .about(ItemEntity::item, item)
        .in_project(7)
        .changed("state", from, to);
}
inline an_event a_resolution(std::int64_t item) {
    return a_move(item, state("doing"), state("done"));
}

inline radd::Rows asked_row(const std::string& item, const char* attempts) {
    return rows({"email", "name", "key", "title", "attempts"},
                {{"ada@example.org", "Ada", "DEMO-" + item, "Printer", attempts}});
}
inline radd::Rows no_row() {
    return rows({"email", "name", "key", "title", "attempts"}, {});
}

/// The plugin on a host in memory. The table of surveys is the token of each item: a request for
/// an item is answered with a row if it is the first one, or the one before is marked as unsent,
/// as by the statement that holds the guards.
struct Bench {
    FixtureHost host{radd::testing::linked_manifest()};
    radd::testing::FakeMailer mailer;
    std::map<std::string, std::string> surveyed;  // Item to token.
    std::set<std::string> unsent;

    Bench() {
        host.services().offer<radd::Mailer>(mailer);
        host.tx().when("INSERT INTO csat.surveys", [this](const Statement& statement) {
            const auto& item = statement.params.at(0).value();
            const bool renewed = unsent.erase(item) > 0;
            if (surveyed.contains(item) && !renewed) return no_row();
            surveyed[item] = statement.params.at(1).value();
            return asked_row(item, renewed ? "2" : "1");
        });
        host.tx().when("SET unsent_since = now()", [this](const Statement& statement) {
            const auto& item = statement.params.at(0).value();
            if (surveyed.at(item) != statement.params.at(1)) return radd::Rows{0};
            unsent.insert(item);
            return radd::Rows{1};
        });
        host.start();
    }

    [[nodiscard]] std::vector<std::string> asked() const {
        std::vector<std::string> subjects;
        for (const auto& mail : mailer.sent()) subjects.push_back(mail.subject);
        return subjects;
    }
    [[nodiscard]] std::size_t requests_emitted() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            host.stream(), [](const auto& event) { return event.is(CsatEvent::requested); }));
    }
    [[nodiscard]] std::size_t statements() { return host.tx().statements().size(); }
};

using Subjects = std::vector<std::string>;

}  // namespace csat_bench
