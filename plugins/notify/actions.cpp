#include "actions.hpp"

#include <string>
#include <utility>

#include "item_ids.hpp"
#include "kinds.hpp"
#include "notices.hpp"
#include "watches.hpp"
#include <items/events.hpp>
#include <items/service.hpp>
#include <radd/scopes.hpp>

namespace notify {
namespace {

constexpr const char* arguments_schema = R"json({
    "type": "object",
    "properties": {
        "to": {"type": "string",
               "description": "assignee, reporter or watchers of the item, or a person's id"},
        "text": {"type": "string", "minLength": 1, "maxLength": 1000,
                 "description": "What they are told"}
    },
    "required": ["to", "text"],
    "additionalProperties": false
})json";

/// The people whom `to` means, by now.
std::vector<PersonId> people_meant(radd::Transaction& tx,
                                   items::Directory& directory,
                                   const items::Item& item,
                                   const std::string& to) {
    const auto only = [](const std::optional<items::PersonName>& person) {
        return person ? std::vector{person->id} : std::vector<PersonId>{};
    };
    if (to == "assignee") return only(item.assignee);
    if (to == "reporter") return only(item.reporter);
    if (to == "watchers") return watchers_of(tx, item.id);
    if (!is_person_id(to) || !directory.find_person(tx, std::string_view{to}))
        throw radd::InvalidInput{
            "to", "'" + to + "' is neither assignee, reporter, watchers nor the id of a person"};
    return {to};
}

radd::ActionPlan plan(radd::Transaction& tx, radd::Services& host, const radd::ActionCall& call) {
    const auto arguments = radd::json::parse(call.arguments.text());
    const auto to = arguments.at("to").get<std::string>();
    auto& directory = host.get<items::Directory>();
    const auto id = id_in(call.subject_id);
    const auto item = id ? directory.find_item(tx, *id) : std::nullopt;
    if (!item) throw radd::InvalidInput{"subject", "there is no item '" + call.subject_id + "'"};

    const auto people = people_meant(tx, directory, *item, to);
    const auto whom = to == "watchers" ? std::to_string(people.size()) + " watchers" : to;
    return {.summary = "tell " + whom + " of " + item->key,
            .details = radd::json{{"item", item->id},
                                  {"people", people},
                                  {"text", arguments.at("text").get<std::string>()}},
            .has_effect = !people.empty()};
}

void apply(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    const auto details = radd::json::parse(plan.details.text());
    const Kinds kinds{host};
    std::vector<Recipient> recipients;
    for (const auto& person : details.at("people"))
        recipients.push_back({.person = person.get<std::string>(),
                              .kind = std::string{kind::told_by_rule},
                              .defaults = kinds.find(kind::told_by_rule)->defaults});
    // Without an event: several rules may tell one person of the same one.
    Notices{host}.tell(tx,
                       {.item = details.at("item").get<ItemId>(),
                        .actor = std::string{radd::system_actor},
                        .automated = radd::Automated::cause(),
                        .detail = {{"text", details.at("text")}}},
                       recipients);
}

}  // namespace

std::vector<radd::ActionSpec> actions() {
    return {{.name = "notify.person",
             .label = "Tell somebody",
             .subject = radd::EntityType{items::ItemEntity::item},
             .arguments = arguments_schema,
             .plan = plan,
             .apply = apply}};
}

}  // namespace notify
