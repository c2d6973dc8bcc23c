// Payload structs as JSON and back, and events held to their contracts.

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include <radd/typed_event.hpp>

using radd::Event;
using radd::json;
using radd::NewEvent;
using radd::NewEventOf;
using radd::payload_of;

namespace {

enum class Thing { order, person };
consteval auto entity_names(Thing) {
    return std::array{radd::Named{Thing::order, "order"}, radd::Named{Thing::person, "person"}};
}

enum class Shop { opened, paid, moved };
consteval auto event_names(Shop) {
    return std::array{radd::Named{Shop::opened, "shop.opened"},
                      radd::Named{Shop::paid, "shop.paid"},
                      radd::Named{Shop::moved, "shop.moved"}};
}

struct Price {
    double amount = 0;
    std::string currency{};

    static consteval auto fields() {
        return std::tuple{radd::field("amount", &Price::amount).between(0, 1000),
                          radd::field("currency", &Price::currency).one_of({"EUR", "CHF"})};
    }
};

struct Payment {
    std::int32_t terminal = 0;
    bool by_card = false;
    Price price{};
    std::optional<std::string> note{};
    std::optional<std::int64_t> refund_of{};
    std::vector<std::uint8_t> slots{};
    json raw{};

    static consteval auto fields() {
        return std::tuple{radd::field("terminal", &Payment::terminal, "Where it was paid"),
                          radd::field("by_card", &Payment::by_card),
                          radd::field("price", &Payment::price),
                          radd::field("note", &Payment::note),
                          radd::field("refund_of", &Payment::refund_of).or_null(),
                          radd::field("slots", &Payment::slots),
                          radd::field("raw", &Payment::raw)};
    }
};

struct Move {
    std::string shelf{};
    std::int64_t row = 0;

    static constexpr std::int32_t version = 3;
    static consteval auto fields() {
        return std::tuple{radd::field("shelf", &Move::shelf), radd::field("row", &Move::row)};
    }
    // Version 1 had `rack`; version 2 called it `shelf`; version 3 has a row.
    static void upcast(json& payload, std::int32_t from) {
        if (from == 1) {
            payload["shelf"] = payload.at("rack");
            payload.erase("rack");
        }
        if (from == 2) payload["row"] = 1;
    }
};

consteval auto event_contracts(Shop) {
    return radd::Contracts{
        radd::Contract<Shop::opened>{.entity_type = Thing::order},
        radd::Contract<Shop::paid, Payment>{
            .entity_type = Thing::order, .subjects = {Thing::person}, .aliases = {"shop.settled"}},
        radd::Contract<Shop::moved, Move>{.entity_type = Thing::order, .has_changes = true},
    };
}

Payment a_payment() {
    return {.terminal = 7,
            .by_card = true,
            .price = {.amount = 2.5, .currency = "EUR"},
            .note = "cold",
            .slots = {3, 255},
            .raw = {{"any", 1}}};
}

Event row(const std::string& type, const json& payload) {
    Event event;
    event.id = 41;
    event.type = type;
    event.payload_text = payload.dump();
    return event;
}

/// What reading a payment from `payload` is refused with, or "".
std::string refusal(const json& payload, const std::string& type = "shop.paid") {
    try {
        (void)payload_of<Shop::paid>(row(type, payload));
        return "";
    } catch (const radd::SchemaError& error) {
        return error.what();
    }
}

json stored(const NewEvent& event) {
    return json::parse(event.payload.text());
}

}  // namespace

