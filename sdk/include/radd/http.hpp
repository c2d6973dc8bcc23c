#pragma once

/// Routes that a plugin adds to the host's HTTP server: pages for people, resources for programs.
///
/// The host reads the request whole, finds the route, checks who calls, checks the body against
/// the route's schema, and only then calls the handler, on one of its web threads. What the
/// handler throws becomes an answer by its type; see HttpError. Terms are those of RFC 9110.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/error.hpp>
#include <radd/export.hpp>
#include <radd/json_text.hpp>

namespace radd {

class Services;

enum class HttpMethod : std::uint8_t { get, post, put, patch, del };

/// As it stands on the request line: "DELETE".
[[nodiscard]] constexpr std::string_view name_of(HttpMethod method) noexcept {
    switch (method) {
        case HttpMethod::get:
            return "GET";
        case HttpMethod::post:
            return "POST";
        case HttpMethod::put:
            return "PUT";
        case HttpMethod::patch:
            return "PATCH";
        case HttpMethod::del:
            return "DELETE";
    }
    return {};
}

enum class Role : std::uint8_t { member, admin };

/// As it is stored and as JSON spells it.
[[nodiscard]] constexpr std::string_view name_of(Role role) noexcept {
    return role == Role::admin ? "admin" : "member";
}

/// Who is asking, once the host has made sure of it.
struct Principal {
    std::string id;  ///< A uuid: what events carry as their actor.
    std::string name;
    Role role = Role::member;
};

/// Who may call a route. Without a valid token or session the answer is 401; a member on an
/// admin's route gets 403, which tells nothing about what is there.
enum class Access : std::uint8_t {
    anyone,  ///< Nobody is asked who they are: the handler itself must know why it answers.
    member,  ///< Every signed-in person and every token.
    admin,
};

/// A name and its value, percent-decoded. Valid UTF-8: the host answers 400 to anything else.
using HttpField = std::pair<std::string, std::string>;

/// What the host hands to a handler. Valid during the call.
struct HttpRequest {
    HttpMethod method = HttpMethod::get;
    std::string path;                          ///< Decoded, without query: "/api/v1/items/DEMO-1".
    std::vector<HttpField> path_parameters{};  ///< What stood where the route has `{name}`.
    std::vector<HttpField> query{};            ///< In their order; only what the route declares.
    std::vector<HttpField> headers{};          ///< Names in lower case, without Authorization
                                               ///< and Cookie, which are the host's alone.
    std::string body{};                        ///< At most http_body_bytes_max.
    std::optional<Principal> principal{};      ///< Set whenever the route is not for anyone.
    std::string request_id{};      ///< Also in the answer's X-Request-Id and the access log.
    std::string remote_address{};  ///< Of the client, as far as configured proxies vouch for it.

    /// @throws ConfigError if the route has no such parameter, which is the plugin's mistake.
    [[nodiscard]] const std::string& path_parameter(std::string_view name) const {
        for (const auto& [key, value] : path_parameters)
            if (key == name) return value;
        throw ConfigError{"this route has no path parameter '" + std::string{name} + "'"};
    }
    /// The first value given under this name.
    [[nodiscard]] std::optional<std::string_view> query_value(std::string_view name) const {
        return find(query, name);
    }
    /// Every value given under this name, in order: `?type=a&type=b`.
    [[nodiscard]] std::vector<std::string> query_values(std::string_view name) const {
        std::vector<std::string> values;
        for (const auto& [key, value] : query)
            if (key == name) values.push_back(value);
        return values;
    }
    /// `name` in lower case.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
        return find(headers, name);
    }
    /// The body of a route with a request_schema. The host has parsed it once already, so this
    /// does not fail there; elsewhere @throws InvalidInput with field "body".
    [[nodiscard]] json json_body() const {
        auto parsed = json::parse(body, nullptr, false);
        if (parsed.is_discarded()) throw InvalidInput{"body", "is not JSON"};
        return parsed;
    }

private:
    [[nodiscard]] static std::optional<std::string_view> find(const std::vector<HttpField>& fields,
                                                              std::string_view name) {
        const auto found = std::ranges::find(fields, name, &HttpField::first);
        if (found == fields.end()) return std::nullopt;
        return found->second;
    }
};

