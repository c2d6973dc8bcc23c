// Who may call what on a whole host. Every route stands here with its decision: one that is added
// without, or whose rights are changed by an oversight, fails.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <radd/http.hpp>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>

using namespace radd;
using namespace radd::testing;
using nlohmann::json;

namespace {

using Decisions = std::map<std::string, Access>;

/// Of the host with the plugins of Scene: one that is added there brings its decisions here. Before
/// you add to "anyone": its handler then asks a token of its own, says nothing that is not public,
/// and changes nothing without one.
Decisions decisions() {
    return {
        // Probes and documents.
        {"GET /healthz", Access::anyone},
        {"GET /readyz", Access::anyone},
        {"GET /metrics", Access::anyone},  // On a loopback address, unless http.metrics_access.
        {"GET /api/v1/openapi.json", Access::anyone},
        // Getting in: a password, or the secret of a link.
        {"POST /api/v1/session", Access::anyone},
        {"GET /api/v1/links/{code}", Access::anyone},
        {"POST /api/v1/links/{code}", Access::anyone},
        {"GET /api/v1/session", Access::member},
        {"DELETE /api/v1/session", Access::member},
        // Surveys: whoever was asked has no account, and the secret of the mail's link.
        {"GET /csat/style.css", Access::anyone},
        {"GET /csat/{token}", Access::anyone},
        {"POST /csat/{token}", Access::anyone},
        {"POST /api/v1/csat/{token}/answer", Access::anyone},
        {"GET /api/v1/csat/surveys", Access::admin},
        // The stream and what describes it.
        {"GET /api/v1/events", Access::member},
        {"GET /api/v1/events/{id}", Access::member},
        {"GET /api/v1/entities/{entity_type}/{entity_id}/activity", Access::member},
        {"GET /api/v1/event-types", Access::member},
        {"GET /api/v1/actions", Access::member},
        {"GET /api/v1/entities", Access::member},
        {"GET /api/v1/asyncapi.json", Access::member},
        // Operating.
        {"GET /api/v1/monitoring/overview", Access::admin},
        {"GET /api/v1/monitoring/history", Access::admin},
        {"GET /api/v1/deliveries", Access::admin},
        {"GET /api/v1/deliveries/{id}", Access::admin},
        {"POST /api/v1/deliveries/{id}/replay", Access::admin},
        {"POST /api/v1/deliveries/{id}/cancel", Access::admin},
        {"GET /api/v1/delivery-queues", Access::admin},
        {"GET /api/v1/delivery-queues/{name}/lanes", Access::admin},
        {"POST /api/v1/delivery-queues/{name}/replay", Access::admin},
        {"POST /api/v1/delivery-queues/{name}/cancel", Access::admin},
        {"GET /api/v1/plugins", Access::admin},
        {"GET /api/v1/skipped-events", Access::admin},
        {"GET /api/v1/consumers", Access::admin},
        {"GET /api/v1/consumers/{name}", Access::admin},
        {"GET /api/v1/consumers/{name}/skipped", Access::admin},
        {"POST /api/v1/consumers/{name}/pause", Access::admin},
        {"POST /api/v1/consumers/{name}/resume", Access::admin},
        {"POST /api/v1/consumers/{name}/seek", Access::admin},
        {"POST /api/v1/consumers/{name}/retry", Access::admin},
        {"POST /api/v1/consumers/{name}/retire", Access::admin},
        // Who may do what.
        {"GET /api/v1/accounts", Access::admin},
        {"POST /api/v1/accounts", Access::admin},
        {"PATCH /api/v1/accounts/{id}", Access::admin},
        {"POST /api/v1/accounts/{id}/link", Access::admin},
        {"GET /api/v1/tokens", Access::admin},
        {"POST /api/v1/tokens", Access::admin},
        {"DELETE /api/v1/tokens/{id}", Access::admin},
        // Work. Of comments and people one's own alone may be changed; items_routes_test has that.
        {"GET /api/v1/projects", Access::member},
        {"POST /api/v1/projects", Access::admin},
        {"GET /api/v1/projects/{key}", Access::member},
        {"PATCH /api/v1/projects/{key}", Access::admin},
        {"DELETE /api/v1/projects/{key}", Access::admin},
        {"GET /api/v1/items", Access::member},
        {"POST /api/v1/items", Access::member},
        {"GET /api/v1/items/{key}", Access::member},
        {"PATCH /api/v1/items/{key}", Access::member},
        {"DELETE /api/v1/items/{key}", Access::member},
        {"GET /api/v1/items/{key}/comments", Access::member},
        {"POST /api/v1/items/{key}/comments", Access::member},
        {"GET /api/v1/items/{key}/watchers", Access::member},
        {"PUT /api/v1/items/{key}/watchers/{id}", Access::member},
        {"DELETE /api/v1/items/{key}/watchers/{id}", Access::member},
        {"GET /api/v1/comments/{id}", Access::member},
        {"PATCH /api/v1/comments/{id}", Access::member},
        {"DELETE /api/v1/comments/{id}", Access::member},
        {"GET /api/v1/people", Access::member},
        {"POST /api/v1/people", Access::member},
        {"GET /api/v1/people/{id}", Access::member},
        {"PATCH /api/v1/people/{id}", Access::member},
        {"GET /api/v1/states", Access::member},
        // Notices: one's own, and nobody else's.
        {"GET /api/v1/notify/inbox", Access::member},
        {"POST /api/v1/notify/inbox/read", Access::member},
        {"PATCH /api/v1/notify/inbox/{id}", Access::member},
        {"GET /api/v1/notify/unread", Access::member},
        {"GET /api/v1/notify/preferences", Access::member},
        {"PATCH /api/v1/notify/preferences", Access::member},
        {"GET /api/v1/notify/items/{key}", Access::member},
        {"PUT /api/v1/notify/items/{key}/mute", Access::member},
        {"DELETE /api/v1/notify/items/{key}/mute", Access::member},
        {"GET /api/v1/notify/projects", Access::member},
        {"PUT /api/v1/notify/projects/{key}", Access::member},
        {"DELETE /api/v1/notify/projects/{key}", Access::member},
        {"GET /api/v1/search", Access::member},
        // What happens, as it happens; each reader is told of what it may read.
        {"GET /api/v1/stream", Access::member},
        {"GET /api/v1/stream/ws", Access::member},
        // Promises: everybody sees them, and who makes them is an administrator.
        {"GET /api/v1/sla/calendars", Access::member},
        {"POST /api/v1/sla/calendars", Access::admin},
        {"GET /api/v1/sla/calendars/{id}", Access::member},
        {"PATCH /api/v1/sla/calendars/{id}", Access::admin},
        {"DELETE /api/v1/sla/calendars/{id}", Access::admin},
        {"GET /api/v1/sla/policies", Access::member},
        {"POST /api/v1/sla/policies", Access::admin},
        {"GET /api/v1/sla/policies/{id}", Access::member},
        {"PATCH /api/v1/sla/policies/{id}", Access::admin},
        {"DELETE /api/v1/sla/policies/{id}", Access::admin},
        {"GET /api/v1/sla/clocks", Access::member},
        {"GET /api/v1/sla/items/{key}", Access::member},
        // Where to others are told, and with which secrets.
        {"GET /api/v1/webhooks", Access::admin},
        {"POST /api/v1/webhooks", Access::admin},
        {"GET /api/v1/webhooks/{id}", Access::admin},
        {"PATCH /api/v1/webhooks/{id}", Access::admin},
        {"DELETE /api/v1/webhooks/{id}", Access::admin},
        {"POST /api/v1/webhooks/{id}/rotate", Access::admin},
        {"GET /api/v1/webhooks/{id}/attempts", Access::admin},
        {"POST /api/v1/webhooks/{id}/replay", Access::admin},
        {"GET /api/v1/chat/rooms", Access::admin},
        {"POST /api/v1/chat/rooms", Access::admin},
        {"GET /api/v1/chat/rooms/{id}", Access::admin},
        {"PATCH /api/v1/chat/rooms/{id}", Access::admin},
        {"DELETE /api/v1/chat/rooms/{id}", Access::admin},
        {"POST /api/v1/chat/rooms/{id}/test", Access::admin},
        // What happens by itself, in everybody's name.
        {"GET /api/v1/automations", Access::admin},
        {"POST /api/v1/automations", Access::admin},
        {"POST /api/v1/automations/dry-run", Access::admin},
        {"GET /api/v1/automations/runs", Access::admin},
        {"GET /api/v1/automations/{id}", Access::admin},
        {"PATCH /api/v1/automations/{id}", Access::admin},
        {"DELETE /api/v1/automations/{id}", Access::admin},
        // Of entities without code: a manifest makes them, and everybody works on them.
        {"GET /api/v1/milestones", Access::member},
        {"POST /api/v1/milestones", Access::member},
        {"GET /api/v1/milestones/{id}", Access::member},
        {"PATCH /api/v1/milestones/{id}", Access::member},
        {"DELETE /api/v1/milestones/{id}", Access::member},
    };
}

/// "POST /api/v1/items/{key}" as a request about something that is not there.
struct Request {
    explicit Request(const std::string& route) {
        const auto blank = route.find(' ');
        method = route.substr(0, blank);
        bool inside = false;
        for (const char c : route.substr(blank + 1)) {
            if (c == '{') target += "none-1";
            inside = c == '{' || (inside && c != '}');
            if (!inside && c != '}') target += c;
        }
        // A stream that begins does not end; one that is asked wrongly is refused.
        if (target.starts_with("/api/v1/stream")) target += "?colour=1";
    }
    [[nodiscard]] bool is_safe() const { return method == "GET"; }

