// The half of the dispatch that runs on a web thread.

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include <host/config/address_range.hpp>
#include <host/web/content_coding.hpp>
#include <host/web/cookies.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/dispatch_checks.hpp>
#include <host/web/http_date.hpp>
#include <host/web/secret.hpp>
#include <host/web/text.hpp>
#include <radd/form.hpp>

namespace radd::web {
namespace {

constexpr int not_modified = 304;
constexpr int bad_request = 400;
constexpr int unauthorized = 401;
constexpr int forbidden = 403;

bool is_safe(HttpMethod method) {
    return method == HttpMethod::get;
}

/// What follows "Bearer "; empty: no Authorization. @throws HttpError for what is neither.
std::string_view bearer_token(const std::vector<HttpField>& headers) {
    std::string_view token;
    for (const auto& [name, value] : headers) {
        if (name != "authorization") continue;
        if (!token.empty()) throw HttpError{bad_request, "Authorization is given twice"};
        constexpr std::string_view scheme = "bearer ";
        const std::string_view given{value};
        if (!is_same_name(given.substr(0, scheme.size()), scheme))
            throw HttpError{unauthorized, "Authorization: send \"Bearer\" and a token"};
        token = trimmed(given.substr(scheme.size()));
        if (token.empty()) throw HttpError{unauthorized, "Authorization: the token is missing"};
    }
    return token;
}

/// `X-CSRF-Token`, or the field of a form. @throws HttpError 400 for a form that is none.
std::string given_csrf_token(const Incoming& request) {
    const auto header = header_value(request.headers, "x-csrf-token");
    if (!header.empty()) return std::string{header};
    const auto type = header_value(request.headers, "content-type");
    if (!is_same_name(trimmed(type.substr(0, type.find(';'))), "application/x-www-form-urlencoded"))
        return {};
    return std::string{Form{request.body}.value("csrf_token").value_or("")};
}

HttpRequest request_for_handler(const Call& call) {
    HttpRequest request{.method = call.route->spec.method,
                        .path = call.path,
                        .path_parameters = call.path_parameters,
                        .query = call.query,
                        .body = call.request.body,
                        .request_id = call.request_id,
                        .remote_address = call.remote_address};
    for (const auto& field : call.request.headers) {
        if (field.first != "authorization" && field.first != "cookie")
            request.headers.push_back(field);
    }
    return request;
}

bool has_header(const std::vector<HttpField>& headers, std::string_view name) {
    return std::ranges::any_of(headers,
                               [&](const auto& field) { return is_same_name(field.first, name); });
}

/// What of a handler's answer must not go out, because it would break the connection's framing or
/// smuggle a header; empty: nothing.
std::string_view fault_of(const HttpResponse& response) {
    constexpr std::array<std::string_view, 5> reserved{
        "content-length", "transfer-encoding", "connection", "date", "x-request-id"};
    constexpr int status_min = 200;
    constexpr int status_max = 599;
    if (response.status < status_min || response.status > status_max) return "status";
    const auto is_clean = [](std::string_view text) {
        return std::ranges::none_of(text, [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
        });
    };
    if (!is_clean(response.content_type)) return "content type";
    for (const auto& [name, value] : response.headers) {
        const bool is_token = !name.empty() && std::ranges::all_of(name, [](char c) {
            return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '_';
        });
        if (!is_token || !is_clean(value)) return "header";
        if (std::ranges::find(reserved, lower_case(name)) != reserved.end()) return "header";
    }
    return {};
}

/// Who asks, once it is clear that they may.
std::optional<Identity> identify(const Call& call,
                                 Authenticator* authenticator,
                                 std::string_view cookie) {
    const Access access = call.route->spec.access;
    if (access == Access::anyone) return std::nullopt;
    const auto token = bearer_token(call.request.headers);
    std::optional<Identity> identity;
    if (authenticator != nullptr) {
        if (!token.empty()) {
            identity = authenticator->by_token(token);
        } else if (!cookie.empty()) {
            identity = authenticator->by_session(cookie);
        }
    }
    if (!identity) {
        throw HttpError{unauthorized,
                        token.empty() ? "sign in, or send a token"
                                      : "the token is unknown, revoked or expired"};
    }
    if (access == Access::admin && identity->principal.role != Role::admin)
        throw HttpError{forbidden, "this is for administrators"};
    if (identity->by_session && !is_safe(call.route->spec.method) &&
        !is_same_secret(given_csrf_token(call.request), identity->csrf_token)) {
        throw HttpError{forbidden,
                        "send the session's csrf_token in X-CSRF-Token; load the page again if "
                        "it did"};
    }
    return identity;
}

/// What is missing of a WebSocket's handshake (RFC 6455, 4.2.1); empty: nothing.
std::string_view fault_of_upgrade(const Call& call) {
    const auto& headers = call.request.headers;
    if (!is_same_name(trimmed(header_value(headers, "upgrade")), "websocket"))
        return "send Upgrade: websocket";
    if (header_value(headers, "sec-websocket-version") != "13")
        return "send Sec-WebSocket-Version: 13";
    if (header_value(headers, "sec-websocket-key").empty()) return "send Sec-WebSocket-Key";
    return {};
}

/// No browser asks before it opens a WebSocket to another site, and it may send cookies along.
void refuse_foreign_origin(const Call& call) {
    auto origin = header_value(call.request.headers, "origin");
    if (origin.empty()) return;
    const auto scheme = origin.find("://");
    if (scheme != std::string_view::npos) origin.remove_prefix(scheme + 3);
    if (!is_same_name(origin, header_value(call.request.headers, "host")))
        throw HttpError{forbidden, "this page is of another site than this host"};
}

Outgoing to_outgoing(HttpResponse response) {
    Outgoing answer{.status = response.status,
                    .headers = std::move(response.headers),
                    .body = std::move(response.body)};
    if (!response.content_type.empty())
        answer.headers.emplace_back("Content-Type", std::move(response.content_type));
    return answer;
}

/// The text of what was thrown, which the client does not get to see.
std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "threw something that is not an exception";
    }
}

}  // namespace

