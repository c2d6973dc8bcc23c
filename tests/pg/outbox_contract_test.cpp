// What is emitted by a contract, of an event whose spec was written by hand beside it.

#include <string>

#include <doctest/doctest.h>

#include <radd/typed_event.hpp>
#include <tests/pg/outbox_bench.hpp>

using radd::EventTypeSpec;
using radd::NewEvent;
using radd::NewEventOf;
using radd::testing::OutboxBench;
using radd::testing::ProbeEntity;

namespace {

enum class Shelf { filled, moved };
consteval auto event_names(Shelf) {
    return std::array{radd::Named{Shelf::filled, "shelf.filled"},
                      radd::Named{Shelf::moved, "shelf.moved"}};
}
consteval auto event_contracts(Shelf) {
    return radd::Contracts{
        radd::Contract<Shelf::filled>{.entity_type = ProbeEntity::note},
        radd::Contract<Shelf::moved>{.entity_type = ProbeEntity::note, .has_changes = true},
    };
}

struct Scene : OutboxBench {
    /// What emit() says of `event` while `spec` declares it; empty: it was stored.
    std::string refusal(const EventTypeSpec& spec, const NewEvent& event) {
        catalog.add(spec, "probe");
        try {
            db.transact([&](radd::Transaction& tx) { tx.emit(event); });
        } catch (const radd::InvalidInput& error) {
            CHECK(stored_ids().empty());
            return error.what();
        }
        return "";
    }
};

}  // namespace

TEST_SUITE("emit by a contract") {
    TEST_CASE_FIXTURE(Scene, "is refused where the spec names another entity") {
        const EventTypeSpec spec{.type = Shelf::filled,
                                 .label = "Filled",
                                 .entity_type = radd::EntityType{ProbeEntity::thing}};

        CHECK(refusal(spec, NewEventOf<Shelf::filled>{.entity_id = 7}) ==
              "entity: is note, but shelf.filled is declared to be about thing");
    }

    TEST_CASE_FIXTURE(Scene, "is refused where the spec alone asks for changes") {
        const EventTypeSpec spec{.type = Shelf::filled, .label = "Filled", .has_changes = true};

        CHECK(refusal(spec, NewEventOf<Shelf::filled>{.entity_id = 7}) ==
              "changes: is missing, and shelf.filled is declared with has_changes; an empty list "
              "says that nothing visible changed");
    }

    TEST_CASE_FIXTURE(Scene, "keeps changes that the spec says nothing of") {
        const EventTypeSpec spec{.type = Shelf::moved, .label = "Moved"};

        const NewEventOf<Shelf::moved> moved{.entity_id = 7,
                                             .changes = std::vector{radd::change("row", 1, 2)}};

        CHECK(refusal(spec, moved).empty());
        CHECK(last("changes") == R"([{"to": 2, "from": 1, "field": "row"}])");
    }
}
