#include "routes.hpp"

#include <charconv>
#include <string>
#include <utility>

#include <radd/services.hpp>

namespace search {
namespace {

constexpr const char* page_schema = R"json({
    "type": "object",
    "properties": {
        "hits": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "item": {"type": "object", "properties": {
                    "id": {"type": "integer"}, "key": {"type": "string"},
                    "type": {"type": "string"}, "title": {"type": "string"},
                    "state": {"type": "object", "properties": {
                        "name": {"type": "string"}, "category": {"type": "string"}},
                        "required": ["name", "category"]},
                    "project": {"type": "object", "properties": {
                        "key": {"type": "string"}, "name": {"type": "string"}},
                        "required": ["key", "name"]}},
                    "required": ["id", "key", "type", "title", "state", "project"]},
                "rank": {"type": "number", "description": "Of this search alone; 3: the very key"},
                "shortened": {"type": "boolean",
                              "description": "It has more words than the index holds of one item"},
                "snippet": {"type": "array",
                    "description": "From the description and the comments, as plain text in pieces",
                    "items": {"type": "object",
                        "properties": {"text": {"type": "string"}, "hit": {"type": "boolean"}},
                        "required": ["text", "hit"]}}
            },
            "required": ["item", "rank", "shortened", "snippet"]}},
        "entities": {"type": "array",
            "description": "What else has the words, beside the first page of all projects",
            "items": {"type": "object",
                "properties": {
                    "entity": {"type": "object", "properties": {
                        "type": {"type": "string"}, "id": {"type": "string"},
                        "label": {"type": "string"}, "title": {"type": "string"},
                        "url": {"type": ["string", "null"]}},
                        "required": ["type", "id", "label", "title", "url"]},
                    "rank": {"type": "number"},
                    "snippet": {"type": "array", "items": {"type": "object",
                        "properties": {"text": {"type": "string"}, "hit": {"type": "boolean"}},
                        "required": ["text", "hit"]}}},
                "required": ["entity", "rank", "snippet"]}},
        "next": {"type": ["object", "null"], "properties": {"after": {"type": "string"}},
                 "required": ["after"]}
    },
    "required": ["hits", "entities", "next"]
})json";

radd::json to_json(const std::vector<Piece>& pieces) {
    auto snippet = radd::json::array();
    for (const Piece& piece : pieces) snippet.push_back({{"text", piece.text}, {"hit", piece.hit}});
    return snippet;
}

radd::json to_json(const EntityHit& hit) {
    return {{"entity",
             {{"type", hit.type},
              {"id", hit.id},
              {"label", hit.label},
              {"title", hit.title},
              {"url", hit.url.empty() ? radd::json() : radd::json(hit.url)}}},
            {"rank", std::stod(hit.rank)},
            {"snippet", to_json(hit.snippet)}};
}

radd::json to_json(const Hit& hit) {
    return {{"item",
             {{"id", hit.item_id},
              {"key", hit.key},
              {"type", hit.type},
              {"title", hit.title},
              {"state", {{"name", hit.state}, {"category", hit.category}}},
              {"project", {{"key", hit.project_key}, {"name", hit.project_name}}}}},
            {"rank", std::stod(hit.rank)},
            {"shortened", hit.shortened},
            {"snippet", to_json(hit.snippet)}};
}

radd::HttpResponse answer(const radd::HttpRequest& request, radd::Services& host) {
    Question question{.text = std::string{request.query_value("q").value_or("")}};
    if (const auto project = request.query_value("project")) question.project = *project;
    if (const auto after = request.query_value("after")) question.after = Place::parse(*after);
    if (const auto limit = request.query_value("limit")) {
        question.limit = 0;  // Refused by find() unless the text is a number.
        std::from_chars(limit->data(), limit->data() + limit->size(), question.limit);
    }
    auto hits = search_page(host, question);
    return radd::json_response(
        page_of(std::move(hits), entity_page(host, question), question.limit));
}

}  // namespace

std::vector<Hit> search_page(radd::Services& host, const Question& question) {
    const auto& configuration = host.settings().text("configuration");
    return host.database().transact([&](radd::Transaction& tx) {
        auto hits = find(tx, configuration, question);
        add_snippets(tx, configuration, question.text, hits);
        return hits;
    });
}

std::vector<EntityHit> entity_page(radd::Services& host, const Question& question) {
    if (question.after || question.project) return {};
    const EntityIndex index{host.settings().text("configuration"), host.catalog()};
    return host.database().transact(
        [&](radd::Transaction& tx) { return index.find(tx, question.text, question.limit); });
}

radd::json page_of(std::vector<Hit> hits,
                   const std::vector<EntityHit>& entities,
                   std::size_t limit) {
    const bool more = hits.size() > limit;
    if (more) hits.pop_back();
    auto page = radd::json::array();
    for (const Hit& hit : hits) page.push_back(to_json(hit));
    auto others = radd::json::array();
    for (const EntityHit& hit : entities) others.push_back(to_json(hit));
    radd::json body{{"hits", page}, {"entities", others}, {"next", nullptr}};
    if (more)
        body["next"] = {
            {"after", Place{.rank = hits.back().rank, .item_id = hits.back().item_id}.text()}};
    return body;
}

std::vector<radd::RouteSpec> routes() {
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/search",
         .summary = "Search items, comments and what else says by what it is found",
         .description =
             "Words must all be there, in any order; \"words in quotes\" as they stand; `or` "
             "between two; `-` before one that must not. No text is an error. The best hits first: "
             "the title counts more than the description, and that more than comments. What looks "
             "like a key finds the items whose key begins so. Of a word in very many items the "
             "newest 5 000 are ranked.",
         .query = {{.name = "q",
                    .description = "What to look for, as a person writes it; at most 1 000 "
                                   "characters",
                    .required = true},
                   {.name = "project", .description = "Only items of the project of this key"},
                   {.name = "after", .description = "`next.after` of the page before"},
                   {.name = "limit",
                    .description = "Entries of a page",
                    .schema = R"({"type":"integer","minimum":1,"maximum":100,"default":20})"}},
         .responses = {{.description = "A page of hits", .schema = page_schema}},
         .handle = answer},
    };
}

}  // namespace search