void Dispatcher::log_failure(const Call& call, int status, const std::exception_ptr& thrown) const {
    constexpr int server_errors_from = 500;
    if (status < server_errors_from) return;
    const auto level = status == server_errors_from ? LogLevel::error : LogLevel::warn;
    parts_.log.write(
        level,
        shown(call.route->spec) + ": " + text_of(thrown) + " (request " + call.request_id + ")");
}

Outgoing Dispatcher::answer_to(const Call& call, const std::exception_ptr& thrown) const {
    Outgoing answer = to_outgoing(problem_of(thrown, call.request_id));
    finish(call, answer);
    log_failure(call, answer.status, thrown);
    return answer;
}

Admission Dispatcher::admit(const Call& call) const noexcept {
    Admission admission;
    try {
        const auto cookies = header_value(call.request.headers, "cookie");
        const auto cookie = cookie_value(cookies, session_cookie_name(options_.public_https));
        admission.identity = identify(call, parts_.authenticator, cookie);
        admission.caller = admission.identity
                               ? "principal " + admission.identity->principal.id
                               : "address " + config::address_block(call.remote_address);
    } catch (...) {
        admission.refusal = answer_to(call, std::current_exception());
    }
    return admission;
}

Outgoing Dispatcher::answer(const Call& call, const Admission& admission) const noexcept {
    Outgoing answer;
    try {
        answer = answer_route(call, admission.identity);
    } catch (...) {
        answer = answer_to(call, std::current_exception());
    }
    if (admission.identity) answer.principal_id = admission.identity->principal.id;
    if (answer.stream) answer.stream_caller = admission.caller;
    return answer;
}

