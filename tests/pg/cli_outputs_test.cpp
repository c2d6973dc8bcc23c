// What a shell gets to see of texts, numbers and times at the edges: P17 and P20 to P24.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

const std::string grin = "\xf0\x9f\x98\x80";

std::string repeated(const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
}

bool is_utf8(const std::string& text) {
    try {
        return !json(text).dump().empty();
    } catch (const json::exception&) {
        return false;
    }
}

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        install_chores();
        Installation::set("TZ", "Asia/Kolkata");
        must({"migrate"});
    }
    Ran emit(const std::string& chore, const std::string& payload) const {
        return run({"events", "emit", "chores.asked", "chore", chore, "--payload", payload});
    }
    void insert(const std::string& columns, const std::string& values) {
        execute("INSERT INTO radd.events (" + columns + ") VALUES " + values);
    }
    /// The lines of all three commands that print events, by the event's id in the stream.
    [[nodiscard]] std::vector<std::string> lines_about(const std::string& id) const {
        std::vector<std::string> all;
        const std::string start = R"({"id":)" + id + ",";
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"events", "show", id, "--json"},
              {"events", "query", "--limit", "100", "--json"},
              {"events", "tail", "-n", "100", "--no-follow", "--json"}}) {
            const auto ran = must(command);
            CHECK(is_utf8(ran.out));
            for (const auto& line : lines_of(ran.out)) {
                if (line.starts_with(start)) all.push_back(line);
            }
        }
        CHECK(all.size() == 3);
        return all;
    }
    /// Every command for people takes every row, too.
    void check_pages(const std::vector<std::string>& ids) const {
        for (const auto& id : ids) CHECK(is_utf8(must({"events", "show", id}).out));
        CHECK(is_utf8(must({"events", "query", "--limit", "100"}).out));
        CHECK(is_utf8(must({"events", "tail", "-n", "100", "--no-follow"}).out));
    }
};

struct Moment {
    const char* stored;
    const char* shown;
};

const std::vector<Moment> moments{{"infinity", "9999-12-31T23:59:59.999999Z"},
                                  {"-infinity", "0001-01-01T00:00:00.000000Z"},
                                  {"0044-03-15 BC", "0001-01-01T00:00:00.000000Z"},
                                  {"12024-03-15", "9999-12-31T23:59:59.999999Z"},
                                  {"2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"},
                                  {"2024-03-31T00:30:00.987654Z", "2024-03-31T00:30:00.987654Z"}};

/// What SQL may put into an event that csat and chores listen to.
const std::vector<std::string> odd_rows{
    "('legacy.thing', 'item', '1', '{}', null)",
    "('Item.Updated', 'item', '1', '[]', '{}')",
    "('', '', '', 'null', '[1]')",
    "(repeat('t', 300), 'item', '1', '\"x\"', '\"x\"')",
    "('item.updated', 'item', 'no number', 'null', null)",
    "('item.updated', 'item', '1', '[]', '{}')",
    "('item.updated', 'item', '', '\"x\"', '[1]')",
    R"(('item.updated', 'item', '999', '{}', '[{"field": "state"}]'))",
    R"(('item.updated', 'item', '999', '{"item": 7}',
        '[{"field": "state", "from": {"category": "doing"}, "to": {"category": "done"}}]'))",
    "('chores.asked', 'chore', '1', 'null', 'null')",
    R"(('chores.asked', 'chore', '1', '{"done": 1}', null))"};

}  // namespace

