#include <functional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/web/cookies.hpp>
#include <host/web/session_routes.hpp>
#include <radd/http_problem.hpp>

namespace radd::web {
namespace {

using nlohmann::ordered_json;
using Parts = SessionRoutesParts;

constexpr int unauthorized = 401;
constexpr int not_found = 404;
constexpr int too_many_requests = 429;

/// Forgotten by a browser that is told so.
constexpr std::chrono::seconds at_once{0};

accounts::Browser browser_of(const HttpRequest& request, const Credentials& credentials) {
    return {.address = request.remote_address, .device_cookie = credentials.device_cookie};
}

ordered_json described(const std::string& id, const std::string& name, Role role) {
    return {{"id", id}, {"name", name}, {"role", name_of(role)}};
}

/// Both cookies, and what a page needs to begin. The session before, if any, has ended.
HttpResponse admitted(const Parts& parts,
                      const Credentials& credentials,
                      const accounts::SignedIn& in) {
    if (!credentials.session_cookie.empty()) parts.sign_in.sign_out(credentials.session_cookie);
    parts.identities.forget();
    const ordered_json answer{
        {"account", described(in.account.id, in.account.name, in.account.role)},
        {"csrf_token", in.csrf_token},
        {"plugins", parts.plugins}};
    HttpResponse response{.body = answer.dump()};
    response.headers.emplace_back("Set-Cookie",
                                  set_cookie(session_cookie_name(parts.public_https),
                                             in.session_cookie,
                                             accounts::session_lifetime_max));
    response.headers.emplace_back(
        "Set-Cookie",
        set_cookie(
            device_cookie_name(parts.public_https), in.device_cookie, accounts::device_lifetime));
    return response;
}

HttpResponse sign_in(const Parts& parts,
                     const HttpRequest& request,
                     const Credentials& credentials) {
    const json body = request.json_body();
    try {
        const auto in = parts.sign_in.sign_in(body["name"].get<std::string>(),
                                              body["password"].get<std::string>(),
                                              browser_of(request, credentials));
        if (!in) throw HttpError{unauthorized, "the name or the password is wrong"};
        return admitted(parts, credentials, *in);
    } catch (const accounts::TooManyAttempts& limit) {
        auto refused = problem_response(too_many_requests, limit.what(), request.request_id);
        refused.headers.emplace_back("Retry-After", std::to_string(limit.retry_after().count()));
        return refused;
    }
}

HttpResponse who_am_i(const Parts& parts,
                      const HttpRequest& request,
                      const Credentials& credentials) {
    const Principal& who = *request.principal;
    ordered_json answer{{"account", described(who.id, who.name, who.role)},
                        {"csrf_token", nullptr},
                        {"plugins", parts.plugins}};
    if (!credentials.session_csrf_token.empty())
        answer["csrf_token"] = credentials.session_csrf_token;
    return {.body = answer.dump()};
}

HttpResponse sign_out(const Parts& parts, const HttpRequest&, const Credentials& credentials) {
    parts.sign_in.sign_out(credentials.session_cookie);
    parts.identities.forget();
    auto response = no_content();
    response.headers.emplace_back("Set-Cookie",
                                  set_cookie(session_cookie_name(parts.public_https), "", at_once));
    return response;
}

[[noreturn]] void refuse_link() {
    throw HttpError{not_found,
                    "this link has been used, has expired, or was replaced by a newer one; ask an "
                    "administrator for another"};
}

HttpResponse show_link(const Parts& parts, const HttpRequest& request, const Credentials&) {
    const auto link = parts.sign_in.find_link(request.path_parameter("code"));
    if (!link) refuse_link();
    ordered_json answer{
        {"purpose", name_of(link->purpose)}, {"name", nullptr}, {"expires_at", link->expires_at}};
    if (link->account_name) answer["name"] = *link->account_name;
    return {.body = answer.dump()};
}

HttpResponse use_link(const Parts& parts,
                      const HttpRequest& request,
                      const Credentials& credentials) {
    const json body = request.json_body();
    std::optional<std::string> name;
    if (body.contains("name")) name = body["name"].get<std::string>();
    const auto in = parts.sign_in.use_link(request.path_parameter("code"),
                                           name,
                                           body["password"].get<std::string>(),
                                           browser_of(request, credentials));
    if (!in) refuse_link();
    return admitted(parts, credentials, *in);
}

/// Who a session belongs to.
constexpr const char* session_schema = R"({
    "type": "object", "required": ["account", "csrf_token", "plugins"], "additionalProperties": false,
    "properties": {
        "account": {
            "type": "object", "required": ["id", "name", "role"], "additionalProperties": false,
            "properties": {"id": {"type": "string", "format": "uuid"}, "name": {"type": "string"},
                           "role": {"enum": ["member", "admin"]}}},
        "csrf_token": {"type": ["string", "null"]},
        "plugins": {"type": "array", "items": {"type": "string"},
                    "description": "Ids of the plugins that are loaded"}}})";