Outgoing Dispatcher::answer_route(const Call& call, const std::optional<Identity>& identity) const {
    const RequestChecks& checks = checks_->of_routes.at(call.route);
    if (const auto problem = checks.check_query(call.query)) return refuse(call, *problem);
    const auto content_type = header_value(call.request.headers, "content-type");
    if (const auto problem = checks.check_body(content_type, call.request.body))
        return refuse(call, *problem);

    HttpRequest request = request_for_handler(call);
    if (identity) request.principal = identity->principal;
    if (call.route->stream) return open_stream(call, request);
    const auto cookies = header_value(call.request.headers, "cookie");
    const Credentials credentials{
        .session_cookie =
            std::string{cookie_value(cookies, session_cookie_name(options_.public_https))},
        .session_csrf_token = identity && identity->by_session ? identity->csrf_token : "",
        .device_cookie =
            std::string{cookie_value(cookies, device_cookie_name(options_.public_https))},
        .is_https = call.is_https};
    HttpResponse response = call.route->handle_session
                                ? call.route->handle_session(request, credentials)
                                : call.route->spec.handle(request, *call.route->host);
    if (const auto fault = fault_of(response); !fault.empty())
        throw Error{"its handler's answer has a " + std::string{fault} + " that cannot be sent"};

    Outgoing answer = to_outgoing(std::move(response));
    finish(call, answer);
    return answer;
}

Outgoing Dispatcher::open_stream(const Call& call, const HttpRequest& request) const {
    const StreamSpec& spec = *call.route->stream;
    if (spec.kind == StreamKind::websocket) {
        constexpr int upgrade_required = 426;
        if (const auto fault = fault_of_upgrade(call); !fault.empty()) {
            return refuse(call,
                          {.status = upgrade_required,
                           .detail = "this is a WebSocket: " + std::string{fault},
                           .headers = {{"Upgrade", "websocket"}}});
        }
        refuse_foreign_origin(call);
    }
    Outgoing answer{.headers = {{"Content-Type", "text/event-stream"},
                                {"X-Accel-Buffering", "no"}}};  // nginx would hold it back.
    if (call.request.method != "HEAD") {
        answer.stream = spec.open(request, *call.route->host);
        if (!answer.stream) throw Error{"its open() made no session"};
    }
    finish(call, answer);
    return answer;
}

bool Dispatcher::is_still_allowed(const Call& call) const noexcept {
    try {
        const auto cookies = header_value(call.request.headers, "cookie");
        (void)identify(call,
                       parts_.authenticator,
                       cookie_value(cookies, session_cookie_name(options_.public_https)));
        return true;
    } catch (const HttpError&) {
        return false;
    } catch (...) {
        return true;
    }
}

void Dispatcher::finish(const Call& call, Outgoing& answer) const {
    const auto add = [&](const char* name, const char* value) {
        if (!has_header(answer.headers, name)) answer.headers.emplace_back(name, value);
    };
    // Asked first: each header that is added may move the ones that are there.
    const bool is_page = std::ranges::any_of(answer.headers, [](const auto& field) {
        return is_same_name(field.first, "content-type") && field.second.starts_with("text/html");
    });
    add("X-Content-Type-Options", "nosniff");
    add("Referrer-Policy", "same-origin");
    add("X-Frame-Options", "DENY");
    add("Cross-Origin-Opener-Policy", "same-origin");
    add("Cross-Origin-Resource-Policy", "same-origin");
    // A 304 says nothing of the kind: the browser would take it over for the page that it has.
    if (answer.status != not_modified) {
        add("Content-Security-Policy",
            is_page
                ? "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
                  "frame-ancestors 'none'; object-src 'none'"
                : "default-src 'none'; frame-ancestors 'none'");
    }
    add("Cache-Control", "no-store");
    answer.headers.emplace_back("Date", http_date(parts_.clock.now()));
    answer.headers.emplace_back("X-Request-Id", call.request_id);
    compress_where_it_pays(answer, header_value(call.request.headers, "accept-encoding"));
    answer.omits_body = call.request.method == "HEAD";
}

}  // namespace radd::web
