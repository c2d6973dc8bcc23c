#pragma once

/// What one route accepts after the `?` and as a body.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/schema/json_schema.hpp>
#include <host/web/problem_details.hpp>
#include <radd/http.hpp>

namespace radd::web {

inline constexpr std::size_t body_depth_max = 64;  ///< Levels of a JSON body. Past it: 400.

/// Parsed from a RouteSpec once. [any-thread]
class RequestChecks {
public:
    /// @throws ConfigError naming the schema that is none.
    explicit RequestChecks(const RouteSpec& spec);

    /// What is wrong with the parameters: 422, each fault with the parameter's name.
    [[nodiscard]] std::optional<ProblemDetails> check_query(
        const std::vector<HttpField>& query) const;

    /// What is wrong with the body of a route that has a schema: 415 for another content type,
    /// 400 with the offset for what is not JSON, 422 naming each field that does not fit.
    [[nodiscard]] std::optional<ProblemDetails> check_body(std::string_view content_type,
                                                           std::string_view body) const;

private:
    struct Parameter {
        schema::JsonSchema schema;
        std::string type;
        bool required;
        bool repeated;
    };
    std::map<std::string, Parameter, std::less<>> parameters_;
    std::optional<schema::JsonSchema> body_;
};

}  // namespace radd::web
