// What no client should send and some do: refused by field, never a failure of the server, and
// nothing of it is kept.

#include <string>

#include <doctest/doctest.h>

#include <items/service.hpp>
#include <tests/pg/items_routes_bench.hpp>

using radd::HttpMethod;
using radd::json;

namespace {

struct Bench : radd::testing::ItemsRoutesBench {
    Bench() { a_project_with_items(1); }

    /// The field that is refused, else the status.
    std::string outcome(HttpMethod method, const std::string& target, const std::string& body) {
        const auto response = call(method, target, body);
        return response.status == 422 ? refused_field(response) : std::to_string(response.status);
    }
    std::string of_new_item(const std::string& body) {
        return outcome(HttpMethod::post, "/api/v1/items", body);
    }
    std::string of_change(const std::string& body) {
        return outcome(HttpMethod::patch, "/api/v1/items/DEMO-1", body);
    }
    std::string rows() {
        return database.value(
            "SELECT concat_ws(' ', (SELECT count(*) FROM items.items), (SELECT count(*) FROM "
            "items.people), (SELECT count(*) FROM items.comments))");
    }
};

}  // namespace

TEST_SUITE("item routes at the edge") {
    // P21
    TEST_CASE_FIXTURE(Bench, "a NUL is refused by field wherever it stands") {
        for (const char* field : {"title",
                                  "description",
                                  "type",
                                  "state",
                                  "priority",
                                  "reporter",
                                  "assignee",
                                  "parent"})
            CHECK_MESSAGE(of_change("{\"" + std::string{field} + R"(":"a\u0000b"})") == field,
                          field);
        CHECK(of_change(R"({"labels":["a\u0000b"]})") == "labels");
        CHECK(of_change(R"({"contact":{"email":"a\u0000b@example.org"}})") == "contact");
        CHECK(of_change(R"({"contact":{"email":"a@example.org","name":"a\u0000b"}})") == "contact");
        CHECK(of_new_item(R"({"project":"DE\u0000MO","title":"x"})") == "project");
        CHECK(of_new_item(R"({"project":"DEMO","title":"a\u0000b"})") == "title");
        CHECK(of_change(R"({"ti\u0000tle":"x"})") == std::string{"ti\0tle", 6});
        CHECK(outcome(HttpMethod::post, "/api/v1/items/DEMO-1/comments", R"({"body":"\u0000"})") ==
              "body");
        CHECK(outcome(HttpMethod::post, "/api/v1/people", R"({"name":"a\u0000"})") == "name");
        CHECK(outcome(HttpMethod::post, "/api/v1/projects", R"({"key":"A\u0000","name":"x"})") ==
              "key");

        CHECK(new_events().empty());
        CHECK(rows() == "1 0 0");
    }

    // P22
    TEST_CASE_FIXTURE(Bench, "half a character is no JSON and a whole one is kept") {
        for (const char* body : {R"({"project":"DEMO","title":"\ud83d"})",
                                 R"({"project":"DEMO","title":"\ude00\ud83d"})",
                                 "{\"project\":\"DEMO\",\"title\":\"\xed\xa0\x80\"}",
                                 "{\"project\":\"DEMO\",\"title\":\"\xff\"}",
                                 "{\"project\":\"DEMO\",\"title\":\"\xf0\x9f\"}"})
            CHECK_MESSAGE(of_new_item(body) == "400", body);
        CHECK(new_events().empty());

        const auto made =
            call(HttpMethod::post, "/api/v1/items", R"({"project":"DEMO","title":"\ud83d\ude00"})");
        CHECK(parsed(made).at("title") == "😀");
        CHECK(last("payload->'item'->>'title'") == "😀");
    }

    // P23
    TEST_CASE_FIXTURE(Bench, "a number is no text and one that is too great is no JSON") {
        for (const char* value :
             {"7", "-0", "1e300", "123456789012345678901234567890", "true", "{}", "[]", "null"})
            CHECK_MESSAGE(of_change("{\"title\":" + std::string{value} + "}") == "title", value);
        for (const char* value : {"1e400", "-1e400", "NaN", "01", "+1", "0x1"})
            CHECK_MESSAGE(of_change("{\"title\":" + std::string{value} + "}") == "400", value);
        CHECK(of_change(R"({"labels":"a"})") == "labels");
        CHECK(of_change(R"({"labels":[1]})") == "labels");
        CHECK(of_change(R"({"contact":"a@example.org"})") == "contact");
        CHECK(of_change(R"({"contact":{}})") == "contact.email");
        CHECK(of_change(R"({"contact":{"email":1}})") == "contact.email");
        CHECK(of_change(R"({"contact":{"email":"a@example.org","tel":"1"}})") == "contact.tel");
        CHECK(of_change("[]") == "body");
        CHECK(of_change("7") == "body");
        CHECK(of_change("") == "400");
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(Bench, "an unknown field is named and so is a missing one") {
        CHECK(of_new_item(R"({"project":"DEMO","title":"x","titel":"y"})") == "titel");
        CHECK(of_new_item(R"({"project":"DEMO","title":"x","key":"DEMO-7"})") == "key");
        CHECK(of_new_item(R"({"project":"DEMO"})") == "title");
        CHECK(of_new_item(R"({"title":"x"})") == "project");
        CHECK(of_change(R"({"project":"OTHER"})") == "project");
        CHECK(outcome(HttpMethod::post, "/api/v1/items/DEMO-1/comments", "{}") == "body");
    }

    TEST_CASE_FIXTURE(Bench, "what is referred to must be there") {
        CHECK(of_change(R"({"assignee":"nobody"})") == "assignee");
        CHECK(of_change(R"({"assignee":"00000000-0000-4000-8000-000000000000"})") == "assignee");
        CHECK(of_change(R"({"parent":"DEMO-9"})") == "parent");
        CHECK(of_change(R"({"parent":"DEMO-1"})") == "parent");
        CHECK(of_change(R"({"state":"Nowhere"})") == "state");
        CHECK(of_change(R"({"contact":{"email":"nowhere"}})") == "contact");
    }

    TEST_CASE_FIXTURE(Bench, "a text at its limit is kept and one past it is refused") {
        const auto of = [this](const char* field, std::size_t length) {
            std::string text;
            for (std::size_t i = 0; i < length; ++i) text += "ж";
            return of_change(json{{field, text}}.dump());
        };

        CHECK(of("title", items::title_length_max) == "200");
        CHECK(of("title", items::title_length_max + 1) == "title");
        CHECK(of("description", items::text_length_max) == "200");
        CHECK(of("description", items::text_length_max + 1) == "description");
        CHECK(of("priority", items::name_length_max) == "200");
        CHECK(of("priority", items::name_length_max + 1) == "priority");
    }

    // P42
    TEST_CASE_FIXTURE(Bench, "an item is made with texts at their limits") {
        const auto of = [this](std::size_t length) {
            std::string text;
            while (text.size() < length) text += "hello world ";
            text.resize(length);
            return of_new_item(json{
                {"project", "DEMO"},
                {"title", std::string(items::title_length_max, 'x')},
                {"description",
                 text}}.dump());
        };

        CHECK(of(items::text_length_max) == "201");
        CHECK(of(items::text_length_max + 1) == "description");
    }

    TEST_CASE_FIXTURE(Bench, "a caller that is no person in the making is told why") {
        auto nameless = radd::testing::a_member("");
        auto made_up = radd::testing::a_member();
        made_up.id = "no uuid";
        const std::string body = R"({"project":"DEMO","title":"x"})";

        CHECK(refused_field(call(HttpMethod::post, "/api/v1/items", body, nameless)) == "name");
        CHECK(refused_field(call(HttpMethod::post, "/api/v1/items", body, made_up)) == "id");
        CHECK(rows() == "1 0 0");
    }
}
