#include <string>

#include <doctest/doctest.h>

#include <radd/scopes.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

/// The field that emit() complains about; empty if it does not.
std::string refused_field(OutboxBench& bench, const NewEvent& event) {
    try {
        bench.db.transact([&](Transaction& tx) { tx.emit(event); });
        return "";
    } catch (const InvalidInput& error) {
        CHECK(bench.stored_ids().empty());
        return error.field();
    }
}

}  // namespace

TEST_SUITE("emit") {
    TEST_CASE_FIXTURE(OutboxBench, "every field is stored as it was given") {
        const auto occurred = Timestamp{std::chrono::microseconds{1'711'845'000'987'654}};
        db.transact([&](Transaction& tx) {
            tx.emit({.type = ProbeEvent::changed,
                     .entity = ProbeEntity::note,
                     .entity_id = 12,
                     .actor_id = std::string{system_actor},
                     .payload = json{{"score", 5}},
                     .changes = {{change("state", "new", "done"),
                                  hidden_change("secret"),
                                  list_change("tags", {"a"}, json::array())}},
                     .occurred_at = occurred,
                     .project_id = 7,
                     .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
        });

        CHECK(last("event_type") == "probe.changed");
        CHECK(last("entity_type || ' ' || entity_id") == "note 12");
        CHECK(last("actor_id") == system_actor);
        CHECK(last("payload") == R"({"score": 5})");
        CHECK(last("changes") ==
              R"([{"to": "done", "from": "new", "field": "state"}, {"field": "secret"}, )"
              R"({"added": ["a"], "field": "tags", "removed": []}])");
        CHECK(last("project_id") == "7");
        CHECK(last("silent") == "false");
        CHECK(last("automated_cause") == "(null)");
        CHECK(last("to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')") ==
              "2024-03-31 00:30:00.987654");
        CHECK(commits_with_events == 1);
    }

    TEST_CASE_FIXTURE(OutboxBench, "many events of one transaction keep their order and fields") {
        db.transact([&](Transaction& tx) {
            for (int i = 0; i < 2500; ++i) {
                auto event = note("n\"" + std::to_string(i));
                event.payload = R"({"n":9007199254740993,"i":)" + std::to_string(i) + "}";
                if (i % 2 == 0) event.silent = true;
                tx.emit(event);
            }
        });

        CHECK(database.value("SELECT count(*) FROM radd.events") == "2500");
        CHECK(
            database.value("SELECT count(*) FROM radd.events WHERE id - 1 <> (payload->>'i')::int "
                           "OR entity_id <> 'n\"' || (id - 1) OR silent <> ((id - 1) % 2 = 0) "
                           "OR payload->>'n' <> '9007199254740993'") == "0");
        CHECK(commits_with_events == 1);
    }

    // P15 h
    TEST_CASE_FIXTURE(OutboxBench, "a throw takes the row and its event along") {
        CHECK_THROWS_AS(db.transact([&](Transaction& tx) {
            tx.execute("INSERT INTO things VALUES (1, 'one')");
            tx.emit(note(1));
            tx.flush_events();
            throw std::runtime_error{"no"};
        }),
                        std::runtime_error);

        CHECK(database.value("SELECT count(*) FROM things") == "0");
        CHECK(stored_ids().empty());
        CHECK(commits_with_events == 0);
    }

    TEST_CASE_FIXTURE(OutboxBench, "an event is visible inside only after a flush") {
        db.transact([&](Transaction& tx) {
            tx.emit(note(1));
            CHECK(tx.query_one("SELECT count(*) AS n FROM radd.events")->integer("n") == 0);
            tx.flush_events();
            CHECK(tx.query_one("SELECT count(*) AS n FROM radd.events")->integer("n") == 1);
            tx.flush_events();
            tx.emit(note(2));
        });

        CHECK(database.value("SELECT string_agg(entity_id, ',' ORDER BY id) FROM radd.events") ==
              "1,2");
    }

    TEST_CASE_FIXTURE(OutboxBench, "refs of all events cost one query per entity type") {
        database.execute("INSERT INTO things VALUES (1, 'one'), (2, 'two')");
        db.transact([&](Transaction& tx) {
            std::vector<NewEvent> events;
            for (const int id : {1, 2, 3}) {
                events.push_back({.type = ProbeEvent::happened,
                                  .entity = ProbeEntity::thing,
                                  .entity_id = id,
                                  .payload = R"({ "p" : 1.10 })"});
            }
            events.push_back(note(9));
            events.back().subjects = {{ProbeEntity::thing, 2}};
            tx.emit(events);
        });

        CHECK(ref_queries == 1);
        CHECK(database.value("SELECT payload FROM radd.events WHERE id = 1") ==
              R"({"p": 1.10, "thing": {"id": 1, "title": "one"}})");
        CHECK(database.value("SELECT payload FROM radd.events WHERE id = 3") ==
              R"({"p": 1.10, "thing": null})");
        CHECK(database.value("SELECT payload FROM radd.events WHERE id = 4") ==
              R"({"thing": {"id": 2, "title": "two"}})");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a subject nobody describes is an error or its id alone") {
        auto event = note(1);
        event.subjects = {{ProbeEntity::ghost, "g\"1"}};
        db.transact([&](Transaction& tx) { tx.emit(event); });
        CHECK(last("payload") == R"({"ghost": {"id": "g\"1"}})");
        CHECK(log.count(LogLevel::warn, "ghost") == 1);

        auto strict = transaction({.undeclared_subject_is_error = true});
        CHECK_THROWS_AS(strict.emit(event), InvalidInput);
    }

    TEST_CASE_FIXTURE(OutboxBench, "a type nobody declares is refused by name") {
        auto event = note(1);
        event.type = ProbeEvent::undeclared;

        CHECK_THROWS_WITH_AS(db.transact([&](Transaction& tx) { tx.emit(event); }),
                             doctest::Contains("probe.undeclared"),
                             ConfigError);
    }

    // P21, P22, P23
    TEST_CASE_FIXTURE(OutboxBench, "what cannot be kept is refused with its field") {
        const auto with = [&](auto&& alter) {
            auto event = note(1);
            alter(event);
            return refused_field(*this, event);
        };
        CHECK(with([](auto& e) { e.payload = R"({"a":"\u0000"})"; }) == "payload");
        CHECK(with([](auto& e) { e.payload = R"({"a":"\ud83d"})"; }) == "payload");
        CHECK(with([](auto& e) { e.payload = R"({"a":1e400})"; }) == "payload");
        CHECK(with([](auto& e) { e.payload = "[1]"; }) == "payload");
        CHECK(with([](auto& e) { e.entity_id = EntityId{""}; }) == "entity_id");
        CHECK(with([](auto& e) { e.entity_id = EntityId{"a\xff"}; }) == "entity_id");
        CHECK(with([](auto& e) { e.entity_id = EntityId{std::string(201, 'x')}; }) == "entity_id");
        CHECK(with([](auto& e) { e.actor_id = "nobody"; }) == "actor_id");
        CHECK(with([](auto& e) { e.traceparent = std::string(201, 'x'); }) == "traceparent");
        CHECK(with([](auto& e) { e.automated_cause = "a\xff"; }) == "automated_cause");
        CHECK(with([](auto& e) { e.changes = {{Change{.field = "a", .from = "1"}}}; }) ==
              "changes[0]");
        CHECK(with([](auto& e) {
                  e.changes = {{change("a", 1, 2), list_change("b", 1, {})}};
              }) == "changes[1].added");
        CHECK(with([](auto& e) { e.type = ProbeEvent::changed; }) == "changes");
        CHECK(with([](auto& e) {
                  e.subjects = {{ProbeEntity::ghost, 1}};
                  e.payload = R"({"ghost":1})";
              }) == "payload");
        CHECK(with([](auto& e) {
                  e.subjects = {{ProbeEntity::ghost, 1}, {ProbeEntity::ghost, 2}};
              }) == "subjects");
        CHECK(with([](auto& e) { e.occurred_at = Timestamp{std::chrono::days{-800'000}}; }) ==
              "occurred_at");
        CHECK(with([](auto& e) {
                  e.occurred_at =
                      Timestamp{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}};
              }) == "occurred_at");
        CHECK(with([](auto& e) { e.changes = std::vector<Change>{}; }) == "");
    }

    // P23
    TEST_CASE_FIXTURE(OutboxBench, "numbers keep every digit next to a ref") {
        database.execute("INSERT INTO things VALUES (1, 'one')");
        const std::string numbers =
            R"({"n":9007199254740993,"p":1.10,"b":18446744073709551616,"z":-0})";
        db.transact([&](Transaction& tx) {
            auto event = note(1);
            event.subjects = {{ProbeEntity::thing, 1}};
            event.payload = numbers;
            tx.emit(event);
        });

        CHECK(last("payload->>'n'") == "9007199254740993");
        CHECK(last("payload->>'p'") == "1.10");
        CHECK(last("payload->>'b'") == "18446744073709551616");
    }

    // P24
    TEST_CASE_FIXTURE(OutboxBench, "large payloads and long ids are stored up to their limits") {
        std::string emoji;
        for (int i = 0; i < 2000; ++i) emoji += "\xf0\x9f\x98\x80";
        const auto sized = [](std::size_t bytes) {
            return R"({"a":")" + std::string(bytes - 8, 'x') + R"("})";
        };
        for (const auto& payload :
             {sized(7999), sized(8000), R"({"a":")" + emoji + R"("})", sized(payload_bytes_max)}) {
            auto event = note(std::string(200, 'i'));
            event.payload = payload;
            db.transact([&](Transaction& tx) { tx.emit(event); });
        }

        CHECK(database.value("SELECT count(*) FROM radd.events") == "4");
        auto event = note(1);
        event.payload = sized(payload_bytes_max + 1);
        CHECK_THROWS_AS(db.transact([&](Transaction& tx) { tx.emit(event); }), InvalidInput);
    }
}

// P38
TEST_SUITE("scopes") {
    TEST_CASE_FIXTURE(OutboxBench, "a mark is taken when the event is emitted") {
        db.transact([&](Transaction& tx) {
            {
                const Quiet quiet;
                const Quiet inner{false};
                const Automated automated{"rule 7"};
                tx.emit(note("inside"));
                auto loud = note("explicit");
                loud.silent = false;
                loud.automated_cause = "rule 8";
                tx.emit(loud);
            }
            tx.emit(note("after"));
        });

        CHECK(
            database.value("SELECT string_agg(concat_ws(' ', entity_id, silent, automated_cause), "
                           "'; ' ORDER BY id) FROM radd.events") ==
            "inside t rule 7; explicit f rule 8; after f");
    }

    TEST_CASE_FIXTURE(OutboxBench, "triggers and SQL are marked as the thread is and no longer") {
        constexpr Sql emit_in_sql = "SELECT radd.emit('probe.happened', 'note', $1)";
        db.transact([&](Transaction& tx) {
            tx.query(emit_in_sql, "before");
            {
                const Quiet quiet;
                const Automated automated{"rule 7"};
                tx.query(emit_in_sql, "inside");
            }
            tx.query(emit_in_sql, "after");
        });
        db.transact([&](Transaction& tx) { tx.query(emit_in_sql, "next"); });

        CHECK(
            database.value("SELECT string_agg(concat_ws(' ', entity_id, silent, automated_cause), "
                           "'; ' ORDER BY id) FROM radd.events") ==
            "before f; inside t rule 7; after f; next f");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a mark survives the rollback of a savepoint it was set in") {
        db.transact([&](Transaction& tx) {
            const Quiet quiet;
            CHECK_THROWS(tx.in_savepoint([&] {
                tx.execute("INSERT INTO things VALUES (1, 'one')");
                throw std::runtime_error{"no"};
            }));
            tx.query("SELECT radd.emit('probe.happened', 'note', 'x')");
        });

        CHECK(last("silent") == "true");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a failed quiet import leaves the next work loud") {
        CHECK_THROWS(db.transact([&](Transaction& tx) {
            const Quiet quiet;
            tx.emit(note(1));
            throw std::runtime_error{"row 3"};
        }));
        db.transact([&](Transaction& tx) { tx.emit(note(2)); });

        CHECK(last("entity_id || ' ' || silent::text") == "2 false");
    }
}