constexpr const char* link_schema = R"({
    "type": "object", "required": ["purpose", "name", "expires_at"], "additionalProperties": false,
    "properties": {"purpose": {"enum": ["first_admin", "set_password"]},
                   "name": {"type": ["string", "null"]},
                   "expires_at": {"type": "string", "format": "date-time"}}})";

constexpr const char* sign_in_schema = R"({
    "type": "object", "required": ["name", "password"], "additionalProperties": false,
    "properties": {"name": {"type": "string"}, "password": {"type": "string"}}})";

constexpr const char* password_schema = R"({
    "type": "object", "required": ["password"], "additionalProperties": false,
    "properties": {"name": {"type": "string"}, "password": {"type": "string"}}})";

using Handler = HttpResponse (*)(const Parts&, const HttpRequest&, const Credentials&);

Route route(const Parts& parts, RouteSpec spec, Handler handler) {
    spec.tag = "Session";
    return {.spec = std::move(spec),
            .owner = "radd",
            .handle_session = [parts, handler](const HttpRequest& request,
                                               const Credentials& credentials) {
                return handler(parts, request, credentials);
            }};
}

RouteSpec spec_of(HttpMethod method, std::string path, Access access, std::string summary) {
    return {.method = method,
            .path = std::move(path),
            .access = access,
            .summary = std::move(summary),
            .handle = {}};
}

}  // namespace

std::vector<Route> session_routes(const SessionRoutesParts& parts) {
    const ResponseSpec session{.description = "Who is signed in, and what unsafe requests repeat",
                               .schema = session_schema};
    const ResponseSpec refused{.status = too_many_requests,
                               .description = "Too many attempts: see Retry-After",
                               .content_type = "application/problem+json"};
    auto entering =
        spec_of(HttpMethod::post, "/api/v1/session", Access::anyone, "Sign in with a password");
    entering.description = "Sets the session's cookie.";
    entering.request_schema = sign_in_schema;
    entering.responses = {session, refused};

    auto asking = spec_of(HttpMethod::get, "/api/v1/session", Access::member, "Tell who is asking");
    asking.description = "The csrf_token is null for who comes with a token.";
    asking.responses = {session};

    auto leaving = spec_of(HttpMethod::del, "/api/v1/session", Access::member, "Sign out");
    leaving.responses = {{.status = 204, .description = "The session has ended"}};

    auto looking = spec_of(HttpMethod::get,
                           "/api/v1/links/{code}",
                           Access::anyone,
                           "Tell what a one-time link is for");
    looking.responses = {{.description = "It can be used", .schema = link_schema}};

    auto using_it = spec_of(HttpMethod::post,
                            "/api/v1/links/{code}",
                            Access::anyone,
                            "Use a one-time link, and sign in");
    using_it.description =
        "Sets the password. The name is for the first administrator, whose account it makes; "
        "whoever has an account has a name already.";
    using_it.request_schema = password_schema;
    using_it.responses = {session};
    return {route(parts, std::move(entering), sign_in),
            route(parts, std::move(asking), who_am_i),
            route(parts, std::move(leaving), sign_out),
            route(parts, std::move(looking), show_link),
            route(parts, std::move(using_it), use_link)};
}

}  // namespace radd::web
