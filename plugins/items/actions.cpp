#include "actions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text.hpp"
#include <items/events.hpp>
#include <items/service.hpp>

namespace items {
namespace {

constexpr std::string_view automation_name = "Automation";

Act as_system() {
    return {.actor = std::string{radd::system_actor}};
}

Item item_of(radd::Transaction& tx, Directory& directory, const std::string& id) {
    auto item = is_id(id) ? directory.find_item(tx, std::stoll(id)) : std::nullopt;
    if (!item) throw radd::InvalidInput{"item", id + " does not exist; it may be deleted"};
    return *std::move(item);
}

std::string person_id(radd::Transaction& tx,
                      Directory& directory,
                      const std::string& field,
                      const std::string& id_or_email) {
    const auto person = directory.find_person(tx, id_or_email);
    if (!person) throw radd::InvalidInput{field, "there is no person '" + id_or_email + "'"};
    return person->id;
}

/// As text, for the plan's sentence: long texts are cut and nothing is "nothing".
std::string shown(const radd::json& value) {
    constexpr std::size_t bytes_max = 60;
    if (value.is_null()) return "nothing";
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    while (end > 0 && continues(end)) --end;  // Not amid a character.
    return text.substr(0, end) + "…";
}

radd::json named(const std::optional<PersonName>& person) {
    return person ? radd::json(person->id) : radd::json();
}

/// What `field` holds now, as set_field takes it.
radd::json field_of(const Item& item, const std::string& field) {
    if (field == "title") return item.title;
    if (field == "description") return item.description;
    if (field == "type") return item.type;
    if (field == "state") return item.state.name;
    if (field == "priority") return item.priority ? radd::json(*item.priority) : radd::json();
    if (field == "assignee") return named(item.assignee);
    if (field == "reporter") return named(item.reporter);
    return item.labels;
}

/// `value` with its names resolved, so that the plan says what will stand there.
radd::json resolved(radd::Transaction& tx,
                    Directory& directory,
                    const std::string& field,
                    radd::json value) {
    const bool is_person = field == "assignee" || field == "reporter";
    if (value.is_null()) {
        if (is_person || field == "priority") return value;
        throw radd::InvalidInput{field, "cannot be empty"};
    }
    if ((field == "labels") != value.is_array())
        throw radd::InvalidInput{field, field == "labels" ? "is a list" : "is a text"};
    if (is_person) return person_id(tx, directory, field, value.get<std::string>());
    if (field == "state") {
        const auto state = directory.find_state(tx, value.get<std::string>());
        if (!state)
            throw radd::InvalidInput{"state", "there is no '" + value.get<std::string>() + "'"};
        return state->name;
    }
    if (field == "labels") {
        auto labels = value.get<std::vector<std::string>>();
        std::ranges::sort(labels);
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        return labels;
    }
    return value;
}

std::optional<std::string> text_or_nothing(const radd::json& value) {
    return value.is_null() ? std::nullopt : std::optional{value.get<std::string>()};
}

ItemPatch patch_of(const std::string& field, const radd::json& value) {
    ItemPatch patch;
    if (field == "title") patch.title = value.get<std::string>();
    if (field == "description") patch.description = value.get<std::string>();
    if (field == "type") patch.type = value.get<std::string>();
    if (field == "state") patch.state = value.get<std::string>();
    if (field == "priority") patch.priority = text_or_nothing(value);
    if (field == "assignee") patch.assignee = text_or_nothing(value);
    if (field == "reporter") patch.reporter = text_or_nothing(value);
    if (field == "labels") patch.labels = value.get<std::vector<std::string>>();
    return patch;
}

radd::ActionPlan plan_field(const Item& item, const std::string& field, const radd::json& value) {
    const bool differs = field_of(item, field) != value;
    return {
        .summary = differs ? "set " + field + " of " + item.key + " to " + shown(value)
                           : field + " of " + item.key + " is " + shown(value) + " already",
        .details =
            radd::json{{"item_id", item.id}, {"key", item.key}, {"field", field}, {"value", value}},
        .has_effect = differs};
}

void apply_field(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    const auto details = radd::json::parse(plan.details.text());
    (void)host.get<Directory>().update_item(
        tx,
        details.at("item_id").get<ItemId>(),
        patch_of(details.at("field").get<std::string>(), details.at("value")),
        as_system());
}

radd::ActionSpec set_field() {
    return {.name = "items.set_field",
            .label = "Set a field of the item",
            .subject = radd::EntityType{ItemEntity::item},
            .arguments = R"json({"type":"object","additionalProperties":false,
                "required":["field","value"],"properties":{
                "field":{"enum":["title","description","type","state","priority","assignee",
                    "reporter","labels"]},
                "value":{"type":["string","null","array"],"items":{"type":"string"},"description":
                    "A state by its name, a person by uuid or address; null empties the field"}}})json",
            .plan =
                [](radd::Transaction& tx, radd::Services& host, const radd::ActionCall& call) {
                    auto& directory = host.get<Directory>();
                    const auto arguments = radd::json::parse(call.arguments.text());
                    const auto field = arguments.at("field").get<std::string>();
                    const Item item = item_of(tx, directory, call.subject_id);
                    return plan_field(
                        item, field, resolved(tx, directory, field, arguments.at("value")));
                },
            .apply = apply_field};
}

