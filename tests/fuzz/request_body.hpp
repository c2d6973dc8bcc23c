#pragma once

/// Any bytes as a request: there is an answer, it can be sent, and it tells no secret.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/web/dispatch.hpp>
#include <host/web/framing.hpp>
#include <host/web/text.hpp>
#include <radd/testing/services.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

/// "POST /things/1?x=y", a line for each header, an empty line, the body.
inline radd::web::Incoming request_from(std::string_view text) {
    const auto line = [&] {
        const auto taken = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(taken.size() + 1, text.size()));
        return taken;
    };
    radd::web::Incoming request{.peer_address = "127.0.0.1"};
    const auto first = line();
    const auto space = std::min(first.find(' '), first.size());
    request.method = first.substr(0, space);
    request.target = first.substr(std::min(space + 1, first.size()));
    for (auto field = line(); !field.empty(); field = line()) {
        const auto colon = std::min(field.find(':'), field.size());
        request.headers.emplace_back(
            radd::web::lower_case(field.substr(0, colon)),
            radd::web::trimmed(field.substr(std::min(colon + 1, field.size()))));
    }
    request.body = text;
    return request;
}

/// Admits whoever says "token", by either way.
class OneCaller final : public radd::web::Authenticator {
public:
    std::optional<radd::web::Identity> by_token(std::string_view token) override {
        return known(token, false);
    }
    std::optional<radd::web::Identity> by_session(std::string_view cookie) override {
        return known(cookie, true);
    }

private:
    static std::optional<radd::web::Identity> known(std::string_view secret, bool by_session) {
        if (secret != "token") return std::nullopt;
        return radd::web::Identity{.principal = {.id = "caller", .name = "Caller"},
                                   .by_session = by_session,
                                   .csrf_token = "csrf"};
    }
};

class RequestTarget {
public:
    RequestTarget()
        : router_{routes(services_)},
          dispatcher_{{.router = router_,
                       .pages = pages_,
                       .authenticator = &caller_,
                       .clock = services_.time,
                       .random = services_.chance,
                       .log = services_.lines},
                      {.trusted_proxies = {"127.0.0.1"}}} {}

    void check(std::string_view text) {
        auto request = request_from(text);
        const bool is_head = request.method == "HEAD";
        const auto call = dispatcher_.begin(std::move(request));
        auto answer = call->answer;
        if (call->lane != radd::web::Lane::decided) {
            const auto admission = dispatcher_.admit(*call);
            answer = admission.refusal ? *admission.refusal : dispatcher_.answer(*call, admission);
        }

        require(answer.status >= 200 && answer.status <= 505, "there is an answer");
        require(answer.status != 500, "no request makes the host fail");
        require(answer.omits_body == is_head, "HEAD alone has no body");
        const auto head = radd::web::head_of(answer, true);
        require(head.find("\r\n\r\n") == head.size() - 4, "a header ends where it ends");
        require(std::ranges::none_of(
                    head, [](char c) { return c != '\r' && c != '\n' && (c < 0x20 || c == 0x7F); }),
                "a header is plain text");
        if (call->route != nullptr && call->route->spec.path == "/csat/{token}")
            require(call->logged_path == "/csat/***", "no token is logged");
        constexpr int errors_from = 400;
        if (answer.status < errors_from || head.find("gzip") != std::string::npos) return;
        const auto problem = radd::json::parse(answer.body);
        require(problem["status"] == answer.status, "an error says its status");
        require(problem["request_id"] == call->request_id, "an error says its request");
    }

private:
    static std::vector<radd::web::Route> routes(radd::Services& services) {
        using radd::HttpMethod;
        std::vector<radd::web::Route> routes;
        const auto add = [&](HttpMethod method, const char* path, radd::Access access) {
            routes.push_back(
                {.spec = {.method = method,
                          .path = path,
                          .access = access,
                          .summary = "Answer",
                          .handle =
                              [](const radd::HttpRequest& asked, radd::Services&) {
                                  return radd::json_response(radd::json{{"path", asked.path}});
                              }},
                 .owner = "fuzz",
                 .host = &services});
        };
        add(HttpMethod::get, "/things/{name}", radd::Access::anyone);
        add(HttpMethod::get, "/csat/{token}", radd::Access::anyone);
        add(HttpMethod::post, "/things", radd::Access::member);
        add(HttpMethod::del, "/things/{name}", radd::Access::admin);
        routes[0].spec.query = {
            {.name = "limit", .description = "", .schema = R"({"type":"integer","maximum":9})"}};
        routes[2].spec.request_schema =
            R"({"type":"object","additionalProperties":false,
                "properties":{"title":{"type":"string","maxLength":9}}})";
        return routes;
    }

    radd::testing::FakeServices services_;
    OneCaller caller_;
    radd::web::StaticPages pages_{{}};
    radd::web::Router router_;
    radd::web::Dispatcher dispatcher_;
};

inline void check_request(std::string_view text) {
    static RequestTarget target;
    target.check(text);
}

}  // namespace fuzz
