// Whom a text names, when a person's day begins, and what a mail says. No I/O.

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <date/date.h>
#include <plugins/notify/letter.hpp>
#include <plugins/notify/local_time.hpp>
#include <plugins/notify/mentions.hpp>
#include <radd/testing/services.hpp>

using namespace notify;
using namespace std::chrono_literals;

namespace {

radd::Timestamp utc(int year, unsigned month, unsigned day, int hour, int minute = 0) {
    return date::sys_days{date::year{year} / date::month{month} / date::day{day}} +
           std::chrono::hours{hour} + std::chrono::minutes{minute};
}

/// The longest that may be a name, of each mention: "Ada Lovelace please|Bob".
std::string longest(std::string_view text) {
    std::string all;
    for (const auto& names : mentions_in(text)) all += (all.empty() ? "" : "|") + names.front();
    return all;
}

Told a_notice(std::string_view kind, const radd::json& detail = radd::json::object()) {
    return {.id = 7,
            .kind = std::string{kind},
            .item_id = 3,
            .item_key = "DEMO-3",
            .item_title = "Printer",
            .actor_id = "00000000-0000-4000-8000-00000000a001",
            .actor_name = "Ada",
            .detail = detail};
}

}  // namespace

TEST_SUITE("mentions") {
    TEST_CASE("every prefix of words may be the name and the longest is first") {
        const auto found = mentions_in("Please @Ada Lovelace, look");

        REQUIRE(found.size() == 1);
        CHECK(found[0] ==
              NameCandidates{"Ada Lovelace, look", "Ada Lovelace,", "Ada Lovelace", "Ada"});
    }

    TEST_CASE("an at sign inside a word names nobody") {
        CHECK(longest("mail ada@example.org").empty());
        CHECK(longest("a@b c@d @ @\n@ @@").empty());
        CHECK(longest("(@Bob) and\n@Cid").starts_with("Bob) and"));
        CHECK(longest("@Bob\n@Cid") == "Bob|Cid");
    }

    TEST_CASE("neither names nor texts are looked at without end") {
        CHECK(longest("@a b c d e f g h") == "a b c d e f");
        std::string text;
        for (std::size_t i = 0; i < mentions_max; ++i) text += "@Bob\n";
        CHECK(mentions_in(text).size() == mentions_max);
        CHECK(mentions_in(text + "@Bob\n").size() == mentions_max);
        CHECK(mentions_in("@" + std::string(100'000, 'x')).size() == 1);
    }
}

TEST_SUITE("local time") {
    TEST_CASE("the hour is that of the zone in winter and in summer") {
        CHECK(next_hour("Europe/Berlin", 8, utc(2026, 1, 1, 6, 59)) == utc(2026, 1, 1, 7));
        CHECK(next_hour("Europe/Berlin", 8, utc(2026, 1, 1, 7)) == utc(2026, 1, 2, 7));
        CHECK(next_hour("Europe/Berlin", 8, utc(2026, 7, 1, 0)) == utc(2026, 7, 1, 6));
        CHECK(next_hour("Asia/Kathmandu", 0, utc(2026, 1, 1, 12)) == utc(2026, 1, 1, 18, 15));
        CHECK(local_day("Asia/Kathmandu", utc(2026, 1, 1, 18, 15)) == "2026-01-02");
        CHECK(local_day("America/Los_Angeles", utc(2026, 1, 1, 7)) == "2025-12-31");
    }

    TEST_CASE("an hour that a day skips is the moment of the leap") {
        CHECK(next_hour("Europe/Berlin", 2, utc(2026, 3, 28, 12)) == utc(2026, 3, 29, 1));
        CHECK(next_hour("Europe/Berlin", 2, utc(2026, 3, 29, 1)) == utc(2026, 3, 30, 0));
        // Clocks in Cairo leap from midnight to one.
        CHECK(next_hour("Africa/Cairo", 0, utc(2026, 4, 23, 12)) == utc(2026, 4, 23, 22));
        CHECK(local_day("Africa/Cairo", utc(2026, 4, 23, 22)) == "2026-04-24");
    }

    TEST_CASE("of an hour that a day has twice the first counts") {
        CHECK(next_hour("Europe/Berlin", 2, utc(2026, 10, 24, 12)) == utc(2026, 10, 25, 0));
        CHECK(next_hour("Europe/Berlin", 2, utc(2026, 10, 25, 0)) == utc(2026, 10, 26, 1));
    }

    TEST_CASE("what is no zone is refused") {
        for (const char* name : {"", "Europe/Atlantis", "../../etc/passwd", "CET\n"}) {
            CAPTURE(name);
            CHECK_FALSE(is_zone(name));
            CHECK_THROWS_AS((void)next_hour(name, 8, utc(2026, 1, 1, 0)), radd::InvalidInput);
        }
        CHECK(is_zone("UTC"));
    }
}

TEST_SUITE("letter") {
    TEST_CASE("says who did what to which item and where it is") {
        const radd::testing::FakeServices host;
        const Kinds kinds{host};
        auto told = a_notice(kind::commented);
        told.excerpt = "Is it\nthe toner?";

        const auto mail = letter(
            told, kinds, {.email = "bob@example.org", .name = "Bob", .public_url = "https://r"});

        CHECK(mail.to == "bob@example.org");
        CHECK(mail.to_name == "Bob");
        CHECK(mail.subject == "[DEMO-3] Printer");
        CHECK(mail.idempotency_key == "notify.notice/7");
        CHECK(
            mail.text.starts_with("Ada commented.\n\nDEMO-3 "
                                  "Printer\nhttps://r/entities/item/3\n\n> Is it\n> the toner?\n"));
        CHECK(mail.text.ends_with("https://r/inbox/preferences\n"));
    }

    TEST_CASE("each kind has its sentence") {
        const radd::testing::FakeServices host;
        const Kinds kinds{host};
        const auto said = [&](std::string_view kind, const radd::json& detail) {
            return sentence(a_notice(kind, detail), kinds);
        };

        CHECK(said(kind::created, {}) == "Ada created it");
        CHECK(said(kind::assigned, {}) == "Ada assigned it to you");
        CHECK(said(kind::mentioned, {}) == "Ada mentioned you");
        CHECK(said(kind::moved, {{"from", "To Do"}, {"to", "Done"}}) ==
              "Ada moved it from To Do to Done");
        CHECK(said(kind::changed, {{"fields", {"title", "labels"}}}) ==
              "Ada changed title, labels");
        CHECK(said(kind::changed, {{"fields", 3}}) == "Ada changed it");
        CHECK(said("gone.kind", {}) == "gone.kind");
    }

    TEST_CASE("what no person did says so") {
        const radd::testing::FakeServices host;
        const Kinds kinds{host};
        auto told = a_notice(kind::moved, {{"from", "A"}, {"to", "B"}});
        told.automated = "rule 4";
        CHECK(sentence(told, kinds) == "Ada moved it from A to B (automation: rule 4)");

        told.actor_name.reset();
        CHECK(sentence(told, kinds) == "An automation moved it from A to B (automation: rule 4)");
        told.automated.reset();
        CHECK(sentence(told, kinds) == "Somebody moved it from A to B");
    }

    TEST_CASE("a digest is grouped by item and counts what it leaves out") {
        const radd::testing::FakeServices host;
        const Kinds kinds{host};
        std::vector<Told> lines{a_notice(kind::commented), a_notice(kind::created)};

        const auto mail = digest_letter(
            5, "2026-01-01", lines, 4, kinds, {.email = "b@x.org", .name = "", .public_url = "u"});

        CHECK(mail.subject == "4 notices until 2026-01-01");
        CHECK(mail.idempotency_key == "notify.digest/5");
        CHECK(mail.text.find("\nDEMO-3 Printer\nu/entities/item/3\n  - Ada commented\n"
                             "  - Ada created it\n\nand 2 more: u/inbox\n") != std::string::npos);
    }
}