TEST_SUITE("payload") {
    TEST_CASE("a struct is stored under the names of its fields and read back") {
        const NewEvent event = NewEventOf<Shop::paid>{
            .entity_id = 5, .subjects = {{Thing::person, "ada"}}, .payload = a_payment()};

        CHECK(stored(event) == json{{"terminal", 7},
                                    {"by_card", true},
                                    {"price", {{"amount", 2.5}, {"currency", "EUR"}}},
                                    {"note", "cold"},
                                    {"refund_of", nullptr},
                                    {"slots", {3, 255}},
                                    {"raw", {{"any", 1}}}});
        CHECK(event.type == radd::EventType{Shop::paid});
        CHECK(event.entity == radd::EntityType{Thing::order});
        CHECK(event.subjects.front().entity == radd::EntityType{Thing::person});
        const auto read = payload_of<Shop::paid>(row("shop.paid", stored(event)));
        CHECK(read.price.amount == 2.5);
        CHECK(read.note == "cold");
        CHECK(read.slots == std::vector<std::uint8_t>{3, 255});
        CHECK_FALSE(read.refund_of.has_value());
        CHECK(read.raw == json{{"any", 1}});
    }

    TEST_CASE("an empty optional is left out or null as the field says") {
        auto payment = a_payment();
        payment.note.reset();
        const NewEvent event = NewEventOf<Shop::paid>{.entity_id = 5, .payload = payment};

        CHECK_FALSE(stored(event).contains("note"));
        CHECK(stored(event).at("refund_of").is_null());
        CHECK(refusal(stored(event)).empty());
    }

    TEST_CASE("a value outside of its field is refused where the event is made") {
        auto payment = a_payment();
        payment.price.amount = 1000.5;
        CHECK_THROWS_WITH_AS((void)(NewEventOf<Shop::paid>{.entity_id = 5, .payload = payment}),
                             "payload.price.amount: 1000.500000 is outside 0..1000",
                             radd::InvalidInput);
        payment.price = {.amount = 1, .currency = "USD"};
        CHECK_THROWS_WITH_AS((void)(NewEventOf<Shop::paid>{.entity_id = 5, .payload = payment}),
                             "payload.price.currency: is none of EUR, CHF",
                             radd::InvalidInput);
        payment.price = {.amount = std::numeric_limits<double>::quiet_NaN(), .currency = "EUR"};
        CHECK_THROWS_AS((void)(NewEventOf<Shop::paid>{.entity_id = 5, .payload = payment}),
                        radd::InvalidInput);
        payment.price.amount = 1000;
        CHECK_NOTHROW((void)(NewEventOf<Shop::paid>{.entity_id = 5, .payload = payment}));
    }

    TEST_CASE(
        "a row that does not fit is refused by event and field and kind and without its text") {
        const json good = stored(NewEventOf<Shop::paid>{.entity_id = 5, .payload = a_payment()});
        const auto with = [&](const char* pointer, json value) {
            json changed = good;
            changed[json::json_pointer{pointer}] = std::move(value);
            return refusal(changed);
        };

        CHECK(with("/terminal", "secret") ==
              "event 41: shop.paid: payload.terminal: is a text, expected was a whole number of "
              "32 bits");
        CHECK(with("/terminal", 2147483648) ==
              "event 41: shop.paid: payload.terminal: is 2147483648, expected was a whole number "
              "of 32 bits");
        CHECK(with("/terminal", 7.0) != "");
        CHECK(with("/terminal", 2147483647).empty());
        CHECK(with("/slots/1", -1) ==
              "event 41: shop.paid: payload.slots[1]: is -1, expected was a whole number of 8 "
              "bits");
        CHECK(with("/price", json::array()) ==
              "event 41: shop.paid: payload.price: is a list, expected was an object");
        CHECK(with("/price/amount", 1001) ==
              "event 41: shop.paid: payload.price.amount: 1001.000000 is outside 0..1000");
        CHECK(with("/by_card", 1) != "");
        CHECK(with("/note", nullptr).empty());
        CHECK(with("/more", "from a later build").empty());
        auto less = good;
        less.erase("by_card");
        CHECK(refusal(less) == "event 41: shop.paid: payload.by_card: is missing");
    }

    TEST_CASE("a row of another type is refused and one under an old name is read") {
        const json good = stored(NewEventOf<Shop::paid>{.entity_id = 5, .payload = a_payment()});

        CHECK(refusal(good, "shop.opened") ==
              "event 41: is shop.opened and was read as shop.paid; ask is() first");
        CHECK(refusal(good, "shop.settled").empty());
    }

    TEST_CASE("a row of an earlier version is read as the present one") {
        for (const json& old : {json{{"rack", "A"}},
                                json{{"shelf", "A"}, {"row", 1}, {"payload_version", 3}},
                                json{{"shelf", "A"}, {"payload_version", 2}}}) {
            const auto move = payload_of<Shop::moved>(row("shop.moved", old));
            CHECK(move.shelf == "A");
            CHECK(move.row == 1);
        }
    }

    TEST_CASE("a version that nobody has written yet is refused") {
        for (const json& version :
             {json{4}, json{0}, json{"3"}, json{1e300}, json{-1}, json{4294967297}}) {
            const Event event = row("shop.moved", {{"payload_version", version.front()}});
            CHECK_THROWS_AS((void)payload_of<Shop::moved>(event), radd::SchemaError);
        }
        CHECK_THROWS_WITH(
            (void)payload_of<Shop::moved>(row("shop.moved", {{"payload_version", 4}})),
            "event 41: shop.moved: payload.payload_version: is 4, and this build "
            "knows 1 to 3; a later one wrote it");
    }

    TEST_CASE("an earlier version that upcast() cannot read is refused") {
        CHECK_THROWS_AS((void)payload_of<Shop::moved>(row("shop.moved", {{"crate", "A"}})),
                        radd::SchemaError);
    }

    TEST_CASE("a later version says which it is") {
        const NewEvent event =
            NewEventOf<Shop::moved>{.entity_id = 5,
                                    .payload = Move{.shelf = "A", .row = 2},
                                    .changes = std::vector{radd::change("shelf", "B", "A")}};

        CHECK(stored(event) == json{{"shelf", "A"}, {"row", 2}, {"payload_version", 3}});
        CHECK(event.changes->size() == 1);
    }
}

