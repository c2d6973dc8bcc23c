#include <algorithm>
#include <utility>

#include <host/config/fields.hpp>
#include <host/config/suggest.hpp>

namespace radd::config {
namespace {

enum class Quotes : std::uint8_t { allowed, make_it_text };

/// True if `node` has a text to be parsed as `expected`; else says why not.
bool is_scalar(const YamlNode& node, const Context& context, const char* expected, Quotes quotes) {
    if (node.kind == YamlNode::Kind::broken) return false;
    if (node.kind == YamlNode::Kind::null) {
        context.report("E45", node.place, "has no value", "Give one or remove the line");
        return false;
    }
    const bool is_text = node.quoted && quotes == Quotes::make_it_text;
    if (node.kind == YamlNode::Kind::scalar && !is_text) return true;
    context.report("E46",
                   node.place,
                   "expected " + std::string{expected} + ", got " + described(node),
                   is_text ? "Remove the quotes" : "");
    return false;
}

template <typename T>
std::optional<T> accepted(Parsed<T> parsed, const YamlNode& node, const Context& context) {
    if (auto* value = std::get_if<T>(&parsed)) return std::move(*value);
    context.report(node.place, std::get<Complaint>(parsed));
    return std::nullopt;
}

}  // namespace

Context Context::below(std::string_view key) const {
    Context context = *this;
    context.path += (path.empty() ? "" : ".") + shown_key(key);
    return context;
}

Context Context::item(std::size_t index) const {
    Context context = *this;
    context.path += '[' + std::to_string(index) + ']';
    return context;
}

void Context::report(std::string code, Place place, std::string message, std::string hint) const {
    problems->push_back({.code = std::move(code),
                         .plugin = plugin,
                         .file = file,
                         .line = place.line,
                         .column = place.column,
                         .message = (path.empty() ? "" : path + ": ") + std::move(message),
                         .hint = std::move(hint)});
}

void Context::report(Place place, const Complaint& complaint) const {
    report(complaint.code, place, complaint.message, complaint.hint);
}

std::string described(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "nothing";
        case YamlNode::Kind::list:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
        case YamlNode::Kind::broken:
            return "what is refused above";
        case YamlNode::Kind::scalar:
            break;
    }
    std::string text = shown(node.text);
    if (!node.quoted) return text;
    text.front() = '"';
    text.back() = '"';
    return "the text " + text;
}

std::optional<bool> read_boolean(const YamlNode& node, const Context& context) {
    if (!is_scalar(node, context, "true or false", Quotes::make_it_text)) return std::nullopt;
    return accepted(parse_boolean(node.text), node, context);
}

std::optional<std::int64_t> read_integer(const YamlNode& node,
                                         const Context& context,
                                         Range range) {
    if (!is_scalar(node, context, "an integer", Quotes::make_it_text)) return std::nullopt;
    return accepted(parse_integer(node.text, range), node, context);
}

std::optional<std::chrono::milliseconds> read_duration(const YamlNode& node,
                                                       const Context& context,
                                                       Range range) {
    if (!is_scalar(node, context, "a duration", Quotes::allowed)) return std::nullopt;
    return accepted(parse_duration(node.text, range), node, context);
}

std::optional<std::string> read_text(const YamlNode& node, const Context& context) {
    if (!is_scalar(node, context, "a text", Quotes::allowed)) return std::nullopt;
    return node.text;
}

std::optional<std::size_t> read_choice(const YamlNode& node,
                                       const Context& context,
                                       std::span<const std::string_view> choices) {
    if (!is_scalar(node, context, "a text", Quotes::allowed)) return std::nullopt;
    return accepted(parse_choice(node.text, choices), node, context);
}

std::optional<std::vector<std::string>> read_texts(const YamlNode& node, const Context& context) {
    if (node.kind != YamlNode::Kind::list) {
        if (is_scalar(node, context, "a list", Quotes::allowed)) {
            context.report("E46",
                           node.place,
                           "expected a list, got " + described(node),
                           "Write [" + node.text + "]");
        }
        return std::nullopt;
    }
    if (node.items.size() > list_items_max) {
        context.report("E47",
                       node.place,
                       std::to_string(node.items.size()) + " items are more than the " +
                           std::to_string(list_items_max) + " allowed");
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (auto text = read_text(node.items[i], context.item(i)))
            texts.push_back(*std::move(text));
    }
    return texts.size() == node.items.size() ? std::optional{std::move(texts)} : std::nullopt;
}

MapReader::MapReader(const YamlNode& node, Context context)
    : node_{node}, context_{std::move(context)}, is_map_{node.kind == YamlNode::Kind::map} {
    if (is_map_ || node.kind == YamlNode::Kind::broken) return;
    context_.report("E46", node.place, "expected a map of keys and values, got " + described(node));
}

const YamlNode* MapReader::find(std::string_view key) {
    known_.emplace_back(key);
    return node_.find(key);
}

const YamlNode* MapReader::require(std::string_view key, std::string_view help) {
    const YamlNode* node = find(key);
    if (node == nullptr && is_map_) {
        context_.report("E45",
                        node_.place,
                        "missing required key " + shown(key) + " (" + std::string{help} + ")");
    }
    return node;
}

bool MapReader::boolean(std::string_view key, bool otherwise) {
    const YamlNode* node = find(key);
    return node == nullptr ? otherwise
                           : read_boolean(*node, context_.below(key)).value_or(otherwise);
}

std::optional<std::int64_t> MapReader::integer(std::string_view key, Range range) {
    const YamlNode* node = find(key);
    return node == nullptr ? std::nullopt : read_integer(*node, context_.below(key), range);
}

std::optional<std::chrono::milliseconds> MapReader::duration(std::string_view key, Range range) {
    const YamlNode* node = find(key);
    return node == nullptr ? std::nullopt : read_duration(*node, context_.below(key), range);
}

std::optional<std::string> MapReader::text(std::string_view key) {
    const YamlNode* node = find(key);
    return node == nullptr ? std::nullopt : read_text(*node, context_.below(key));
}

std::optional<std::size_t> MapReader::choice(std::string_view key,
                                             std::span<const std::string_view> choices) {
    const YamlNode* node = find(key);
    return node == nullptr ? std::nullopt : read_choice(*node, context_.below(key), choices);
}

std::vector<std::string> MapReader::texts(std::string_view key) {
    const YamlNode* node = find(key);
    if (node == nullptr) return {};
    return read_texts(*node, context_.below(key)).value_or(std::vector<std::string>{});
}

void MapReader::finish() {
    std::size_t unknown = 0;
    for (const Member& member : node_.members) {
        if (std::ranges::find(known_, member.key) != known_.end()) continue;
        if (++unknown > yaml_problems_max) {
            context_.report("E43", member.place, "this and what follows: too many unknown keys");
            return;
        }
        context_.report("E43",
                        member.place,
                        "unknown key " + shown(member.key),
                        did_you_mean(member.key, known_));
    }
}

}  // namespace radd::config
