#pragma once

/// Any bytes as a payload and as a value of a change: what is accepted is JSON to everybody else
/// too, and writing the refs into it leaves every one of its bytes alone.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/outbox/emitter.hpp>
#include <host/outbox/json_check.hpp>
#include <items/events.hpp>
#include <radd/testing/services.hpp>
#include <radd/testing/transaction.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

/// A number that no double holds, and one that a double writes otherwise.
inline constexpr const char* exact_ref = R"({"id":"7","big":9007199254740993,"price":1.10})";

inline std::optional<radd::outbox::JsonFacts> facts_of(std::string_view text) {
    try {
        return radd::outbox::check_json("payload", text);
    } catch (const radd::InvalidInput& error) {
        require(error.field() == "payload", "a refusal names the field");
        return std::nullopt;
    }
}

inline void check_facts(const radd::outbox::JsonFacts& facts, const radd::json& document) {
    using radd::outbox::JsonKind;
    const auto kind = document.is_object()  ? JsonKind::object
                      : document.is_array() ? JsonKind::array
                                            : JsonKind::other;
    require(facts.kind == kind, "the kind is what the parser sees");
    std::set<std::string> keys;
    for (const auto& item : document.items()) {
        if (document.is_object()) keys.insert(item.key());
    }
    require(keys == std::set<std::string>(facts.keys.begin(), facts.keys.end()),
            "the keys are those that the parser sees");
}

/// The row for an item whose payload, and whose change from 0, is `text`. Empty: refused.
inline std::optional<radd::outbox::EventRow> emitted(const std::string& text) {
    const radd::EventTypeSpec type{
        .type = items::ItemEvent::updated, .label = "Updated", .has_changes = true};
    const radd::EntityRefSpec item{.entity_type = items::ItemEntity::item,
                                   .label = "Item",
                                   .ref = [](radd::Transaction&, std::span<const std::string> ids) {
                                       return std::vector<std::optional<radd::JsonText>>(ids.size(),
                                                                                         exact_ref);
                                   }};
    radd::outbox::Catalog catalog;
    catalog.add(type, "items");
    catalog.add(item, "items");
    radd::testing::FakeTransaction tx;
    radd::testing::FakeLog log;
    radd::outbox::Emitter emitter{catalog, {}, log};
    const radd::NewEvent event{.type = items::ItemEvent::updated,
                               .entity = items::ItemEntity::item,
                               .entity_id = 7,
                               .payload = radd::JsonText{text},
                               .changes = std::vector<radd::Change>{
                                   {.field = "f", .from = radd::JsonText{text}, .to = "0"}}};
    try {
        return emitter.prepare(tx, std::span{&event, 1}).front();
    } catch (const radd::InvalidInput& error) {
        require(!error.field().empty(), "a refusal names a field");
        return std::nullopt;
    }
}

inline void check_row(const radd::outbox::EventRow& row, const std::string& text) {
    require(row.payload.ends_with(text.substr(text.find('{') + 1)), "the payload is kept");
    auto merged = radd::json::parse(row.payload);
    require(merged.at("item") == radd::json::parse(exact_ref), "the ref is in the payload");
    require(row.payload.find(exact_ref) != std::string::npos, "the numbers of a ref are kept");
    merged.erase("item");
    require(merged == radd::json::parse(text), "nothing else is in the payload");

    require(row.changes->find("\"from\":" + text + ",") != std::string::npos,
            "the numbers of a change are kept");
    require(radd::json::parse(*row.changes).at(0).at("from") == radd::json::parse(text),
            "a change is what was given");
}

inline void check_payload(std::string_view input) {
    const std::string text{input};
    const auto facts = facts_of(text);
    if (facts) {
        require(radd::json::accept(text), "what is accepted is JSON");
        check_facts(*facts, radd::json::parse(text));
    }
    const auto row = emitted(text);
    require(!row || facts, "what is emitted was accepted");
    if (row) check_row(*row, text);
}

}  // namespace fuzz