radd::ActionSpec add_label() {
    return {.name = "items.add_label",
            .label = "Add a label to the item",
            .subject = radd::EntityType{ItemEntity::item},
            .arguments = R"json({"type":"object","additionalProperties":false,"required":["label"],
                "properties":{"label":{"type":"string","minLength":1,"maxLength":100}}})json",
            .plan =
                [](radd::Transaction& tx, radd::Services& host, const radd::ActionCall& call) {
                    auto& directory = host.get<Directory>();
                    const auto arguments = radd::json::parse(call.arguments.text());
                    const Item item = item_of(tx, directory, call.subject_id);
                    auto labels = item.labels;
                    labels.push_back(arguments.at("label").get<std::string>());
                    return plan_field(
                        item, "labels", resolved(tx, directory, "labels", std::move(labels)));
                },
            .apply = apply_field};
}

radd::ActionSpec add_comment() {
    return {
        .name = "items.add_comment",
        .label = "Comment on the item",
        .subject = radd::EntityType{ItemEntity::item},
        .arguments = R"json({"type":"object","additionalProperties":false,"required":["body"],
                "properties":{"body":{"type":"string","minLength":1}}})json",
        .plan =
            [](radd::Transaction& tx, radd::Services& host, const radd::ActionCall& call) {
                const auto arguments = radd::json::parse(call.arguments.text());
                const Item item = item_of(tx, host.get<Directory>(), call.subject_id);
                const auto& body = arguments.at("body");
                return radd::ActionPlan{
                    .summary = "comment on " + item.key + ": " + shown(body),
                    .details = radd::json{{"item_id", item.id}, {"key", item.key}, {"body", body}}};
            },
        .apply =
            [](radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
                const auto details = radd::json::parse(plan.details.text());
                auto& directory = host.get<Directory>();
                const auto act = as_system();
                (void)directory.ensure_person(tx, *act.actor, automation_name);
                (void)directory.add_comment(tx,
                                            details.at("item_id").get<ItemId>(),
                                            details.at("body").get<std::string>(),
                                            act);
            }};
}

radd::ActionPlan plan_item(radd::Transaction& tx,
                           radd::Services& host,
                           const radd::ActionCall& call) {
    auto& directory = host.get<Directory>();
    auto details = radd::json::parse(call.arguments.text());
    const auto key = details.at("project").get<std::string>();
    const auto project = directory.find_project(tx, key);
    if (!project) throw radd::InvalidInput{"project", "there is no '" + key + "'"};
    details["project_id"] = project->id;
    for (const char* field : {"state", "assignee"}) {
        if (details.contains(field))
            details[field] = resolved(tx, directory, field, details.at(field));
    }
    if (details.contains("parent"))
        details["parent"] = item_of(tx, directory, details.at("parent").get<std::string>()).id;
    return {.summary = "create " + details.value("type", "Task") + " in " + key + ": " +
                       shown(details.at("title")),
            .details = details};
}

void apply_item(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    const auto details = radd::json::parse(plan.details.text());
    const auto text = [&](const char* field) -> std::optional<std::string> {
        if (!details.contains(field)) return std::nullopt;
        return text_or_nothing(details.at(field));
    };
    NewItem item{.project_id = details.at("project_id").get<ProjectId>(),
                 .title = details.at("title").get<std::string>(),
                 .description = text("description").value_or(""),
                 .state = text("state"),
                 .priority = text("priority"),
                 .assignee = text("assignee"),
                 .labels = details.value("labels", std::vector<std::string>{})};
    if (const auto type = text("type")) item.type = *type;
    if (details.contains("parent")) item.parent = details.at("parent").get<ItemId>();
    (void)host.get<Directory>().create_item(tx, item, as_system());
}

radd::ActionSpec create_item() {
    return {.name = "items.create_item",
            .label = "Create an item",
            .arguments = R"json({"type":"object","additionalProperties":false,
                "required":["project","title"],"properties":{
                "project":{"type":"string","description":"Its key, e.g. DEMO"},
                "title":{"type":"string","minLength":1},
                "description":{"type":"string"},
                "type":{"type":"string","minLength":1},
                "state":{"type":"string"},
                "priority":{"type":"string"},
                "assignee":{"type":"string","description":"A person by uuid or address"},
                "parent":{"type":"string","description":"The id of an item, e.g. {{event.entity_id}}"},
                "labels":{"type":"array","items":{"type":"string"}}}})json",
            .plan = plan_item,
            .apply = apply_item};
}

}  // namespace

std::vector<radd::ActionSpec> actions() {
    return {set_field(), add_label(), add_comment(), create_item()};
}

}  // namespace items
