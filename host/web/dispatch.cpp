#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include <host/config/address_range.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/dispatch_checks.hpp>
#include <host/web/forwarded.hpp>
#include <host/web/request_target.hpp>
#include <host/web/text.hpp>
#include <radd/percent.hpp>

namespace radd::web {
namespace {

constexpr int bad_request = 400;
constexpr int not_found = 404;
constexpr int not_allowed = 405;
constexpr int no_content_status = 204;

constexpr std::size_t request_id_bytes_max = 64;
/// Segments of unknown paths from this length on are not logged: a mistyped link holds its token.
constexpr std::size_t logged_segment_bytes_max = 19;
constexpr std::string_view mask = "***";

bool is_sane_id(std::string_view id) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    return !id.empty() && id.size() <= request_id_bytes_max && std::ranges::all_of(id, fits);
}

std::string new_id(Random& random) {
    std::array<char, 17> text{};
    std::snprintf(
        text.data(), text.size(), "%016llx", static_cast<unsigned long long>(random.bits()));
    return text.data();
}

std::optional<HttpMethod> method_of(std::string_view name) {
    if (name == "HEAD") return HttpMethod::get;
    for (const auto method :
         {HttpMethod::get, HttpMethod::post, HttpMethod::put, HttpMethod::patch, HttpMethod::del})
        if (name == name_of(method)) return method;
    return std::nullopt;
}

std::string allow_list(const std::vector<HttpMethod>& methods) {
    std::set<std::string_view> names{"OPTIONS"};
    for (const auto method : methods) {
        names.insert(name_of(method));
        if (method == HttpMethod::get) names.insert("HEAD");
    }
    std::string list;
    for (const auto name : names) list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

/// The path without what it may hold for its bearer alone.
std::string logged_path(const Route* route, const std::vector<std::string>& segments) {
    const auto pattern = route != nullptr ? RoutePattern{route->spec.path}.segments()
                                          : std::vector<RoutePattern::Segment>{};
    std::string path;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool secret = route == nullptr
                                ? segments[i].size() > logged_segment_bytes_max
                                : pattern[i].is_parameter &&
                                      (pattern[i].text == "token" || pattern[i].text == "code");
        path.append("/").append(secret ? mask : std::string_view{segments[i]});
    }
    return path;
}

}  // namespace

Dispatcher::Dispatcher(DispatcherParts parts, DispatcherOptions options)
    : parts_{std::move(parts)}, options_{std::move(options)}, checks_{std::make_unique<Checks>()} {
    for (const Route& route : parts_.router.routes())
        checks_->of_routes.emplace(&route, RequestChecks{route.spec});
    for (const std::string& text : options_.trusted_proxies) {
        const auto range = config::AddressRange::parse(text);
        if (!range) throw ConfigError{"http.trusted_proxies: '" + text + "' is no address range"};
        checks_->trusted_proxies.push_back(*range);
    }
}

Dispatcher::~Dispatcher() = default;

bool Dispatcher::is_database_away() const {
    return parts_.database_away && parts_.database_away();
}

Call Dispatcher::named(Incoming request) const {
    Call call{.request = std::move(request)};
    const auto given = header_value(call.request.headers, "x-request-id");
    call.request_id = is_sane_id(given) ? std::string{given} : new_id(parts_.random);
    auto client =
        client_of(call.request.peer_address, call.request.headers, checks_->trusted_proxies);
    call.remote_address = std::move(client.address);
    call.is_https = client.is_https || options_.public_https;
    call.began = parts_.clock.steady_now();
    std::erase_if(call.request.headers,
                  [](const HttpField& field) { return field.first.starts_with("x-forwarded-"); });
    if (!client.host.empty()) {
        std::erase_if(call.request.headers,
                      [](const auto& field) { return field.first == "host"; });
        call.request.headers.emplace_back("host", std::move(client.host));
    }
    return call;
}

std::size_t Dispatcher::body_bytes_max(std::string_view method, std::string_view target) const {
    try {
        const auto match = parts_.router.find(method_of(method), parse_target(target).segments);
        const bool is_open = match.route == nullptr || match.route->spec.access == Access::anyone;
        return is_open ? open_body_bytes_max : http_body_bytes_max;
    } catch (const HttpError&) {
        return open_body_bytes_max;
    }
}

std::shared_ptr<const Call> Dispatcher::begin(Incoming request) const {
    auto call = std::make_shared<Call>(named(std::move(request)));
    try {
        route(*call);
    } catch (const HttpError& error) {
        call->answer = refuse(*call, {.status = error.status(), .detail = error.what()});
    }
    return call;
}

std::shared_ptr<const Call> Dispatcher::begin_refused(Incoming request,
                                                      const ProblemDetails& problem) const {
    auto call = std::make_shared<Call>(named(std::move(request)));
    try {
        // For the log alone: what was asked for, if it was that much of a request.
        const auto target = parse_target(call->request.target);
        const auto match = parts_.router.find(method_of(call->request.method), target.segments);
        call->logged_path = logged_path(match.route, target.segments);
    } catch (const HttpError&) {
        // Then the line names no path.
    }
    call->answer = refuse(*call, problem);
    return call;
}

void Dispatcher::route(Call& call) const {
    const std::string& method = call.request.method;
    for (const auto& [name, value] : call.request.headers) {
        if (first_invalid_utf8(value))
            throw HttpError{bad_request, "header " + name + ": is not UTF-8"};
    }
    if (method == "OPTIONS" && call.request.target == "*") {
        call.logged_path = "*";
        call.answer = {.status = no_content_status,
                       .headers = {{"Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"}}};
        return finish(call, call.answer);
    }
    auto target = parse_target(call.request.target);
    auto match = parts_.router.find(method_of(method), target.segments);
    call.logged_path = logged_path(match.route, target.segments);
    call.path = std::move(target.path);
    if (match.route != nullptr) {
        call.path_parameters = std::move(match.path_parameters);
        call.query = std::move(target.query);
        call.route = match.route;
        // To learn who asks takes the database as well, even if the answer does not.
        const bool needs_database =
            match.route->needs_database || match.route->spec.access != Access::anyone;
        if (needs_database && is_database_away()) {
            call.answer = refuse(call, database_is_away());
            return;
        }
        call.lane = needs_database ? Lane::handlers : Lane::vital;
        return;
    }
    if (!match.allowed.empty()) {
        const HttpField allow{"Allow", allow_list(match.allowed)};
        if (method != "OPTIONS") {
            call.answer = refuse(call,
                                 {.status = not_allowed,
                                  .detail = "this address has no such method; see Allow",
                                  .headers = {allow}});
            return;
        }
        call.answer = {.status = no_content_status, .headers = {allow}};
        return finish(call, call.answer);
    }
    if (method == "GET" || method == "HEAD") {
        if (auto page = parts_.pages.find(call.path, call.request.headers)) {
            call.answer = *std::move(page);
            return finish(call, call.answer);
        }
    }
    const bool has_no_pages = parts_.pages.is_empty() && call.path == "/";
    call.answer = refuse(call,
                         {.status = not_found,
                          .detail = has_no_pages ? "this build has no pages; the API is described "
                                                   "at /api/v1/openapi.json"
                                                 : "there is nothing at this address"});
}

Outgoing Dispatcher::refuse(const Call& call, const ProblemDetails& problem) const {
    Outgoing answer = to_answer(problem, call.request_id);
    finish(call, answer);
    return answer;
}

}  // namespace radd::web
