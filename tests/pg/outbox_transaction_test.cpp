#include <string>

#include <doctest/doctest.h>

#include <host/db/errors.hpp>
#include <radd/rehearsal.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

constexpr Sql insert_thing = "INSERT INTO things VALUES ($1, 'a thing')";

std::string stored_entities(OutboxBench& bench) {
    return bench.database.value(
        "SELECT coalesce(string_agg(entity_id, ',' ORDER BY id), '') FROM radd.events");
}
std::string things(OutboxBench& bench) {
    return bench.database.value(
        "SELECT coalesce(string_agg(id::text, ',' ORDER BY id), '') "
        "FROM things");
}

/// Makes PostgreSQL refuse rows about `bad`.
void refuse_bad(OutboxBench& bench) {
    bench.database.execute(
        "ALTER TABLE radd.events ADD CONSTRAINT not_bad CHECK (entity_id <> 'bad')");
}

}  // namespace

TEST_SUITE("outbox transaction") {
    TEST_CASE_FIXTURE(OutboxBench, "work without a statement opens no session") {
        auto tx = transaction();
        tx.begin_event();
        tx.end_event();
        tx.commit();

        CHECK_FALSE(tx.touched_sql());
        CHECK(pool.leased() == 0);
    }

    TEST_CASE_FIXTURE(OutboxBench, "an undone event takes its rows and events and nothing else") {
        auto tx = transaction();
        for (const int id : {1, 2, 3}) {
            tx.begin_event();
            tx.query(insert_thing, id);
            tx.emit(note(id));
            if (id == 2) {
                tx.undo_event();
            } else {
                tx.end_event();
            }
        }
        CHECK(tx.events_emitted() == 2);
        tx.commit();

        CHECK(things(*this) == "1,3");
        CHECK(stored_entities(*this) == "1,3");
        CHECK(tx.events_emitted() == 0);
    }

    TEST_CASE_FIXTURE(OutboxBench, "the savepoint of a unit of work costs no round trip") {
        db::Pool one{database.options(), 1};
        outbox::OutboxTransaction tx{one, catalog, {}, log, "test"};
        int id = 0;
        const auto trips_of_three = [&] {
            const auto before = one.lease("test")->statements_sent();
            for (int i = 0; i < 3; ++i) {
                tx.begin_event();
                tx.query(insert_thing, ++id);
                tx.end_event();
            }
            tx.commit();
            return one.lease("test")->statements_sent() - before;
        };
        (void)trips_of_three();  // Prepares the statement.

        CHECK(trips_of_three() == 1 + 3 + 1);
        CHECK(things(*this) == "1,2,3,4,5,6");
    }

    // P05 A and B
    TEST_CASE_FIXTURE(OutboxBench, "a swallowed error is seen and undone alone") {
        auto tx = transaction();
        tx.begin_event();
        tx.query(insert_thing, 1);
        tx.end_event();
        tx.begin_event();
        CHECK_THROWS_AS(tx.query(insert_thing, 1), SqlError);
        CHECK(tx.failed());
        CHECK_THROWS_AS(tx.end_event(), SqlError);
        tx.undo_event();
        CHECK_FALSE(tx.failed());
        tx.begin_event();
        tx.query(insert_thing, 3);
        tx.end_event();
        tx.commit();

        CHECK(things(*this) == "1,3");
    }

    // P05 C
    TEST_CASE_FIXTURE(OutboxBench, "a plugin cannot end the transaction or cut across it") {
        auto tx = transaction();
        tx.query(insert_thing, 1);
        CHECK_THROWS_AS(tx.query("COMMIT"), InvalidInput);
        CHECK_THROWS_AS(tx.query("  rollback"), InvalidInput);
        CHECK_THROWS_AS(tx.query("/* x */ COMMIT AND CHAIN"), InvalidInput);
        CHECK_THROWS_AS(tx.query("ROLLBACK TO SAVEPOINT radd_0"), InvalidInput);
        CHECK_THROWS_AS(tx.query("SAVEPOINT mine"), InvalidInput);
        CHECK_THROWS_AS(tx.query("-- x\n RELEASE mine"), InvalidInput);
        CHECK_THROWS_AS(tx.query("SET statement_timeout = 0"), InvalidInput);
        tx.query(insert_thing, 2);
        tx.rollback();

        CHECK(things(*this).empty());
    }

    TEST_CASE_FIXTURE(OutboxBench, "a commit of a failed transaction is a failure") {
        auto tx = transaction();
        tx.query(insert_thing, 1);
        CHECK_THROWS_AS(tx.query(insert_thing, 1), SqlError);
        tx.emit(note(1));
        CHECK_THROWS_AS(tx.commit(), db::CommitFailed);

        CHECK(things(*this).empty());
        CHECK(stored_entities(*this).empty());
        CHECK(pool.leased() == 0);
    }

    TEST_CASE_FIXTURE(OutboxBench, "a refused event is undone inside its savepoint") {
        refuse_bad(*this);
        auto tx = transaction();
        for (const char* id : {"good", "bad", "better"}) {
            tx.begin_event();
            tx.query("SELECT 1");
            tx.emit(note(id));
            if (std::string{id} == "bad") {
                CHECK_THROWS_AS(tx.end_event(), SqlError);
                tx.undo_event();
            } else {
                tx.end_event();
            }
        }
        tx.commit();

        CHECK(stored_entities(*this) == "good,better");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a refusal among loose events asks for one at a time") {
        refuse_bad(*this);
        auto tx = transaction();
        for (const char* id : {"good", "bad"}) {
            tx.begin_event();
            tx.emit(note(id));
            tx.end_event();
        }
        CHECK_THROWS_AS(tx.commit(), outbox::BufferedFlushFailed);
        CHECK(stored_entities(*this).empty());

        tx.begin_event();
        tx.emit(note("bad"));
        tx.end_event();
        CHECK_THROWS_AS(tx.commit(), SqlError);
    }

    TEST_CASE_FIXTURE(OutboxBench, "loose events go before the next savepoint and never into it") {
        auto tx = transaction();
        tx.begin_event();
        tx.emit(note("loose"));
        tx.end_event();
        tx.begin_event();
        tx.query(insert_thing, 1);
        tx.emit(note("undone"));
        tx.flush_events();
        tx.undo_event();
        tx.begin_event();
        tx.emit(note("last"));
        tx.end_event();
        tx.commit();

        CHECK(stored_entities(*this) == "loose,last");
        CHECK(things(*this).empty());
    }

    TEST_CASE_FIXTURE(OutboxBench, "a loose refusal met by a later event loses the batch loudly") {
        refuse_bad(*this);
        auto tx = transaction();
        tx.begin_event();
        tx.emit(note("bad"));
        tx.end_event();
        tx.begin_event();
        CHECK_THROWS_AS(tx.query("SELECT 1"), SqlError);
        CHECK_THROWS_AS(tx.end_event(), outbox::BufferedFlushFailed);
        CHECK_THROWS_AS(tx.undo_event(), outbox::BufferedFlushFailed);
        tx.rollback();

        tx.emit(note("fine"));
        tx.commit();
        CHECK(stored_entities(*this) == "fine");
    }

    TEST_CASE_FIXTURE(OutboxBench, "nested savepoints drop their own events") {
        db.transact([&](Transaction& tx) {
            tx.emit(note("a"));
            tx.in_savepoint([&] {
                tx.emit(note("b"));
                CHECK_THROWS(tx.in_savepoint([&] {
                    tx.emit(note("c"));
                    tx.flush_events();
                    throw std::runtime_error{"no"};
                }));
                tx.emit(note("d"));
            });
            CHECK_THROWS(tx.in_savepoint([&] {
                tx.query(insert_thing, 1);
                tx.emit(note("e"));
                throw std::runtime_error{"no"};
            }));
            tx.emit(note("f"));
        });

        CHECK(stored_entities(*this) == "a,b,d,f");
        CHECK(things(*this).empty());
    }

    TEST_CASE_FIXTURE(OutboxBench, "savepoints nest sixteen deep and no deeper") {
        db.transact([&](Transaction& tx) {
            std::size_t reached = 0;
            const auto dig = [&](auto&& self) -> void {
                tx.in_savepoint([&] {
                    tx.query("SELECT 1");
                    ++reached;
                    self(self);
                });
            };
            CHECK_THROWS_AS(dig(dig), InvalidInput);
            CHECK(reached == outbox::OutboxTransaction::savepoints_max);
            tx.emit(note("after"));
        });

        CHECK(stored_entities(*this) == "after");
    }

    TEST_CASE_FIXTURE(OutboxBench, "the buffer is bounded and order is kept across early writes") {
        const std::string large = R"({"a":")" + std::string(200'000, 'x') + R"("})";
        db.transact([&](Transaction& tx) {
            for (int i = 1; i <= 60; ++i) {
                auto event = note(i);
                event.payload = large;
                tx.emit(event);
            }
            CHECK(tx.query_one("SELECT count(*) AS n FROM radd.events")->integer("n") > 0);
        });

        CHECK(database.value("SELECT count(*) FROM radd.events WHERE entity_id = id::text") ==
              "60");
    }

    // P06
    TEST_CASE_FIXTURE(OutboxBench, "a rehearsal draws no id however much it emits") {
        auto tx = transaction();
        {
            const Rehearsal rehearsal;
            tx.query(insert_thing, 1);
            tx.emit(note(1));
            tx.flush_events();
            CHECK_THROWS_AS(tx.emit(NewEvent{.type = ProbeEvent::happened,
                                             .entity = ProbeEntity::note,
                                             .entity_id = 1,
                                             .payload = JsonText{json::array()}}),
                            InvalidInput);
        }

        CHECK(database.value("SELECT is_called::text FROM radd.events_id_seq") == "false");
        CHECK_THROWS_WITH_AS(
            tx.commit(), "transaction: it was a rehearsal; end it by an exception", Error);
        CHECK(things(*this).empty());
        tx.emit(note(2));
        tx.commit();
        CHECK(stored_entities(*this) == "2");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a lost connection ends the whole unit of work") {
        auto tx = transaction();
        tx.begin_event();
        tx.query(insert_thing, 1);
        tx.emit(note(1));
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()");
        CHECK_THROWS_AS(tx.end_event(), Unavailable);
        CHECK_THROWS_AS(tx.query(insert_thing, 2), Unavailable);
        CHECK_THROWS_AS(tx.undo_event(), Unavailable);
        tx.rollback();

        tx.query(insert_thing, 3);
        tx.emit(note(3));
        tx.commit();
        CHECK(things(*this) == "3");
        CHECK(stored_entities(*this) == "3");
    }
}
