#include "schemas.hpp"

#include <items/service.hpp>

namespace items::schema {
namespace {

using radd::json;

json text(const std::string& description, std::size_t min, std::size_t max) {
    return {
        {"type", "string"}, {"description", description}, {"minLength", min}, {"maxLength", max}};
}

json time(const std::string& description) {
    return {{"type", "string"}, {"format", "date-time"}, {"description", description}};
}

/// `schema`, or null.
json nullable(json schema) {
    schema["type"] = json::array({schema.at("type"), "null"});
    return schema;
}

json object(const json& properties, const std::vector<std::string>& required) {
    return {{"type", "object"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false}};
}

std::vector<std::string> names(const json& properties) {
    std::vector<std::string> all;
    for (const auto& [name, schema] : properties.items()) all.push_back(name);
    return all;
}

/// What is given has all of its fields, and may get more of them.
json given(const json& properties) {
    return {{"type", "object"}, {"properties", properties}, {"required", names(properties)}};
}

json described(json schema, const std::string& description) {
    schema["description"] = description;
    return schema;
}

json name(const std::string& of) {
    return text("Name of the " + of, 1, name_length_max);
}

json project_key() {
    auto key = text("Upper-case letters, digits and _, a letter first", 1, project_key_length_max);
    key["pattern"] = "^[A-Z][A-Z0-9_]*$";
    return key;
}

json item_key(const std::string& description) {
    return {
        {"type", "string"}, {"description", description}, {"examples", json::array({"DEMO-1"})}};
}

json item_name() {
    return given({{"id", id()}, {"key", item_key("As people call it")}});
}

json project_name() {
    return given({{"id", id()}, {"key", project_key()}, {"name", name("project")}});
}

json url() {
    return {{"type", "string"}, {"description", "Path of its page"}};
}

json email() {
    return text("An address", 3, email_length_max);
}

json labels() {
    return {{"type", "array"},
            {"description", "Sorted, none twice"},
            {"items", text("A label", 1, label_length_max)},
            {"maxItems", labels_max}};
}

json person_id(const std::string& description) {
    return nullable(described(uuid(), description));
}

/// The fields that a new item and a change of one have in common.
json item_fields() {
    auto contact =
        nullable(object({{"email", email()}, {"name", nullable(name("contact"))}}, {"email"}));
    contact["description"] = "Somebody outside whom it concerns";
    return {{"title", text("In one line", 1, title_length_max)},
            {"description", text("At length", 0, text_length_max)},
            {"type", text("Kind of item", 1, name_length_max)},
            {"state", text("Name of a state, upper and lower case alike", 1, name_length_max)},
            {"priority", nullable(text("Name of a priority", 1, name_length_max))},
            {"reporter", person_id("Id of the person who asked for it")},
            {"assignee", person_id("Id of the person who works at it")},
            {"contact", contact},
            {"parent", nullable(item_key("Key of the item it is a part of"))},
            {"labels", labels()}};
}

}  // namespace

json id() {
    return {{"type", "integer"}, {"minimum", 1}, {"description", "Never given twice"}};
}

json uuid() {
    return {{"type", "string"}, {"format", "uuid"}};
}

json project() {
    return given({{"id", id()}, {"key", project_key()}, {"name", name("project")}, {"url", url()}});
}

json person_name() {
    return given({{"id", uuid()}, {"name", name("person")}});
}

json person() {
    return given(
        {{"id", described(uuid(), "The same as that of the person's account, if there is one")},
         {"name", name("person")},
         {"email", nullable(email())},
         {"url", url()}});
}

json state() {
    return given({{"name", name("state")},
                  {"category", {{"type", "string"}, {"enum", {"todo", "doing", "done"}}}}});
}

json item() {
    auto contact = nullable(given({{"email", email()}, {"name", nullable(name("contact"))}}));
    return given({{"id", id()},
                  {"key", item_key("As people call it")},
                  {"project", project_name()},
                  {"type", text("Kind of item", 1, name_length_max)},
                  {"title", text("In one line", 1, title_length_max)},
                  {"description", text("At length", 0, text_length_max)},
                  {"state", state()},
                  {"priority", nullable(text("Name of a priority", 1, name_length_max))},
                  {"reporter", nullable(person_name())},
                  {"assignee", nullable(person_name())},
                  {"contact", contact},
                  {"parent", nullable(item_name())},
                  {"labels", labels()},
                  {"created_at", time("When it was made, UTC")},
                  {"updated_at", time("When it was changed last")},
                  {"resolved_at", nullable(time("Since when its state is one of category done"))},
                  {"url", url()}});
}

json comment() {
    return given({{"id", id()},
                  {"item", item_name()},
                  {"author", nullable(person_name())},
                  {"body", text("What was said", 1, text_length_max)},
                  {"created_at", time("When it was said, UTC")},
                  {"updated_at", time("When it was changed last")},
                  {"url", url()}});
}

json list(const char* name, const json& entry) {
    return given({{name, {{"type", "array"}, {"items", entry}}}});
}

json page(const char* name, const json& entry, const json& key) {
    auto next = nullable(given({{"after", key}}));
    next["description"] = "What to ask the next page with; null on the last one";
    return given({{name, {{"type", "array"}, {"items", entry}}}, {"next", next}});
}

json new_project() {
    return object({{"key", project_key()}, {"name", name("project")}}, {"key", "name"});
}

json project_patch() {
    return object({{"name", name("project")}}, {});
}

json new_person() {
    return object({{"name", name("person")}, {"email", nullable(email())}}, {"name"});
}

json person_patch() {
    return object({{"name", name("person")}, {"email", nullable(email())}}, {});
}

json new_item() {
    auto fields = item_fields();
    fields["project"] = described(project_key(), "Key of the project it is added to");
    fields["type"]["default"] = "Task";
    fields["state"]["description"] = "Name of a state; else the first one of category todo";
    return object(fields, {"project", "title"});
}

json item_patch() {
    return object(item_fields(), {});
}

json comment_text() {
    return object({{"body", text("What to say", 1, text_length_max)}}, {"body"});
}

std::vector<radd::QueryParameter> paging(const json& key) {
    return {{.name = "after",
             .description = "Only what follows this one: `next.after` of the page before",
             .schema = key},
            {.name = "limit",
             .description = "Entries of a page",
             .schema = json{{"type", "integer"},
                            {"minimum", 1},
                            {"maximum", page_rows_max},
                            {"default", page_rows}}}};
}

}  // namespace items::schema
