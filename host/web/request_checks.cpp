#include <algorithm>
#include <charconv>
#include <utility>

#include <host/web/json_body.hpp>
#include <host/web/request_checks.hpp>
#include <host/web/text.hpp>

namespace radd::web {
namespace {

constexpr int bad_request = 400;
constexpr int unsupported_type = 415;
constexpr int unprocessable = 422;

/// A parameter's text as the JSON that its schema speaks of; null if it is none of its type.
std::optional<json> value_of(const std::string& type, const std::string& text) {
    if (type == "integer") {
        std::int64_t number = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
        if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size())
            return std::nullopt;
        return number;
    }
    if (type == "boolean") {
        if (text == "true") return true;
        if (text == "false") return false;
        return std::nullopt;
    }
    return text;
}

schema::JsonSchema parsed(const RouteSpec& spec, const std::string& what, const JsonText& text) {
    try {
        return schema::JsonSchema{text.text()};
    } catch (const ConfigError& error) {
        throw ConfigError{"route " + std::string{name_of(spec.method)} + " " + spec.path + ": " +
                          what + " " + error.what()};
    }
}

std::string parameter_type(const schema::JsonSchema& schema) {
    const auto& document = schema.document();
    const auto type = document.find("type");
    return type != document.end() && type->is_string() ? type->get<std::string>() : "string";
}

bool is_json(std::string_view content_type) {
    return is_same_name(trimmed(content_type.substr(0, content_type.find(';'))),
                        "application/json");
}

ProblemDetails unfit(std::string detail, std::vector<FieldProblem> errors) {
    return {.status = unprocessable, .detail = std::move(detail), .errors = std::move(errors)};
}

}  // namespace

RequestChecks::RequestChecks(const RouteSpec& spec) {
    for (const QueryParameter& parameter : spec.query) {
        auto schema = parsed(spec, "the schema of '" + parameter.name + "'", parameter.schema);
        auto type = parameter_type(schema);
        if (type != "string" && type != "integer" && type != "boolean")
            throw ConfigError{"route " + spec.path + ": parameter '" + parameter.name +
                              "' is a string, an integer or a boolean, not " + type};
        parameters_.emplace(
            parameter.name,
            Parameter{std::move(schema), std::move(type), parameter.required, parameter.repeated});
    }
    if (spec.request_schema) body_ = parsed(spec, "request_schema", *spec.request_schema);
}

std::optional<ProblemDetails> RequestChecks::check_query(
    const std::vector<HttpField>& query) const {
    std::vector<FieldProblem> errors;
    std::map<std::string_view, std::size_t> seen;
    for (const auto& [name, text] : query) {
        const auto found = parameters_.find(name);
        if (found == parameters_.end()) {
            errors.push_back({name, "is not a parameter of this route"});
            continue;
        }
        const Parameter& parameter = found->second;
        if (++seen[found->first] == 2 && !parameter.repeated)
            errors.push_back({name, "is given more than once"});
        const auto value = value_of(parameter.type, text);
        if (!value) {
            errors.push_back({name, "must be " + parameter.type});
            continue;
        }
        for (auto& violation : parameter.schema.violations(*value))
            errors.push_back({name, std::move(violation.problem)});
    }
    for (const auto& [name, parameter] : parameters_)
        if (parameter.required && !seen.contains(name)) errors.push_back({name, "is missing"});
    if (errors.empty()) return std::nullopt;
    return unfit("the query does not fit; see errors", std::move(errors));
}

std::optional<ProblemDetails> RequestChecks::check_body(std::string_view content_type,
                                                        std::string_view body) const {
    if (!body_) return std::nullopt;
    if (!is_json(content_type))
        return ProblemDetails{.status = unsupported_type,
                              .detail = "send the body with Content-Type: application/json"};
    if (auto fault = find_json_fault(body, body_depth_max)) {
        if (!fault->field.empty())
            return unfit("the body does not fit; see errors",
                         {{std::move(fault->field), std::move(fault->problem)}});
        return ProblemDetails{.status = bad_request, .detail = "the body " + fault->problem};
    }
    std::vector<FieldProblem> errors;
    for (auto& violation : body_->violations(json::parse(body)))
        errors.push_back({std::move(violation.field), std::move(violation.problem)});
    if (errors.empty()) return std::nullopt;
    return unfit("the body does not fit; see errors", std::move(errors));
}

}  // namespace radd::web
