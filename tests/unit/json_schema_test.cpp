#include <string>

#include <doctest/doctest.h>

#include <host/schema/json_schema.hpp>

using radd::json;
using radd::schema::JsonSchema;

namespace {

std::string told(const JsonSchema& schema, const json& document) {
    std::string text;
    for (const auto& [field, problem] : schema.violations(document))
        text.append(text.empty() ? "" : "; ").append(field).append(": ").append(problem);
    return text;
}

}  // namespace

TEST_SUITE("json schema") {
    TEST_CASE("a format is asked of texts alone") {
        const JsonSchema schema{R"({"type":"object","properties":{
            "due":{"type":["string","null"],"format":"date"},
            "at":{"format":"date-time"},
            "day":{"type":"string","format":"date"},
            "default":{"type":["string","null"],"format":"date"},
            "format":{"const":{"format":"date"}}}})"};

        CHECK(
            schema
                .violations(json::parse(R"({"due":null,"default":null,"at":7,"day":"2026-12-01"})"))
                .empty());
        CHECK(schema.violations(json::parse(R"({"due":"2026-12-01","format":{"format":"date"}})"))
                  .empty());
        CHECK(told(schema, {{"due", "soon"}}) == "due: string should be a valid date");
        CHECK(told(schema, {{"at", "soon"}}) == "at: string should be a valid date-time");
        CHECK(told(schema, {{"day", nullptr}}) ==
              "day: string should be a valid date; day: must be string");
    }

    TEST_CASE("a document tells of its own formats") {
        const std::string text = R"({"properties":{"due":{"format":"date"}}})";

        CHECK(JsonSchema{text}.document() == json::parse(text));
    }
}
