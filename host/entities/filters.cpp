#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include <host/config/scalars.hpp>
#include <host/entities/field_value.hpp>
#include <host/entities/filters.hpp>

namespace radd::entities {
namespace {

constexpr int not_found = 404;

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// A whole number from `minimum` to `maximum`.
std::int64_t number(const HttpRequest& request,
                    std::string_view name,
                    std::int64_t otherwise,
                    Range range) {
    const auto text = request.query_value(name);
    if (!text) return otherwise;
    const auto value = number_in(*text);
    if (value && *value >= range.minimum && *value <= range.maximum) return *value;
    throw InvalidInput{
        std::string{name},
        config::shown(*text) + " is no whole number in " + config::shown_integers(range)};
}

}  // namespace

Given given_in_body(const Entity& entity, const HttpRequest& request) {
    const json body = request.json_body();
    if (!body.is_object()) throw InvalidInput{"body", "must be a JSON object"};
    for (const auto& [name, value] : body.items()) {
        if (entity.field(name) != nullptr) continue;
        std::string known;
        for (const FieldSpec& field : entity.spec.fields) known += ' ' + field.name;
        throw InvalidInput{name, "is no field of this; there are:" + known};
    }
    Given given;
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        const auto found = body.find(field.name);
        if (found != body.end()) given.emplace_back(i, stored_value(field, *found));
    }
    return given;
}

Given given_in_query(const Entity& entity, const HttpRequest& request) {
    Given given;
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        const auto text = request.query_value(field.name);
        if (text) given.emplace_back(i, stored_query_value(field, *text));
    }
    return given;
}

std::int64_t after_in_query(const HttpRequest& request) {
    return number(request, "after", 0, {0, std::numeric_limits<std::int64_t>::max()});
}

std::size_t limit_in_query(const HttpRequest& request) {
    return static_cast<std::size_t>(number(request,
                                           "limit",
                                           static_cast<std::int64_t>(page_rows),
                                           {1, static_cast<std::int64_t>(page_rows_max)}));
}

std::optional<std::int64_t> version_in(const HttpRequest& request) {
    const auto header = request.header("if-match");
    if (!header || *header == "*") return std::nullopt;
    std::string_view text = *header;
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
        text.remove_prefix(1);
        text.remove_suffix(1);
        if (const auto version = number_in(text)) return version;
    }
    throw InvalidInput{"If-Match",
                       config::shown(*header) +
                           " is no ETag of this; send the one that was given, "
                           "such as \"3\""};
}

std::int64_t id_in_path(const Entity& entity, const HttpRequest& request) {
    const auto& text = request.path_parameter("id");
    const auto id = number_in(text);
    if (id && *id > 0) return *id;
    throw HttpError{not_found, "there is no " + entity.spec.key + ' ' + config::shown(text)};
}

}  // namespace radd::entities