TEST_SUITE("spec of an event with a contract") {
    TEST_CASE("says what the contract says and the schema of the struct") {
        const auto spec = radd::event_spec<Shop::paid>({.label = "Paid", .group = "Shop"});

        CHECK(spec.label == "Paid");
        CHECK(spec.entity_type == radd::EntityType{Thing::order});
        CHECK(spec.subjects.size() == 1);
        CHECK_FALSE(spec.has_changes);
        CHECK(spec.aliases == std::vector<std::string>{"shop.settled"});
        CHECK(json::parse(spec.payload_schema->text()) == json::parse(R"json({
            "type": "object",
            "properties": {
                "terminal": {"type": "integer", "description": "Where it was paid"},
                "by_card": {"type": "boolean"},
                "price": {
                    "type": "object",
                    "properties": {
                        "amount": {"type": "number", "minimum": 0, "maximum": 1000},
                        "currency": {"type": "string", "enum": ["EUR", "CHF"]}
                    },
                    "required": ["amount", "currency"]
                },
                "note": {"type": "string"},
                "refund_of": {"type": ["integer", "null"]},
                "slots": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                "raw": {}
            },
            "required": ["terminal", "by_card", "price", "refund_of", "slots", "raw"]
        })json"));
    }

    TEST_CASE("says which version its payload is of") {
        const auto spec = radd::event_spec<Shop::moved>({.label = "Moved"});

        CHECK(spec.has_changes);
        CHECK(json::parse(spec.payload_schema->text()).at("properties").at("payload_version") ==
              json{{"const", 3}});
    }

    TEST_CASE("has no schema where nothing is carried") {
        const auto spec = radd::event_spec<Shop::opened>({.label = "Opened"});

        CHECK_FALSE(spec.payload_schema.has_value());
        CHECK(stored(NewEventOf<Shop::opened>{.entity_id = 5}) == json::object());
    }
}
