// radd verify: silent about a sound system under load, and each kind of corruption by its name.

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <host/verify/verification.hpp>
#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

constexpr int exit_found = 5;
constexpr radd::Sql ask_many = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
    SELECT 'chores.asked', 'chore', n::text,
           jsonb_build_object('do', CASE n % 10 WHEN 7 THEN 'throw' ELSE 'note' END)
      FROM generate_series(1, $1::int) n)sql";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install_chores();
        must({"migrate"});
    }
    void ask(int chores) { session().query(ask_many, chores); }
    [[nodiscard]] json proof(const std::string& name) const {
        const auto report = must({"verify", "--json"}).json();
        for (const auto& one : report.at("consumers")) {
            if (one.at("name") == name) return one;
        }
        return {};
    }
};

/// Six events are handled, the sixth of them in vain; 7 was rolled back and nobody has handled 8.
/// One delivery waits.
struct Planted : Scene {
    Planted() {
        const auto host = serve();
        ask(5);
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload)"
            "VALUES ('chores.asked', 'chore', '6', '{\"do\": \"throw\"}')");
        REQUIRE(eventually([&] { return is_settled(); }));
        host->signal(SIGTERM);
        REQUIRE(host->wait() == 0);
        execute("BEGIN");
        ask(1);
        execute("ROLLBACK");
        ask(1);
        execute(
            "INSERT INTO radd.deliveries (queue, lane, payload, event_id)"
            "VALUES ('chores.sent', '1', '{}', 8);"
            "CREATE TABLE kept AS SELECT * FROM radd.events WHERE id = 2");
    }
    std::vector<std::string> found() {
        const auto ran = run({"verify", "--json"});
        const auto report = ran.json();
        std::vector<std::string> names;
        for (const auto& finding : report.at("findings")) {
            names.push_back(finding.at("check").get<std::string>() + " " +
                            finding.at("subject").get<std::string>());
            CHECK_FALSE(finding.at("remedy").get<std::string>().empty());
        }
        CHECK(ran.code == (names.empty() ? 0 : exit_found));
        CHECK(report.at("sound") == names.empty());
        return names;
    }
};

/// What is done to the tables, what undoes it, and what is found in between.
struct Corruption {
    std::string plant;
    std::string undo;
    std::vector<std::string> found;
};

std::string set_doer(const std::string& columns) {
    return "UPDATE radd.consumers SET " + columns + " WHERE name = 'chores.doer'";
}
std::string record(const std::string& consumer, const std::string& event_id, const char* phase) {
    return "INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin,"
           " plugin_version) SELECT '" +
           consumer + "', " + event_id +
           ", coalesce((SELECT to_jsonb(e) FROM radd.events e WHERE "
           "id = " +
           event_id + "), '{\"id\": " + event_id + "}'), '" + phase + "', 'planted', 'chores', '1'";
}
std::string delivery(const std::string& event_id, const std::string& replay_of) {
    return "INSERT INTO radd.deliveries (queue, lane, payload, event_id, replay_of) VALUES"
           "('chores.sent', 'planted', '{}', " +
           event_id + ", " + replay_of + ")";
}
const std::string unrecord = "DELETE FROM radd.skipped_events WHERE error = 'planted'";
const std::string undeliver = "DELETE FROM radd.deliveries WHERE lane = 'planted'";

std::vector<Corruption> corruptions() {
    const std::string doer = " chores.doer";
    return {
        {set_doer("handled_count = handled_count + 1"),
         set_doer("handled_count = handled_count - 1"),
         {"receipt_count" + doer}},
        {set_doer("handled_hash = handled_hash # 1"),
         set_doer("handled_hash = handled_hash # 1"),
         {"receipt_hash" + doer}},
        {"DELETE FROM radd.events WHERE id = 2",
         "INSERT INTO radd.events OVERRIDING SYSTEM VALUE SELECT * FROM kept",
         {"receipt_count" + doer}},
        {"INSERT INTO radd.events (id, event_type, entity_type, entity_id) OVERRIDING SYSTEM VALUE"
         " VALUES (7, 'chores.asked', 'chore', '7');" +
             set_doer("cursor = 8, handled_count = 6, handled_hash = handled_hash + 1"),
         "DELETE FROM radd.events WHERE id = 7;" +
             set_doer("cursor = 6, handled_count = 5, handled_hash = handled_hash - 1"),
         {"receipt_count" + doer}},
        {set_doer("cursor = 1000"), set_doer("cursor = 6"), {"cursor_beyond_head" + doer}},
        {set_doer("seeded_at = 7"), set_doer("seeded_at = 0"), {"cursor_before_seed" + doer}},
        {set_doer("cursor = 7"), set_doer("cursor = 6"), {"cursor_without_event" + doer}},
        {set_doer("owner = 'dead:1:a', lease_until = now() - interval '1 hour'"),
         set_doer("owner = NULL, lease_until = '-infinity'"),
         {"lease_orphan" + doer}},
        {set_doer("lease_until = now() + interval '1 hour'"),
         set_doer("lease_until = '-infinity'"),
         {"lease_without_owner" + doer}},
        {record("chores.gone", "2", "plan"), unrecord, {"skip_without_consumer chores.gone"}},
        {record("chores.doer", "8", "plan"), unrecord, {"skip_beyond_cursor" + doer}},
        {record("chores.doer", "7", "deliver"), unrecord, {"skip_without_event" + doer}},
        {"UPDATE radd.skipped_events SET event = jsonb_set(event, '{payload,do}', '\"note\"')",
         "UPDATE radd.skipped_events SET event = jsonb_set(event, '{payload,do}', '\"throw\"')",
         {"skip_copy_differs" + doer}},
        {delivery("7", "NULL"), undeliver, {"delivery_without_event chores.sent"}},
        {"UPDATE radd.deliveries SET state = 'delivered', finished_at = now()",
         "UPDATE radd.deliveries SET state = 'pending', finished_at = NULL",
         {"delivery_state chores.sent"}},
        {"UPDATE radd.deliveries SET claimed_until = now()",
         "UPDATE radd.deliveries SET claimed_until = NULL",
         {"delivery_state chores.sent"}},
        {delivery("8", "1"), undeliver, {"delivery_replay chores.sent"}},
        {"SELECT setval('radd.events_id_seq', 6)",
         "SELECT setval('radd.events_id_seq', 8)",
         {"sequence_set_back stream"}},
        {"UPDATE radd.stream SET settled = settled + 1000",
         "UPDATE radd.stream SET settled = settled - 1000",
         {"settled_beyond_head stream"}},
    };
}

