#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include <host/plugins/schema_fault.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::json;

constexpr int depth_max = 64;

bool is_text(const Json& value) {
    return value.is_string();
}
bool is_count(const Json& value) {
    return value.is_number_unsigned();
}
bool is_number(const Json& value) {
    return value.is_number();
}
bool is_flag(const Json& value) {
    return value.is_boolean();
}

bool is_type_name(const Json& value) {
    constexpr std::array<std::string_view, 7> names{
        "array", "boolean", "integer", "null", "number", "object", "string"};
    return value.is_string() &&
           std::ranges::find(names, value.get_ref<const std::string&>()) != names.end();
}

bool is_type(const Json& value) {
    if (!value.is_array()) return is_type_name(value);
    const std::set<Json> unique(value.begin(), value.end());
    return !value.empty() && unique.size() == value.size() &&
           std::ranges::all_of(value, is_type_name);
}

bool is_names(const Json& value) {
    if (!value.is_array() || !std::ranges::all_of(value, is_text)) return false;
    return std::set<Json>(value.begin(), value.end()).size() == value.size();
}

bool is_pattern(const Json& value) {
    if (!value.is_string()) return false;
    try {
        (void)std::regex{value.get_ref<const std::string&>(), std::regex::ECMAScript};
        return true;
    } catch (const std::regex_error&) {
        return false;
    }
}

struct Kind {
    bool (*is)(const Json&);
    std::string_view what;
};

/// Keywords whose value is no schema.
const std::map<std::string_view, Kind>& plain_keywords() {
    constexpr Kind count{is_count, "whole number of 0 or more"};
    constexpr Kind number{is_number, "number"};
    constexpr Kind text{is_text, "text"};
    constexpr Kind flag{is_flag, "true or false"};
    constexpr auto is_list = [](const Json& value) { return value.is_array(); };
    constexpr auto is_some = [](const Json& value) { return value.is_array() && !value.empty(); };
    constexpr auto is_step = [](const Json& value) {
        return value.is_number() && value.get<double>() > 0;
    };
    static const std::map<std::string_view, Kind> keywords{
        {"type", {is_type, "type or list of types"}},
        {"required", {is_names, "list of names"}},
        {"enum", {is_some, "list of values"}},
        {"examples", {is_list, "list"}},
        {"pattern", {is_pattern, "regular expression"}},
        {"multipleOf", {is_step, "number above 0"}},
        {"minimum", number},
        {"maximum", number},
        {"exclusiveMinimum", number},
        {"exclusiveMaximum", number},
        {"minLength", count},
        {"maxLength", count},
        {"minItems", count},
        {"maxItems", count},
        {"minProperties", count},
        {"maxProperties", count},
        {"uniqueItems", flag},
        {"readOnly", flag},
        {"title", text},
        {"description", text},
        {"format", text},
        {"$id", text},
        {"$schema", text},
        {"$comment", text},
    };
    return keywords;
}

/// Keywords whose value is a schema, a list of them, or an object of them.
constexpr std::array<std::string_view, 9> one_schema{"not",
                                                     "if",
                                                     "then",
                                                     "else",
                                                     "contains",
                                                     "additionalItems",
                                                     "additionalProperties",
                                                     "propertyNames",
                                                     "items"};
constexpr std::array<std::string_view, 4> schema_lists{"allOf", "anyOf", "oneOf", "items"};
constexpr std::array<std::string_view, 4> schema_maps{
    "properties", "patternProperties", "definitions", "dependencies"};

template <typename Names>
bool among(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

class Check {
public:
    explicit Check(const Json& document) : document_{document} {}

    /// `place` is a JSON pointer: "" for the document itself.
    std::string fault(const Json& schema, const std::string& place, int depth = 0) const {
        if (schema.is_boolean()) return {};
        if (!schema.is_object()) return at(place) + "is no JSON object";
        if (depth > depth_max) return at(place) + "is nested deeper than 64";
        for (const auto& [name, value] : schema.items()) {
            auto found = keyword_fault(name, value, place, depth);
            if (!found.empty()) return found;
        }
        return {};
    }

private:
    static std::string at(const std::string& place) {
        return place.empty() ? "" : "at " + place + " ";
    }
    static std::string wrong(const std::string& place,
                             const std::string& name,
                             std::string_view what) {
        return at(place) + "has a '" + name + "' that is no " + std::string{what};
    }

    std::string keyword_fault(const std::string& name,
                              const Json& value,
                              const std::string& place,
                              int depth) const {
        const auto& plain = plain_keywords();
        if (const auto kind = plain.find(name); kind != plain.end())
            return kind->second.is(value) ? "" : wrong(place, name, kind->second.what);
        if (name == "$ref") return reference_fault(value, place);
        const std::string inside = place + '/' + name;
        if (among(schema_lists, name) && value.is_array()) return list_fault(value, inside, depth);
        if (among(one_schema, name)) return fault(value, inside, depth + 1);
        if (among(schema_lists, name)) return wrong(place, name, "list of schemas");
        if (!among(schema_maps, name)) return {};
        if (!value.is_object()) return wrong(place, name, "object");
        return map_fault(name, value, inside, depth);
    }

    std::string list_fault(const Json& list, const std::string& place, int depth) const {
        if (list.empty()) return at(place) + "is an empty list";
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto found = fault(list[i], place + '/' + std::to_string(i), depth + 1);
            if (!found.empty()) return found;
        }
        return {};
    }

    std::string map_fault(const std::string& name,
                          const Json& map,
                          const std::string& place,
                          int depth) const {
        for (const auto& [key, value] : map.items()) {
            if (name == "patternProperties" && !is_pattern(key))
                return at(place) + "has a key that is no regular expression";
            if (name == "dependencies" && is_names(value)) continue;
            auto found = fault(value, place + '/' + key, depth + 1);
            if (!found.empty()) return found;
        }
        return {};
    }

    std::string reference_fault(const Json& value, const std::string& place) const {
        if (!value.is_string()) return wrong(place, "$ref", "text");
        const auto& target = value.get_ref<const std::string&>();
        if (!target.starts_with('#'))
            return at(place) + "refers to another document, '" + target + "'; write it in";
        try {
            if (document_.contains(Json::json_pointer{target.substr(1)})) return {};
        } catch (const Json::exception&) {
            // No pointer at all, which leads nowhere either.
            return at(place) + "has a '$ref' that is no reference: '" + target + "'";
        }
        return at(place) + "refers to '" + target + "', which is not there";
    }

    const Json& document_;
};

}  // namespace

std::string schema_fault(const std::string& text) {
    const auto document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return "is no JSON";
    if (!document.is_object()) return "is no JSON object";
    return Check{document}.fault(document, "");
}

std::string object_schema_fault(const std::string& text) {
    const auto document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return "is no JSON";
    if (!document.is_object()) return "is no JSON object";
    const auto type = document.find("type");
    if (type != document.end() && *type != "object")
        return "does not describe an object, and a payload is always one";
    return Check{document}.fault(document, "");
}

}  // namespace radd::loader