    std::string method;
    std::string target;
};

bool is_let_in(int status) {
    return status != 401 && status != 403 && status != 0 && status < 500;
}

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        for (const std::string id :
             {"automations", "chat", "notify", "realtime", "search", "sla", "webhooks"})
            ship(id);
        ship_enabled("milestones");
        must({"migrate"});
    }
    [[nodiscard]] std::string bearer(const std::string& role) const {
        const auto made = must({"token", "create", "--name", role, "--role", role, "--json"});
        return "Authorization: Bearer " + made.json()["token"].get<std::string>() + "\r\n";
    }
    /// The Cookie header of somebody who has signed in.
    [[nodiscard]] std::string cookie(std::uint16_t port, const std::string& role) const {
        const auto made = must({"account", "create", "--name", role, "--role", role, "--json"});
        const auto target = "/api/v1/links/" + made.json()["link"]["code"].get<std::string>();
        const auto in = http(port,
                             "POST",
                             target,
                             "Content-Type: application/json\r\n",
                             R"({"password":"correct horse battery"})");
        REQUIRE(in.status == 200);
        const auto set = in.headers.find("set-cookie")->second;
        return "Cookie: " + set.substr(0, set.find(';')) + "\r\n";
    }
};

}  // namespace

TEST_SUITE("web host access") {
    TEST_CASE_FIXTURE(Scene, "every route of the host lets in whom it is for and nobody else") {
        const auto host = serve();
        const auto port = port_of(*host);
        const auto wanted = decisions();
        const auto member = bearer("member");
        const auto admin = bearer("admin");

        const auto document = http(port, "GET", "/api/v1/openapi.json").json();
        std::vector<std::string> undecided;
        std::size_t served = 0;
        for (const auto& [path, methods] : document["paths"].items()) {
            for (const auto& [method, operation] : methods.items()) {
                std::string route;
                for (const char c : method) route += static_cast<char>(c - 'a' + 'A');
                route += " " + path;
                ++served;
                if (!wanted.contains(route)) undecided.push_back(route);
                CHECK(operation["security"].empty() ==
                      (wanted.contains(route) && wanted.at(route) == Access::anyone));
            }
        }
        CHECK_MESSAGE(undecided.empty(), "decide who may call it: ", json(undecided).dump());
        CHECK(served == wanted.size());

        for (const auto& [route, access] : wanted) {
            CAPTURE(route);
            const Request request{route};
            const auto status = [&](const std::string& headers) {
                return http(port, request.method, request.target, headers).status;
            };
            CHECK(is_let_in(status(admin)));
            if (access == Access::anyone) {
                CHECK(is_let_in(status("")));
                continue;
            }
            CHECK(status("") == 401);
            CHECK(status("Authorization: Bearer radd_unknown\r\n") == 401);
            CHECK(status("Cookie: radd_session=unknown\r\n") == 401);
            // Before anything else is looked at, and without a word of what is there.
            const auto asked = request.target + (request.target.ends_with("=1") ? "" : "?colour=1");
            CHECK(http(port, request.method, asked).status == 401);
            if (access == Access::member) {
                CHECK(is_let_in(status(member)));
                continue;
            }
            const auto refused = http(port, request.method, asked, member);
            CHECK(refused.status == 403);
            CHECK(refused.json()["detail"] == "this is for administrators");
        }
    }

    TEST_CASE_FIXTURE(Scene, "no route changes anything by a cookie alone") {
        const auto host = serve();
        const auto port = port_of(*host);
        const auto member = cookie(port, "member");
        const auto admin = cookie(port, "admin");
        const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";

        for (const auto& [route, access] : decisions()) {
            const Request request{route};
            CAPTURE(route);
            if (request.is_safe()) {
                CHECK(is_let_in(http(port, request.method, request.target, admin).status));
                continue;
            }
            if (access == Access::anyone) continue;
            const auto status = [&](const std::string& headers, std::string_view body) {
                return http(port, request.method, request.target, headers, body).status;
            };
            CHECK(status(member, "") == 403);
            CHECK(status(admin, "") == 403);
            CHECK(status(admin + "X-CSRF-Token: guessed\r\n", "") == 403);
            CHECK(status(admin + form, "csrf_token=guessed") == 403);
        }
        // Signing somebody in as somebody else from another site takes a type that a form cannot
        // send, and a script only after it has asked.
        for (const char* type : {"application/x-www-form-urlencoded", "text/plain"}) {
            const auto reply = http(port,
                                    "POST",
                                    "/api/v1/session",
                                    std::string{"Content-Type: "} + type + "\r\n",
                                    R"({"name":"admin","password":"correct horse battery"})");
            CHECK(reply.status == 415);
        }
        const auto preflight = http(port, "OPTIONS", "/api/v1/session", "Origin: http://evil\r\n");
        CHECK_FALSE(preflight.has_header("access-control-allow-origin"));
    }

    TEST_CASE_FIXTURE(Scene, "who asks is told which plugins there are") {
        const auto host = serve();
        const auto who = http(port_of(*host), "GET", "/api/v1/session", bearer("member")).json();

        std::vector<std::string> installed;
        for (const auto& file : std::filesystem::directory_iterator{path("manifests")})
            installed.push_back(file.path().stem().string());
        CHECK(installed.size() > 4);
        for (const auto& id : installed)
            CHECK_MESSAGE(std::ranges::count(who.at("plugins"), json(id)) == 1, id);
    }

    TEST_CASE_FIXTURE(Scene, "metrics can be kept for administrators") {
        set("RADD_HTTP_METRICS_ACCESS", "admin");
        const auto host = serve();
        const auto port = port_of(*host);

        CHECK(http(port, "GET", "/metrics").status == 401);
        CHECK(http(port, "GET", "/metrics", bearer("member")).status == 403);
        CHECK(http(port, "GET", "/metrics", bearer("admin")).status == 200);
    }
}
