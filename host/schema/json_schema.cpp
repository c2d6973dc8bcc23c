#include <algorithm>
#include <charconv>

// Without it, a bad schema calls abort().
#define VALIJSON_USE_EXCEPTIONS 1
#include <host/schema/json_schema.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace radd::schema {
namespace {

using Path = std::vector<std::string>;

/// "[items]" → "items". The first step, "<root>", is no step.
Path path_of(const std::vector<std::string>& context) {
    Path path;
    for (const std::string& step : context) {
        if (step == "<root>") continue;
        const bool bracketed = step.size() >= 2 && step.front() == '[' && step.back() == ']';
        path.push_back(bracketed ? step.substr(1, step.size() - 2) : step);
    }
    return path;
}

std::string field_of(const Path& path) {
    std::string field;
    for (const std::string& step : path) field.append(field.empty() ? "" : ".").append(step);
    return field.empty() ? "body" : field;
}

/// The part of the schema that speaks of `path`, as far as it can be told without following
/// alternatives; null where it cannot.
const json* part_for(const json& schema, const Path& path) {
    const json* part = &schema;
    for (const std::string& step : path) {
        const bool is_index =
            std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
        if (!part->is_object()) return nullptr;
        if (part->contains("properties") && (*part)["properties"].contains(step)) {
            part = &(*part)["properties"][step];
        } else if (is_index && part->contains("items") && (*part)["items"].is_object()) {
            part = &(*part)["items"];
        } else {
            return nullptr;
        }
    }
    return part->is_object() ? part : nullptr;
}

std::string listed(const json& words) {
    if (!words.is_array()) return words.is_string() ? words.get<std::string>() : words.dump();
    std::string list;
    for (const json& word : words) list.append(list.empty() ? "" : ", ").append(listed(word));
    return list;
}

std::string lower_first(std::string text) {
    if (text.ends_with('.')) text.pop_back();
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

/// The name in "Missing required property 'name'.", which the schema gave.
std::string missing_name(std::string_view description) {
    const auto first = description.find('\'');
    const auto last = description.rfind('\'');
    if (first == last) return {};
    return std::string{description.substr(first + 1, last - first - 1)};
}

/// Members of the object at `path` that its schema does not know; the validator names one alone.
Path unknown_members(const json& part, const json& document, const Path& path) {
    const json* value = &document;
    for (const std::string& step : path) {
        if (value->is_array()) {
            value = &value->at(std::stoul(step));
        } else {
            value = &value->at(step);
        }
    }
    Path unknown;
    for (const auto& [name, member] : value->items()) {
        const bool is_known = part.contains("properties") && part["properties"].contains(name);
        if (!is_known) unknown.push_back(name);
    }
    return unknown;
}

std::string problem_of(const json* part, const std::string& description) {
    const auto expected = [&](const char* keyword, const char* words) -> std::string {
        if (part == nullptr || !part->contains(keyword)) return lower_first(description);
        return words + listed((*part)[keyword]);
    };
    if (description.starts_with("Value type not permitted")) return expected("type", "must be ");
    if (description.starts_with("Failed to match against any enum"))
        return expected("enum", "must be one of: ");
    if (description.starts_with("Failed to match regex")) return expected("pattern", "must match ");
    return lower_first(description);
}

std::vector<Violation> violations_of(const json& schema,
                                     const json& document,
                                     const Path& path,
                                     const std::string& description) {
    const auto member = [&](std::string name) {
        Path below = path;
        below.push_back(std::move(name));
        return field_of(below);
    };
    if (description.starts_with("Missing required property"))
        return {{member(missing_name(description)), "is missing"}};

    const json* part = part_for(schema, path);
    if (!description.starts_with("Object contains a property"))
        return {{field_of(path), problem_of(part, description)}};
    // With patterns for names, which of them is unknown is not for us to tell.
    if (part == nullptr || part->contains("patternProperties"))
        return {{field_of(path), "has a member that is not known here"}};
    std::vector<Violation> found;
    for (auto& name : unknown_members(*part, document, path)) {
        if (found.size() == violations_max) break;
        found.push_back({member(std::move(name)), "is not known here"});
    }
    return found;
}

/// A `format` where something else than a text may stand too.
bool has_format_of_texts_alone(const json& schema) {
    if (!schema.is_object() || !schema.contains("format") || !schema["format"].is_string())
        return false;
    return !schema.contains("type") || schema["type"] != "string";
}

/// Of the choice that with_formats_of_texts_only() makes, the half that is no format.
bool is_of_the_choice(const json& schema, const Path& path, const std::string& description) {
    if (!description.starts_with("Target should not validate")) return false;
    const json* part = part_for(schema, path);
    return part != nullptr && has_format_of_texts_alone(*part);
}

/// Texts that std::regex would have to match and that are too long for it: its recursion takes
/// stack for every character, and a megabyte would end the process.
void find_unmatchable(const json& schema,
                      const json& value,
                      Path& path,
                      std::vector<Violation>& found) {
    const std::string problem =
        "is longer than " + std::to_string(matched_bytes_max) + " bytes, which no pattern here is";
    if (value.is_string() && value.get_ref<const std::string&>().size() > matched_bytes_max) {
        const json* part = part_for(schema, path);
        if (part == nullptr || part->contains("pattern") || part->contains("format"))
            found.push_back({field_of(path), problem});
    }
    if (!value.is_structured() || found.size() >= violations_max) return;
    std::size_t index = 0;
    for (const auto& [name, member] : value.items()) {
        if (value.is_object() && name.size() > matched_bytes_max)
            found.push_back({field_of(path), "has a member whose name " + problem});
        path.push_back(value.is_array() ? std::to_string(index++) : name);
        find_unmatchable(schema, member, path, found);
        path.pop_back();
    }
}

/// Whether `value` has more than `left` values in it, itself among them; takes them off `left`.
bool is_larger(const json& value, std::size_t& left) {
    if (left == 0) return true;
    --left;
    if (!value.is_structured()) return false;
    return std::ranges::any_of(value, [&](const json& member) { return is_larger(member, left); });
}

/// Draft 7 asks `format` of texts alone; the validator refuses anything else with one, null too.
/// So what may be something else is given the choice.
json with_formats_of_texts_only(json schema, bool has_names_for_keys = false) {
    for (auto& [name, member] : schema.items()) {
        const bool is_value =
            !has_names_for_keys && (name == "const" || name == "enum" || name == "default");
        const bool is_map = !has_names_for_keys && (name == "properties" || name == "definitions" ||
                                                    name == "patternProperties");
        if (member.is_structured() && !is_value)
            member = with_formats_of_texts_only(std::move(member), is_map);
    }
    if (has_names_for_keys) return schema;
    if (!has_format_of_texts_alone(schema)) return schema;
    json choice{{"anyOf", {{{"not", {{"type", "string"}}}}, {{"format", schema["format"]}}}}};
    schema.erase("format");
    schema["allOf"].push_back(std::move(choice));
    return schema;
}

}  // namespace

struct JsonSchema::Parsed {
    json document;
    json validated;             ///< The same, as the validator has to be told; it keeps references.
    bool matches_text = false;  ///< Somewhere in it, by a regular expression.
    valijson::Schema schema{};
};

JsonSchema::JsonSchema(std::string_view text) {
    auto parsed = std::make_unique<Parsed>();
    parsed->document = json::parse(text, nullptr, false);
    if (!parsed->document.is_object())
        throw ConfigError{"is not a JSON object; write a JSON Schema (draft 7)"};
    parsed->matches_text = text.find("\"pattern") != std::string_view::npos ||
                           text.find("\"format\"") != std::string_view::npos;
    try {
        valijson::SchemaParser parser;
        parsed->validated = with_formats_of_texts_only(parsed->document);
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter{parsed->validated},
                              parsed->schema);
    } catch (const std::exception& error) {
        throw ConfigError{std::string{"is no JSON Schema (draft 7): "} + error.what()};
    }
    parsed_ = std::move(parsed);
}

JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

std::vector<Violation> JsonSchema::violations(const json& document) const {
    std::vector<Violation> found;
    Path path;
    if (parsed_->matches_text) find_unmatchable(parsed_->document, document, path, found);
    if (!found.empty()) return found;

    const valijson::adapters::NlohmannJsonAdapter target{document};
    valijson::Validator validator;
    if (std::size_t left = located_values_max; is_larger(document, left)) {
        if (validator.validate(parsed_->schema, target, nullptr)) return {};
        return {{"body",
                 "does not fit its schema; send at most " + std::to_string(located_values_max) +
                     " values to see where"}};
    }
    valijson::ValidationResults results;
    if (validator.validate(parsed_->schema, target, &results)) return {};

    valijson::ValidationResults::Error error;
    while (found.size() < violations_max && results.popError(error)) {
        const Path where = path_of(error.context);
        // Parents repeat the faults of their members in these words.
        if (error.description.starts_with("Failed to validate")) continue;
        if (is_of_the_choice(parsed_->document, where, error.description)) continue;
        for (auto& violation :
             violations_of(parsed_->document, document, where, error.description)) {
            if (std::ranges::find(found, violation) == found.end())
                found.push_back(std::move(violation));
        }
    }
    if (found.size() > violations_max) found.resize(violations_max);
    if (found.empty()) found.push_back({"body", "does not fit its schema"});
    return found;
}

const json& JsonSchema::document() const noexcept {
    return parsed_->document;
}

}  // namespace radd::schema
