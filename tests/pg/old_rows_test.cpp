// Rows that earlier and later releases of a plugin have stored, read by the one at hand. See
// tests/support/plugins/parcels.cpp.

#include <chrono>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

constexpr auto deadline = 2min;

/// Of the present form, of version 2, of version 1, and of version 1 under its name of then.
constexpr const char* readable = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES
        ('parcels.moved', 'parcel', '1', '{"shelf": "D", "row": 9, "payload_version": 3}'),
        ('parcels.moved', 'parcel', '2', '{"shelf": "C", "payload_version": 2}'),
        ('parcels.moved', 'parcel', '3', '{"rack": "B", "weight": 9007199254740993}'),
        ('parcels.shifted', 'parcel', '4', '{"rack": "A"}'))sql";

/// A form that upcast() has no step for, under the old name; and one of a later release.
constexpr const char* unreadable = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES
        ('parcels.shifted', 'parcel', '5', '{"crate": "E"}'),
        ('parcels.moved', 'parcel', '6', '{"shelf": "F", "row": 5, "payload_version": 4}'),
        ('parcels.moved', 'parcel', '7', '{"shelf": "G", "row": 7, "payload_version": 3}'))sql";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install("parcels", "parcels");
        must({"migrate"});
    }

    /// What the consumer has read, `id:shelf:row` of each.
    std::string ledger() {
        return value(
            "SELECT coalesce(string_agg(concat_ws(':', event_id, shelf, \"row\"), ' ' "
            "ORDER BY event_id), '') FROM parcels.ledger");
    }
    [[nodiscard]] bool reads(const std::string& expected) {
        const bool read = eventually([&] { return ledger() == expected; }, deadline);
        CHECK_MESSAGE(read, ledger());
        return read;
    }
    std::string stored() {
        return value("SELECT string_agg(to_jsonb(e)::text, ' ' ORDER BY id) FROM radd.events e");
    }
    std::string skipped(const std::string& column, const std::string& event) {
        return value("SELECT " + column + " FROM radd.skipped_events WHERE event_id = " + event);
    }
    /// What `radd events show` tells of an event, next to what is stored.
    void check_shown(const std::string& event) {
        CAPTURE(event);
        const auto row = [&](const std::string& column) {
            return value("SELECT " + column + " FROM radd.events WHERE id = " + event);
        };
        const auto page = must({"events", "show", event});
        const auto json = must({"events", "show", event, "--json"});
        CHECK(json.json().at("event_type").get<std::string>() == row("event_type"));
        // As text: what is parsed and printed again would not show a digit that was lost.
        CHECK(contains(json.out, "\"payload\":" + row("payload") + ","));
        CHECK(contains(page.out, "type        " + row("event_type") + "\n"));
    }
    void stop(radd::testing::Process& host) {
        host.signal(SIGTERM);
        CHECK(host.wait(deadline) == 0);
    }
};

}  // namespace

TEST_SUITE("old row") {
    TEST_CASE_FIXTURE(Scene, "of every form and name is read as the struct of today") {
        execute(readable);
        const std::string before = stored();

        const auto host = serve();

        CHECK(reads("1:D:9 2:C:1 3:B:1 4:A:1"));
        CHECK(eventually([&] { return is_settled(); }, deadline));
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        CHECK(stored() == before);
        for (const char* event : {"1", "2", "3", "4"}) check_shown(event);
        stop(*host);
    }

    TEST_CASE_FIXTURE(Scene, "that this release cannot read is kept for the one that can") {
        execute(readable);
        execute(unreadable);
        const std::string before = stored();
        const auto host = serve();

        REQUIRE(reads("1:D:9 2:C:1 3:B:1 4:A:1 7:G:7"));
        CHECK(eventually([&] { return consumer("parcels.ledger").at("skipped") == 2; }, deadline));
        CHECK(consumer("parcels.ledger").at("last_event_id") == 7);
        CHECK(contains(skipped("error", "5"), "event 5: parcels.moved: upcast: "));
        CHECK(contains(skipped("error", "5"), "'rack' not found"));
        CHECK(skipped("error", "6") ==
              "event 6: parcels.moved: payload.payload_version: is 4, and this build knows 1 to 3; "
              "a later one wrote it");
        CHECK(skipped("event->>'event_type'", "5") == "parcels.shifted");
        CHECK(skipped("event->>'payload'", "5") == R"({"crate": "E"})");
        for (const char* event : {"5", "6"}) check_shown(event);
        stop(*host);

        install("parcels_later", "parcels");
        const auto later = serve();
        must({"consumers", "retry", "parcels.ledger", "--all"});

        CHECK(reads("1:D:9 2:C:1 3:B:1 4:A:1 5:E:0 6:F:5 7:G:7"));
        CHECK(eventually([&] { return consumer("parcels.ledger").at("skipped") == 0; }, deadline));
        CHECK(stored() == before);
        stop(*later);
    }
}
