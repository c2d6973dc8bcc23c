#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <items/events.hpp>
#include <radd/testing/events.hpp>
#include <radd/testing/transaction.hpp>

using items::ItemEntity;
using items::ItemEvent;
using radd::testing::an_event;
using radd::testing::FakeDatabase;
using radd::testing::FakeTransaction;
using radd::testing::rows;
using radd::testing::Statement;

namespace {

constexpr radd::Sql select_one = "SELECT 1 AS one";
constexpr radd::Sql select_two = "SELECT 2 AS two";

radd::NewEvent an_update(radd::EntityId id) {
    return {.type = ItemEvent::updated, .entity = ItemEntity::item, .entity_id = std::move(id)};
}

std::vector<std::string> ids(const std::vector<radd::NewEvent>& events) {
    std::vector<std::string> found;
    for (const auto& event : events) found.push_back(event.entity_id.text());
    return found;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_SUITE("fake transaction") {
    TEST_CASE("answers are used up in order and each is given once") {
        FakeTransaction tx;
        tx.answer(rows({"one"}, {{"a"}}));
        tx.answer(rows({"one"}, {{"b"}}));

        CHECK(tx.query_one(select_one)->text("one") == "a");
        CHECK(tx.query_one(select_one)->text("one") == "b");
        CHECK_THROWS_WITH_AS(tx.query(select_one),
                             doctest::Contains("SELECT 1 AS one"),
                             radd::testing::UnscriptedStatement);
    }

    TEST_CASE("an unscripted statement is no error that a plugin could handle") {
        FakeTransaction tx;
        bool handled = false;
        try {
            tx.query(select_one);
        } catch (const radd::Error&) {
            handled = true;
        } catch (const std::logic_error&) {}
        CHECK_FALSE(handled);
    }

    TEST_CASE("a handler answers every statement it knows and the latest comes first") {
        FakeTransaction tx;
        tx.when("SELECT", [](const Statement&) { return rows({"x"}, {{"any"}}); });
        tx.when("SELECT 2", [](const Statement&) { return rows({"x"}, {{"two"}}); });

        CHECK(tx.query_one(select_one)->text("x") == "any");
        CHECK(tx.query_one(select_two)->text("x") == "two");
        CHECK(tx.query_one(select_two)->text("x") == "two");
    }

    TEST_CASE("statements are recorded with their parameters as PostgreSQL gets them") {
        FakeTransaction tx;
        tx.answer(std::int64_t{3});

        CHECK(tx.execute("UPDATE t SET a = $1",
                         "text",
                         7,
                         true,
                         1.5,
                         nullptr,
                         std::optional<std::string>{}) == 3);

        REQUIRE(tx.statements().size() == 1);
        CHECK(tx.statements().front().params ==
              std::vector<std::optional<std::string>>{
                  "text", "7", "t", "1.5", std::nullopt, std::nullopt});
        CHECK(tx.count("UPDATE t") == 1);
        CHECK(tx.count("DELETE") == 0);
    }

    TEST_CASE("after an SQL error nothing runs until the savepoint is rolled back") {
        FakeTransaction tx;
        tx.fail(radd::SqlError{"23505", "duplicate key"});
        tx.answer(rows({"one"}, {{"1"}}));

        CHECK_THROWS_AS(tx.in_savepoint([&] {
            CHECK_THROWS_WITH_AS(tx.query(select_one), doctest::Contains("23505"), radd::SqlError);
            CHECK(tx.failed());
            tx.query(select_one);
        }),
                        radd::SqlError);

        CHECK_FALSE(tx.failed());
        CHECK(tx.query_one(select_one)->integer("one") == 1);
    }

    TEST_CASE("an error before a savepoint is not undone with it") {
        FakeTransaction tx;
        tx.fail(radd::SqlError{"23505", "duplicate key"});
        CHECK_THROWS_AS(tx.query(select_one), radd::SqlError);

        CHECK_THROWS_AS(tx.in_savepoint([] {}), radd::SqlError);
        CHECK(tx.failed());
    }

    TEST_CASE("a savepoint that is rolled back takes its events along and no others") {
        FakeTransaction tx;
        tx.emit(an_update(1));
        tx.in_savepoint([&] {
            tx.emit(an_update(2));
            CHECK_THROWS_AS(tx.in_savepoint([&] {
                tx.emit(an_update(3));
                throw radd::Error{"no"};
            }),
                            radd::Error);
        });

        CHECK(ids(tx.emitted()) == Ids{"1", "2"});
        CHECK(tx.savepoints_open() == 0);
    }

    TEST_CASE("scopes mark what is emitted inside and an explicit field beats them") {
        FakeTransaction tx;
        {
            const radd::Quiet quiet;
            const radd::Automated automated{"rule 7"};
            tx.emit(an_update(1));
            auto loud = an_update(2);
            loud.silent = false;
            tx.emit(loud);
        }
        tx.emit(an_update(3));

        CHECK(tx.emitted().at(0).silent == true);
        CHECK(tx.emitted().at(0).automated_cause == "rule 7");
        CHECK(tx.emitted().at(1).silent == false);
        CHECK(tx.emitted().at(2).silent == false);
        CHECK_FALSE(tx.emitted().at(2).automated_cause.has_value());
    }

    TEST_CASE("a payload is held to the limits of emit") {
        FakeTransaction tx;
        const auto emit = [&](radd::JsonText payload) {
            auto event = an_update(1);
            event.payload = std::move(payload);
            tx.emit(event);
        };
        const auto padded = [](std::size_t size) {
            return R"({"a":")" + std::string(size - 8, 'x') + R"("})";
        };

        CHECK_NOTHROW(emit(padded(radd::payload_bytes_max)));
        CHECK_THROWS_AS(emit(padded(radd::payload_bytes_max + 1)), radd::InvalidInput);
        CHECK_THROWS_AS(emit("[]"), radd::InvalidInput);
        CHECK_THROWS_AS(emit("{"), radd::InvalidInput);
        CHECK_THROWS_AS(emit(R"({"item": 1})"), radd::InvalidInput);
    }
}

TEST_SUITE("fake database") {
    TEST_CASE("events are handed on by a commit and dropped by a throw") {
        FakeDatabase database;
        Ids handed_on;
        database.on_commit = [&](const std::vector<radd::NewEvent>& events) {
            for (const auto& id : ids(events)) handed_on.push_back(id);
        };

        database.transact([](radd::Transaction& tx) { tx.emit(an_update(1)); });
        CHECK_THROWS_AS(database.transact([](radd::Transaction& tx) {
            tx.emit(an_update(2));
            throw radd::Error{"no"};
        }),
                        radd::Error);

        CHECK(handed_on == Ids{"1"});
        CHECK(ids(database.committed()) == Ids{"1"});
        CHECK(database.commits() == 1);
        CHECK(database.rollbacks() == 1);
    }

    TEST_CASE("a transaction whose error was swallowed does not commit") {
        FakeDatabase database;
        database.tx().fail(radd::SqlError{"23505", "duplicate key"});

        CHECK_THROWS_AS(database.transact([](radd::Transaction& tx) {
            CHECK_THROWS_AS(tx.query(select_one), radd::SqlError);
        }),
                        radd::SqlError);

        CHECK(database.commits() == 0);
    }
}

TEST_SUITE("an event for tests") {
    TEST_CASE("it is the row that was described") {
        const radd::Event event = an_event{ItemEvent::updated}
                                      .with_id(9)
                                      .about(ItemEntity::item, 42)
                                      .by("someone")
                                      .in_project(7)
                                      .with_payload(radd::json{{"a", 1}})
                                      .changed("title", "old", "new")
                                      .silent()
                                      .caused_by("rule 1");

        CHECK(event.id == 9);
        CHECK(event.is(ItemEvent::updated));
        CHECK(event.about(ItemEntity::item));
        CHECK(event.entity_id == "42");
        CHECK(event.actor_id == "someone");
        CHECK(event.project_id == 7);
        CHECK(event.payload().at("a") == 1);
        CHECK(event.change_of("title")->at("to") == "new");
        CHECK(event.silent);
        CHECK(event.automated_cause == "rule 1");
    }

    TEST_CASE("an emitted event reads back as it was emitted") {
        auto emitted = an_update(42);
        emitted.payload = radd::json{{"a", 1}};
        emitted.changes = {{radd::change("title", "old", "new"),
                            radd::list_change("labels", {"x"}, radd::json::array()),
                            radd::hidden_change("description")}};

        const auto event = radd::testing::stored(emitted, 3);

        CHECK(event.id == 3);
        CHECK(event.payload() == radd::json{{"a", 1}});
        CHECK(event.changes() ==
              radd::json::parse(R"([{"field": "title", "from": "old", "to": "new"},
                                    {"field": "labels", "added": ["x"], "removed": []},
                                    {"field": "description"}])"));
    }
}