TEST_SUITE("events at the edge") {
    // P20
    TEST_CASE_FIXTURE(Scene, "times read the same by every command and in every zone") {
        for (const auto& moment : moments)
            insert("event_type, entity_type, entity_id, occurred_at",
                   std::string{"('chores.asked', 'chore', '1', '"} + moment.stored + "')");

        for (std::size_t i = 0; i < moments.size(); ++i) {
            CAPTURE(moments[i].stored);
            for (const auto& line : lines_about(std::to_string(i + 1)))
                CHECK(json::parse(line).at("occurred_at") == moments[i].shown);
        }
        check_pages({"1", "2", "3", "4", "5", "6"});
        const auto host = serve();
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(value("SELECT count(*) FROM chores.done") == "6");
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
    }

    // P23
    TEST_CASE_FIXTURE(Scene, "numbers and ids keep their digits") {
        execute(
            "ALTER SEQUENCE radd.events_id_seq RESTART WITH 9007199254740993;"
            "SELECT radd.ensure_partitions()");
        const std::string numbers =
            R"({"n":9007199254740993,"p":1.10,"b":18446744073709551616,"z":-0})";
        REQUIRE(emit("1", numbers).code == 0);
        const auto infinite = emit("1", R"({"e":1e400})");

        for (const auto& line : lines_about("9007199254740993")) {
            for (const char* text :
                 {R"("n": 9007199254740993)", R"("p": 1.10)", R"("b": 18446744073709551616)"}) {
                CAPTURE(line);
                CHECK(contains(line, text));
            }
            CHECK_FALSE(contains(line, "nfinity"));
        }
        CHECK(infinite.code == 1);
        CHECK(contains(infinite.err, "payload"));
        CHECK(value("SELECT count(*) FROM radd.events") == "1");
    }

    // P21, P22
    TEST_CASE_FIXTURE(Scene, "text that no store can hold is refused and leaves nothing") {
        for (const std::string& payload : {std::string{R"({"a": "ab\u0000cd"})"},
                                           std::string{R"({"ab\u0000cd": 1})"},
                                           std::string{R"({"a": "\ud83d"})"},
                                           std::string{R"({"a": "\ude00\ud83d"})"},
                                           std::string{"{\"a\": \"\xff\xfe\"}"},
                                           std::string{"{\"a\": \"\xc0\xaf\"}"}}) {
            const auto ran = emit("1", payload);
            CAPTURE(ran.err);
            CHECK(ran.code == 1);
            CHECK(lines_of(ran.err).size() == 1);
            CHECK(contains(ran.err, "payload"));
            CHECK(is_utf8(ran.err));
        }
        CHECK(emit("\xff", "{}").code == 1);
        CHECK(value("SELECT count(*) FROM radd.events") == "0");
    }

    // P22, P24
    TEST_CASE_FIXTURE(Scene, "large texts and whole characters come out as they went in") {
        const std::string long_id = repeated("i", 200);
        const std::vector<std::string> payloads{R"({"a":")" + repeated("x", 7991) + R"("})",
                                                R"({"a":")" + repeated("x", 7992) + R"("})",
                                                R"({"a":")" + repeated(grin, 2000) + R"("})",
                                                R"({"a":"\ud83d\ude00"})"};
        for (const auto& payload : payloads) REQUIRE(emit(long_id, payload).code == 0);
        REQUIRE(emit(repeated(grin, 50), "{}").code == 0);
        const auto host = serve();

        for (std::size_t i = 0; i < payloads.size(); ++i) {
            for (const auto& line : lines_about(std::to_string(i + 1))) {
                CHECK(json::parse(line).at("payload") == json::parse(payloads[i]));
                CHECK(json::parse(line).at("entity_id") == long_id);
            }
        }
        CHECK(contains(lines_about("4").front(), grin));
        check_pages({"1", "2", "3", "4", "5"});
        CHECK(eventually([&] { return value("SELECT count(*) FROM chores.done") == "5"; }));
    }

    // P17
    TEST_CASE_FIXTURE(Scene, "rows of no known kind are shown and passed by every consumer") {
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));
        std::vector<std::string> ids;
        for (const auto& row : odd_rows) {
            insert("event_type, entity_type, entity_id, payload, changes", row);
            ids.push_back(std::to_string(ids.size() + 1));
        }

        CHECK(eventually([&] {
            return value("SELECT min(cursor) FROM radd.consumers WHERE kind = 'consumer'") ==
                   ids.back();
        }));
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        CHECK(value("SELECT count(*) FROM chores.done") == "2");
        CHECK(host->is_running());
        CHECK(json::parse(lines_about("1").front()).at("event_type") == "legacy.thing");
        for (const auto& id : ids) CHECK(json::accept(lines_about(id).front()));
        check_pages(ids);
        const auto unknown = run({"events", "emit", "legacy.thing", "chore", "1"});
        CHECK(unknown.code == 1);
        CHECK(contains(unknown.err, "legacy.thing"));
        // What nobody knows any more can still be asked for.
        CHECK(must({"events", "query", "--type", "legacy.thing", "--json"}).json_lines().size() ==
              1);
    }
}
