// Query parameters of the kernel's routes.

#include <host/api/schemas.hpp>

namespace radd::api::schema {
namespace {

QueryParameter limit() {
    return {.name = "limit",
            .description = "How many at most; 50 unless given",
            .schema = json{{"type", "integer"}, {"minimum", 1}, {"maximum", page_rows_max}}};
}

QueryParameter id(const char* name, const char* description) {
    return {
        .name = name, .description = description, .schema = R"({"type":"integer","minimum":0})"};
}

QueryParameter word(const char* name, const char* description) {
    return {.name = name, .description = description};
}

QueryParameter instant(const char* name, const char* description) {
    return {.name = name,
            .description = std::string{description} + ": 2026-11-30 or 2026-11-30T12:00:00Z"};
}

std::vector<QueryParameter> paging() {
    return {limit(),
            id("before", "Only what has a lower id; the newest come first"),
            id("after", "Only what has a higher id; the oldest come first")};
}

}  // namespace

std::vector<QueryParameter> skipped_query() {
    return {limit(), id("before", "Only records with a lower id")};
}

std::vector<QueryParameter> event_query() {
    auto all = paging();
    QueryParameter type = word("type", "Event type; any of those given");
    type.repeated = true;
    all.push_back(std::move(type));
    QueryParameter not_type = word("not_type", "None of these event types");
    not_type.repeated = true;
    all.push_back(std::move(not_type));
    all.push_back({.name = "all",
                   .description = "True: also event types that are not audited",
                   .schema = R"({"type":"boolean"})"});
    all.push_back(word("entity_type", "What kind of thing it is about"));
    all.push_back(word("entity_id", "Which one"));
    all.push_back(word("actor_id", "Who did it, a uuid"));
    all.push_back(id("project_id", "Project it belongs to"));
    all.push_back({.name = "source",
                   .description = "Who is behind it: people; automations; system is all the rest",
                   .schema = R"({"type":"string","enum":["people","automations","system"]})"});
    all.push_back(word("changed", "A field that it changed, e.g. state"));
    all.push_back(word("text", "Stands in its payload or its changes, in upper or lower case"));
    all.push_back({.name = "silent",
                   .description = "True: only what bulk imports wrote; false: only the rest",
                   .schema = R"({"type":"boolean"})"});
    all.push_back(instant("since", "Occurred then or later"));
    all.push_back(instant("until", "Occurred before"));
    return all;
}

std::vector<QueryParameter> activity_query() {
    auto all = paging();
    all.push_back({.name = "all",
                   .description = "True: also event types that are not audited",
                   .schema = R"({"type":"boolean"})"});
    return all;
}

}  // namespace radd::api::schema
