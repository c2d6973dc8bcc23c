#pragma once

/// A web server without a socket: finds the route a request means and calls its handler.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <radd/http.hpp>
#include <radd/http_problem.hpp>
#include <radd/percent.hpp>
#include <radd/route_pattern.hpp>
#include <radd/services.hpp>
#include <radd/testing/transaction.hpp>

namespace radd::testing {

/// A member and an admin, to call routes as.
[[nodiscard]] inline Principal a_member(std::string name = "Mia") {
    return {.id = "00000000-0000-4000-8000-00000000a001", .name = std::move(name)};
}
[[nodiscard]] inline Principal an_admin(std::string name = "Ada") {
    return {
        .id = "00000000-0000-4000-8000-00000000a002", .name = std::move(name), .role = Role::admin};
}

/// Answers requests as the host's server documents it, on the caller's thread:
///   - 404, and 405 with Allow; text before a parameter;
///   - 401 and 403 by the route's access; `principal` is set whenever somebody calls;
///   - 422 for a query parameter that is not declared, missing, given twice or of another type;
///   - for a route with a request_schema, 400 to a body that is no JSON;
///   - what the handler throws by its type, as problem_of(). The text of what becomes a 500 is in
///     the log of the services, and an UnscriptedStatement passes on, because it is the test's;
///   - 500 for an answer whose header values hold control characters.
///
/// What it leaves out: the rest of what a JSON Schema can say, size limits, CSRF, compression.
class RouteCaller {
public:
    RouteCaller(const std::vector<RouteSpec>& routes, Services& host)
        : routes_{routes}, host_{host} {}

    /// `target` as in a request line: "/api/v1/items?limit=2". Unless `headers` name another, the
    /// body of a route with a request_schema is JSON, and any other a form.
    HttpResponse call(HttpMethod method,
                      std::string_view target,
                      std::string body = {},
                      std::optional<Principal> principal = std::nullopt,
                      std::vector<HttpField> headers = {}) {
        try {
            return answer(method,
                          target,
                          {.body = std::move(body),
                           .headers = std::move(headers),
                           .principal = std::move(principal)});
        } catch (const UnscriptedStatement&) {
            throw;
        } catch (const std::exception& error) {
            auto response = problem_of(std::current_exception(), request_id);
            if (response.status == 500) host_.log().error(error.what());
            return response;
        } catch (...) {
            host_.log().error("an exception that is no std::exception");
            return problem_of(std::current_exception(), request_id);
        }
    }

private:
    static constexpr std::string_view request_id = "test-request";

    struct Sent {
        std::string body;
        std::vector<HttpField> headers;
        std::optional<Principal> principal;
    };

    HttpResponse answer(HttpMethod method, std::string_view target, Sent sent) {
        const auto question = target.find('?');
        const auto path = target.substr(0, question);
        const auto segments = path_segments(path);
        if (!segments) throw HttpError{400, "the path is no encoded UTF-8"};
        HttpRequest request{.method = method,
                            .path = percent_decoded(path).value_or(""),
                            .headers = std::move(sent.headers),
                            .body = std::move(sent.body),
                            .principal = std::move(sent.principal),
                            .request_id = std::string{request_id},
                            .remote_address = "127.0.0.1"};

        std::string allowed;
        const RouteSpec* route = find(request, *segments, allowed);
        if (route == nullptr && allowed.empty()) throw HttpError{404, "there is nothing here"};
        if (route == nullptr) {
            auto refused = problem_response(405, "use " + allowed, request_id);
            refused.headers.emplace_back("Allow", allowed);
            return refused;
        }
        check_access(*route, request);
        if (question != std::string_view::npos)
            request.query = parsed_query(target.substr(question + 1));
        check_query(*route, request);
        check_body(*route, request);
        return checked(route->handle(request, host_));
    }

