// Policies, calendars and clocks as programs and people meet them; working time checked minute by
// minute against what the database says its zones do.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <radd/testing/commands.hpp>
#include <tests/pg/sla_bench.hpp>

namespace sla_pg {
namespace {

using radd::HttpMethod;
using radd::json;

struct RoutesBench : Bench {
    json office() const {
        auto hours = json::array();
        for (const char* day : {"mon", "tue", "wed", "thu", "fri"})
            hours.push_back({{"day", day}, {"from", "08:00"}, {"to", "18:00"}});
        return {{"name", "Office"}, {"zone", "Europe/Berlin"}, {"hours", hours}};
    }
    json promise() const {
        return {{"project", "DEMO"},
                {"name", "Standard"},
                {"calendar_id", always},
                {"targets", {{"resolution", {{"within_minutes", 240}, {"due_soon_minutes", 60}}}}}};
    }
    /// The field that a 422 names; else the status.
    std::string refused(HttpMethod method, const std::string& target, const json& body) {
        const auto answer = call(method, target, body);
        if (answer.status != 422) return std::to_string(answer.status);
        return json::parse(answer.body).at("errors").at(0).at("field");
    }
    json get(const std::string& target) {
        const auto answer = call(HttpMethod::get, target);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        return json::parse(answer.body);
    }
};

/// Steps of $6 minutes between $3 and $4 at which a clock on the wall of zone $1 shows working
/// hours: those of $2, less holidays. A shift past midnight belongs to the day on which it begins.
constexpr radd::Sql count_steps = R"sql(
    SELECT count(*) AS total
    FROM generate_series($3::text::timestamptz, $4::text::timestamptz - interval '1 minute',
                         interval '1 minute' * $6::int) AS minute,
         LATERAL (SELECT minute AT TIME ZONE $1::text AS wall) w
    WHERE w.wall::date <> ALL ($5::text[]::date[])
      AND EXISTS (
        SELECT FROM jsonb_to_recordset($2::jsonb) AS s (day text, "from" text, "to" text),
                    LATERAL (SELECT s.from::interval AS opens, s.to::interval AS closes) h
        WHERE (to_char(w.wall, 'dy') = s.day AND w.wall::time >= h.opens::time
               AND (h.closes <= h.opens OR w.wall::time::interval < h.closes))
           OR (h.closes <= h.opens AND to_char(w.wall - interval '1 day', 'dy') = s.day
               AND w.wall::time::interval < h.closes
               AND w.wall::date - 1 <> ALL ($5::text[]::date[]))))sql";

TEST_SUITE("sla routes") {
    TEST_CASE_FIXTURE(RoutesBench, "calendars are made and shown and changed and deleted") {
        const auto made = call(HttpMethod::post, "/api/v1/sla/calendars", office());
        REQUIRE_MESSAGE(made.status == 201, made.body);
        const auto id = json::parse(made.body).at("id").dump();
        const auto path = "/api/v1/sla/calendars/" + id;
        CHECK(get(path).at("hours") == office().at("hours"));
        CHECK(get("/api/v1/sla/calendars").at("calendars").size() == 2);

        const json holiday{{{"date", "2026-12-25"}, {"name", "Christmas Day"}, {"yearly", true}}};
        CHECK(call(HttpMethod::patch, path, {{"holidays", holiday}}).status == 200);
        CHECK(get(path).at("holidays") == holiday);
        CHECK(get(path).at("zone") == "Europe/Berlin");
        CHECK(refused(HttpMethod::post, "/api/v1/sla/calendars", office()) == "name");
        CHECK(refused(HttpMethod::patch, path, {{"name", "Always"}}) == "name");
        CHECK(refused(HttpMethod::patch, path, {{"zone", "Mars/Olympus"}}) == "zone");
        CHECK(refused(HttpMethod::patch, path, {{"hours", json::array()}}) == "hours");

        CHECK(call(HttpMethod::del, path).status == 204);
        CHECK(call(HttpMethod::del, path).status == 404);
        CHECK(call(HttpMethod::get, path).status == 404);
        CHECK(call(HttpMethod::get, "/api/v1/sla/calendars/x").status == 404);
    }

    TEST_CASE_FIXTURE(RoutesBench, "policies are made and shown and changed and deleted") {
        const auto made = call(HttpMethod::post, "/api/v1/sla/policies", promise());
        REQUIRE_MESSAGE(made.status == 201, made.body);
        const auto path = "/api/v1/sla/policies/" + json::parse(made.body).at("id").dump();
        CHECK(get(path).at("targets") == promise().at("targets"));
        CHECK(get(path).at("calendar").at("name") == "Always");
        CHECK(get("/api/v1/sla/policies?project=DEMO").at("policies").size() == 1);
        CHECK(get("/api/v1/sla/policies?project=NONE").at("policies").empty());

        const json change{{"enabled", false}, {"labels", {"vip"}}, {"position", 3}};
        CHECK(call(HttpMethod::patch, path, change).status == 200);
        const auto shown = get(path);
        CHECK(shown.at("enabled") == false);
        CHECK(shown.at("labels") == json{"vip"});
        CHECK(shown.at("name") == "Standard");

        CHECK(refused(HttpMethod::del,
                      "/api/v1/sla/calendars/" + std::to_string(always),
                      nullptr) == "id");
        CHECK(call(HttpMethod::del, path).status == 204);
        CHECK(call(HttpMethod::del, path).status == 404);
        CHECK(call(HttpMethod::patch, path, change).status == 404);
    }

    TEST_CASE_FIXTURE(RoutesBench, "a policy that cannot be is refused with its field") {
        const auto with = [&](const json& part) {
            auto body = promise();
            body.update(part);
            return refused(HttpMethod::post, "/api/v1/sla/policies", body);
        };
        const auto resolution = [&](const json& target) {
            return with({{"targets", {{"resolution", target}}}});
        };
        CHECK(with({{"project", "NONE"}}) == "project");
        CHECK(with({{"name", " "}}) == "name");
        CHECK(with({{"name", std::string(201, 'x')}}) == "name");
        CHECK(with({{"name", std::string(200, 'x')}}) == "201");
        CHECK(with({{"position", -1}}) == "position");
        CHECK(with({{"position", 1000001}}) == "position");
        CHECK(with({{"calendar_id", 4711}}) == "calendar_id");
        CHECK(with({{"labels", std::vector<std::string>(101, "x")}}) == "labels");
        CHECK(with({{"types", {""}}}) == "types");
        CHECK(with({{"targets", json::object()}}) == "targets");
        CHECK(resolution({{"within_minutes", 1}}) == "201");
        CHECK(resolution({{"within_minutes", 527040}}) == "201");
        CHECK(resolution({{"within_minutes", 527041}}) == "targets.resolution.within_minutes");
        CHECK(resolution({{"within_minutes", 60}, {"due_soon_minutes", 59}}) == "201");
        CHECK(resolution({{"within_minutes", 60}, {"due_soon_minutes", 60}}) ==
              "targets.resolution.due_soon_minutes");
        CHECK(resolution({{"within_minutes", 1}, {"due_soon_minutes", 1}}) ==
              "targets.resolution.due_soon_minutes");

        auto rare = office();
        rare["hours"] = {{{"day", "mon"}, {"from", "08:00"}, {"to", "08:01"}}};
        const auto made = call(HttpMethod::post, "/api/v1/sla/calendars", rare);
        CHECK(with({{"calendar_id", json::parse(made.body).at("id")},
                    {"targets", {{"resolution", {{"within_minutes", 600}}}}}}) ==
              "targets.resolution.within_minutes");
    }

    TEST_CASE_FIXTURE(RoutesBench, "clocks are listed by urgency a page at a time") {
        policy(a_draft());
        for (int i = 0; i < 60; ++i) an_item(std::chrono::minutes{i});
        const auto paused = an_item(10min);
        move(paused, "Waiting", 5min);
        follow();
        std::vector<std::string> seen;
        std::string last;
        std::string after;
        for (int pages = 0; pages < 3; ++pages) {
            const auto page = get("/api/v1/sla/clocks" + (after.empty() ? "" : "?after=" + after));
            for (const auto& clock : page.at("clocks")) {
                const auto due = clock.at("due_at").is_null()
                                     ? std::string{"~"}
                                     : clock.at("due_at").get<std::string>();
                CHECK(due >= last);
                last = due;
                seen.push_back(clock.at("item").at("key").get<std::string>() +
                               clock.at("target").get<std::string>());
            }
            if (page.at("next").is_null()) break;
            after = page.at("next").at("after");
        }
        CHECK(seen.size() == 122);
        std::ranges::sort(seen);
        CHECK(std::ranges::adjacent_find(seen) == seen.end());

        CHECK(get("/api/v1/sla/clocks?state=paused").at("clocks").size() == 2);
        CHECK(get("/api/v1/sla/clocks?state=due_soon").at("clocks").size() == 15);
        CHECK(get("/api/v1/sla/clocks?project=NONE").at("clocks").empty());
        const auto of_item = get("/api/v1/sla/items/" + paused.key).at("clocks");
        CHECK(of_item.size() == 2);
        CHECK(of_item[1].at("remaining_ms") == 235 * 60000);
        CHECK(call(HttpMethod::get, "/api/v1/sla/items/DEMO-999").status == 404);
        for (const char* wrong : {"x", "1.2.3", "1.2.3.x.y", "1.2.3.x.4.5", "none.1.2.x."})
            CHECK(refused(HttpMethod::get,
                          std::string{"/api/v1/sla/clocks?after="} + wrong,
                          nullptr) == "after");
    }

    TEST_CASE_FIXTURE(RoutesBench, "commands show policies and clocks and tell what is due") {
        policy(a_draft());
        const auto item = an_item(300min);
        follow();
        const auto run = [&](const char* words, std::vector<std::string> arguments, bool as_json) {
            return radd::testing::run_command(
                plugin, services, words, std::move(arguments), as_json);
        };
        CHECK(run("sla policies", {}, false).out.find("first_response=60min resolution=240min") !=
              std::string::npos);
        CHECK(json::parse(run("sla policies", {"DEMO"}, true).out).at(0).at("name") == "Standard");
        CHECK(run("sla clocks", {}, false)
                  .out.starts_with(item.key + "\tfirst_response\tbreached\t"));
        CHECK(json::parse(run("sla clocks", {item.key}, true).out).size() == 2);
        CHECK(json::parse(run("sla clocks", {"DEMO"}, true).out).size() == 2);
        CHECK(run("sla clocks", {"NONE"}, false).code == 1);
        CHECK(json::parse(run("sla check", {}, true).out) ==
              json{{"due_soon", 0}, {"breached", 2}, {"left", 0}});
        CHECK(run("sla check", {}, false).err == "0 due soon, 0 breached, 0 left for later\n");
        for (const char* words : {"sla policies", "sla clocks", "sla check"})
            CHECK(run(words, {"a", "b"}, false).code == 2);
    }

    TEST_CASE_FIXTURE(Bench, "working time is what the wall clocks of the database show") {
        const auto hours = [](std::vector<std::string> days, const char* from, const char* to) {
            auto list = json::array();
            for (const auto& day : days) list.push_back({{"day", day}, {"from", from}, {"to", to}});
            return list;
        };
        const std::vector<std::string> all{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
        const std::vector<json> shifts{hours({"mon", "tue", "wed", "thu", "fri"}, "08:00", "18:00"),
                                       hours(all, "22:00", "06:00"),
                                       hours({"sat", "sun"}, "00:00", "24:00"),
                                       hours({"tue", "thu"}, "09:15", "11:45")};
        const std::vector<std::string> off{"2026-05-01", "2026-12-25", "2028-02-29"};
        auto holidays = json::array();
        for (const auto& day : off) holidays.push_back({{"date", day}});
        struct Span {
            const char* from;
            const char* to;
            int step;  // In minutes: a divisor of all that hours and spans begin and end with.
        };
        int checked = 0;
        for (const char* zone : {"Europe/Berlin",
                                 "America/New_York",
                                 "Asia/Kolkata",
                                 "Australia/Lord_Howe",
                                 "America/Sao_Paulo",
                                 "Etc/UTC"}) {
            for (const auto& [from, to, step] :
                 {Span{"2026-01-01T00:00Z", "2027-01-01T00:00Z", 15},
                  Span{"2028-02-20T12:34Z", "2028-04-10T03:21Z", 1},
                  Span{"2036-03-20T00:00Z", "2036-04-20T00:00Z", 15}}) {
                const auto& shift = shifts[static_cast<std::size_t>(checked++) % shifts.size()];
                INFO(zone, " ", from, " ", shift.dump());
                const sla::Calendar calendar{sla::rules_of(zone, shift, holidays)};
                const auto at = [&](const char* text) {
                    return radd::Timestamp{std::chrono::microseconds{std::stoll(
                        database.value(std::string{"SELECT (extract(epoch FROM timestamptz '"} +
                                       text + "') * 1000000)::bigint"))}};
                };
                const auto counted = db.transact([&](radd::Transaction& tx) {
                    return tx
                        .query_one(
                            count_steps, zone, shift.dump(), from, to, radd::text_array(off), step)
                        ->integer("total");
                });
                CHECK(counted > 0);
                const auto work = calendar.worked(at(from), at(to));
                CHECK(work == std::chrono::minutes{counted * step});
                CHECK(calendar.worked(at(from), *calendar.after(at(from), work)) == work);
            }
        }
    }
}

}  // namespace
}  // namespace sla_pg