inline constexpr std::size_t http_header_bytes_max = std::size_t{16} * 1024;  ///< Past it: 431.
inline constexpr std::size_t http_body_bytes_max = std::size_t{1024} * 1024;  ///< Past it: 413.

/// What a handler answers. The host adds Content-Length, Date, X-Request-Id, security headers,
/// and compresses where it pays.
struct HttpResponse {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::vector<HttpField> headers{};  ///< Values without control characters, else the answer is
                                       ///< 500 and nothing of them is sent.
};

[[nodiscard]] inline HttpResponse json_response(const JsonText& document, int status = 200) {
    return {.status = status, .body = document.text()};
}
[[nodiscard]] inline HttpResponse html_response(std::string page, int status = 200) {
    return {.status = status, .content_type = "text/html; charset=utf-8", .body = std::move(page)};
}
[[nodiscard]] inline HttpResponse no_content() {
    return {.status = 204, .content_type = {}};
}
/// 303: whatever the request was, the client continues with GET.
[[nodiscard]] inline HttpResponse see_other(std::string location) {
    return {.status = 303, .content_type = {}, .headers = {{"Location", std::move(location)}}};
}

/// Ends a handler with an answer in application/problem+json (RFC 9457).
///
/// Other types answer too: InvalidInput 422 naming its field, Unavailable 503 with Retry-After,
/// Contention 503, and everything else 500, whose text is in the log and not in the answer;
/// problem_of() in http_problem.hpp is that table.
class RADD_EXPORT HttpError : public Error {
public:
    /// `status` is 4xx or 5xx. `detail` is shown to the client: no secrets, no SQL.
    HttpError(int status, const std::string& detail);
    ~HttpError() override;

    [[nodiscard]] int status() const noexcept { return status_; }

private:
    int status_;
};

/// A parameter after the `?`. One that no route declares is answered with 422 and its name.
struct QueryParameter {
    std::string name;
    std::string description;
    JsonText schema = R"({"type":"string"})";  ///< string, integer or boolean, checked by the
                                               ///< host: 422 naming the parameter.
    bool required = false;
    bool repeated = false;  ///< May be given more than once.
};

/// An answer besides the errors that every route has.
struct ResponseSpec {
    int status = 200;
    std::string description;
    std::optional<JsonText> schema{};  ///< Of its JSON body.
    std::string content_type = "application/json";
};

/// One method on one path. It is also the entry in the OpenAPI document, so what is written here
/// is what people read.
struct RouteSpec {
    HttpMethod method = HttpMethod::get;
    /// Begins with '/'. A segment is text or `{name}`, which takes one whole segment that is not
    /// empty; where both fit, text wins (route_pattern.hpp). Programs' routes lie under /api/v1/;
    /// /api/v1/monitoring and what else the kernel uses is not for plugins (E38). Two routes that
    /// a request could mean alike are refused at boot (E39).
    std::string path;
    Access access = Access::member;
    std::string summary;  ///< One line, in the imperative: "Create an item".
    std::string description{};
    std::string tag{};  ///< Heading in the document; empty: the plugin's id.
    std::vector<QueryParameter> query{};
    /// JSON Schema (draft 7) of the body. With one, the host accepts application/json only (415),
    /// answers 400 to what is not JSON, with the offset, and 422 naming each offending field; an
    /// object that says `"additionalProperties": false` refuses unknown fields by name.
    std::optional<JsonText> request_schema{};
    std::vector<ResponseSpec> responses{};
    /// [any-thread: a web thread] May query; should answer within a second: the client is
    /// answered 503 after http.request_timeout, while the handler runs on to its end.
    std::function<HttpResponse(const HttpRequest& request, Services& host)> handle;
};

}  // namespace radd