    /// The route, its parameters set in `request`; or null, and the methods that the path has.
    const RouteSpec* find(HttpRequest& request,
                          const std::vector<std::string>& segments,
                          std::string& allowed) const {
        const RouteSpec* best = nullptr;
        std::optional<RoutePattern> pattern_of_best;
        for (const RouteSpec& route : routes_) {
            const RoutePattern pattern{route.path};
            auto parameters = pattern.match(segments);
            if (!parameters) continue;
            if (route.method != request.method) {
                allowed += (allowed.empty() ? "" : ", ") + std::string{name_of(route.method)};
                continue;
            }
            if (best != nullptr && !pattern.precedes(*pattern_of_best)) continue;
            best = &route;
            pattern_of_best = pattern;
            request.path_parameters = *std::move(parameters);
        }
        return best;
    }

    static void check_access(const RouteSpec& route, const HttpRequest& request) {
        if (route.access == Access::anyone) return;
        if (!request.principal) throw HttpError{401, "say who you are"};
        if (route.access == Access::admin && request.principal->role != Role::admin)
            throw HttpError{403, "this is for admins"};
    }

    static std::vector<HttpField> parsed_query(std::string_view text) {
        std::vector<HttpField> query;
        while (!text.empty()) {
            const auto pair = text.substr(0, text.find('&'));
            text.remove_prefix(std::min(text.size(), pair.size() + 1));
            if (pair.empty()) continue;
            const auto equals = std::min(pair.find('='), pair.size());
            auto name = percent_decoded(pair.substr(0, equals), true);
            auto value = percent_decoded(pair.substr(std::min(pair.size(), equals + 1)), true);
            if (!name || !value || first_invalid_utf8(*name) || first_invalid_utf8(*value))
                throw HttpError{400, "the query is no encoded UTF-8"};
            query.emplace_back(*std::move(name), *std::move(value));
        }
        return query;
    }

    static void check_query(const RouteSpec& route, const HttpRequest& request) {
        for (const auto& [name, value] : request.query) {
            const auto declared = std::ranges::find(route.query, name, &QueryParameter::name);
            if (declared == route.query.end())
                throw InvalidInput{name, "is no parameter of this route"};
            if (!declared->repeated && request.query_values(name).size() > 1)
                throw InvalidInput{name, "is given twice"};
            check_type(*declared, value);
        }
        for (const auto& parameter : route.query) {
            if (parameter.required && !request.query_value(parameter.name))
                throw InvalidInput{parameter.name, "is missing"};
        }
    }

    static void check_type(const QueryParameter& parameter, const std::string& value) {
        const auto type = json::parse(parameter.schema.text()).value("type", "string");
        std::int64_t number = 0;
        const auto* end = value.data() + value.size();
        const auto read = std::from_chars(value.data(), end, number);
        if (type == "integer" && (read.ec != std::errc{} || read.ptr != end))
            throw InvalidInput{parameter.name, "'" + value + "' is no whole number"};
        if (type == "boolean" && value != "true" && value != "false")
            throw InvalidInput{parameter.name, "'" + value + "' is not true or false"};
    }

    static void check_body(const RouteSpec& route, HttpRequest& request) {
        const bool is_json = route.request_schema.has_value();
        if (!request.header("content-type"))
            request.headers.emplace_back(
                "content-type", is_json ? "application/json" : "application/x-www-form-urlencoded");
        if (!is_json) return;
        if (request.header("content-type") != "application/json")
            throw HttpError{415, "send application/json"};
        if (!json::accept(request.body)) throw HttpError{400, "the body is no JSON"};
    }

    static HttpResponse checked(HttpResponse response) {
        const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
        for (const auto& [name, value] : response.headers) {
            if (std::ranges::any_of(value, is_control))
                throw Error{"header " + name + " of the answer holds a control character"};
        }
        return response;
    }

    const std::vector<RouteSpec>& routes_;
    Services& host_;
};

}  // namespace radd::testing