bool names_check(const Corruption& corruption, std::string_view check) {
    return std::ranges::any_of(corruption.found, [&](const std::string& found) {
        return found.substr(0, found.find(' ')) == check;
    });
}

}  // namespace

TEST_SUITE("radd verify") {
    // P12
    TEST_CASE_FIXTURE(Planted, "names each kind of corruption and nothing else") {
        CHECK(found().empty());
        for (const auto& corruption : corruptions()) {
            CAPTURE(corruption.plant);
            execute(corruption.plant);
            CHECK(found() == corruption.found);
            execute(corruption.undo);
        }
        CHECK(found().empty());
        for (const auto* check : radd::verify::all_checks) {
            CAPTURE(check->name);
            CHECK(std::ranges::any_of(
                corruptions(), [&](const auto& one) { return names_check(one, check->name); }));
        }
    }

    TEST_CASE_FIXTURE(Planted, "tells a person what is wrong and what to do") {
        const auto sound = must({"verify"});
        CHECK(contains(sound.out, "each once"));
        CHECK(
            contains(sound.err, "6 events, 1 skipped and 1 deliveries were read: all as promised"));

        execute(set_doer("handled_count = 6"));
        execute(delivery("7", "NULL"));
        const auto unsound = run({"verify"});
        CHECK(unsound.code == exit_found);
        CHECK(contains(unsound.out, "contradicted"));
        CHECK(contains(unsound.out, "receipt_count: chores.doer: "));
        CHECK(contains(unsound.out, ": 6 instead of 5"));
        CHECK(contains(unsound.out, "`radd consumers seek chores.doer beginning`"));
        CHECK(contains(unsound.out, "delivery_without_event: chores.sent: "));
        CHECK(contains(unsound.out, ": 1 row, ids 2\n"));
        CHECK(contains(unsound.err, "2 found"));
    }

    TEST_CASE_FIXTURE(Planted, "finds the same however little it reads at once") {
        execute(record("chores.gone", "2", "plan"));
        execute(record("chores.gone", "3", "plan"));
        std::vector<std::string> readings;
        radd::verify::Verification verification{
            session(),
            [&](const radd::verify::Progress& now) { readings.emplace_back(now.reading); },
            {.events = 2, .rows = 1}};
        const auto report = verification.run();
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].check == &radd::verify::check::skip_without_consumer);
        CHECK(report.findings[0].count == 2);
        const auto doer = std::ranges::find(
            report.consumers, "chores.doer", [](const auto& one) { return one.name; });
        REQUIRE(doer != report.consumers.end());
        CHECK(doer->verdict == "each once");
        CHECK(doer->expected == 5);
        CHECK(doer->skipped == 1);
        CHECK(std::ranges::count(readings, "events") == 3);
        CHECK(std::ranges::count(readings, "skipped events") == 4);
    }

    TEST_CASE_FIXTURE(Planted, "says what cannot be proven after a partition is dropped") {
        execute("SELECT setval('radd.events_id_seq', 10000000)");
        ask(3);
        execute(
            "ALTER TABLE radd.events DETACH PARTITION radd.events_from_0;"
            "INSERT INTO radd.consumers (name, plugin, cursor, seeded_at) VALUES"
            " ('chores.later', 'chores', 10000001, 10000001)");
        const auto ran = must({"verify"});
        CHECK(contains(ran.err, "events below 10000000 are gone"));
        CHECK(proof("chores.doer").at("verdict") == "unproven");
        CHECK(proof("chores.later").at("verdict") == "each once");
    }

    // P15, P36
    TEST_CASE_FIXTURE(Scene, "has nothing to say about a host at work") {
        const auto host = serve();
        std::atomic<bool> is_over{false};
        std::vector<std::thread> writers;
        for (int i = 0; i < 3; ++i) {
            writers.emplace_back([&] {
                radd::db::Session writer{options()};
                while (!is_over) writer.query(ask_many, 10);
            });
        }
        for (int i = 0; i < 8; ++i) {
            if (i == 3) must({"consumers", "retry", "chores.doer", "--all"});
            if (i == 5) must({"consumers", "seek", "chores.doer", "beginning", "--yes"});
            const auto ran = run({"verify"});
            CHECK_MESSAGE(ran.code == 0, ran.out << ran.err);
        }
        is_over = true;
        for (auto& writer : writers) writer.join();
        REQUIRE(eventually([&] { return is_settled(); }, std::chrono::minutes{2}));
        const auto doer = proof("chores.doer");
        CHECK(doer.at("verdict") == "each once");
        CHECK(doer.at("skipped") > 0);
    }
}
