#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <host/config/automation_list.hpp>

namespace radd::config {
namespace {

constexpr std::size_t name_length_max = 100;

/// JSON's own numbers alone, and none that is no 64-bit integer or finite double.
std::optional<json> number_of(const std::string& text) {
    if (text.find_first_not_of("0123456789+-.eE") != std::string::npos) return std::nullopt;
    auto parsed = json::parse(text, nullptr, false);
    if (!parsed.is_number()) return std::nullopt;
    if (parsed.is_number_float() && !std::isfinite(parsed.get<double>())) return std::nullopt;
    return parsed;
}

json scalar_of(const YamlNode& node) {
    if (node.quoted) return node.text;
    if (node.text == "true") return true;
    if (node.text == "false") return false;
    return number_of(node.text).value_or(json(node.text));
}

/// The keys are what people look for.
void find_places(const YamlNode& node,
                 const std::string& path,
                 std::map<std::string, Place, std::less<>>& places) {
    const std::string before = path.empty() ? "" : path + ".";
    for (const Member& member : node.members) {
        places.emplace(before + member.key, member.place);
        find_places(member.value, before + member.key, places);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const std::string item = before + std::to_string(i);
        places.emplace(item, node.items[i].place);
        find_places(node.items[i], item, places);
    }
}

std::optional<PlacedAutomation> automation_of(const YamlNode& node, const Context& context) {
    if (node.kind == YamlNode::Kind::broken) return std::nullopt;
    MapReader reader{node, context};
    const YamlNode* name = reader.require("name", "to find it again");
    if (name == nullptr) return std::nullopt;
    const auto text = read_text(*name, context.below("name"));
    if (!text) return std::nullopt;
    if (text->empty() || text->size() > name_length_max) {
        context.below("name").report("E47", name->place, "is a text of 1 to 100 bytes");
        return std::nullopt;
    }
    json rule = json_of(node);
    rule.erase("name");
    PlacedAutomation made{.spec = {.name = *text,
                                   .rule = std::move(rule),
                                   .place = context.file + ":" + std::to_string(node.place.line) +
                                            ":" + std::to_string(node.place.column)}};
    made.places.emplace("", node.place);
    find_places(node, "", made.places);
    return made;
}

}  // namespace

Place PlacedAutomation::place_of(std::string_view path) const {
    for (;;) {
        const auto found = places.find(path);
        if (found != places.end()) return found->second;
        if (path.empty()) return {};
        const auto dot = path.rfind('.');
        path = dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
    }
}

json json_of(const YamlNode& node) {
    json made;
    switch (node.kind) {
        case YamlNode::Kind::scalar:
            return scalar_of(node);
        case YamlNode::Kind::list:
            made = json::array();
            for (const YamlNode& item : node.items) made.push_back(json_of(item));
            return made;
        case YamlNode::Kind::map:
            made = json::object();
            for (const Member& member : node.members) made[member.key] = json_of(member.value);
            return made;
        case YamlNode::Kind::null:
        case YamlNode::Kind::broken:
            return made;
    }
    return made;
}

std::vector<PlacedAutomation> read_automations(MapReader& reader) {
    std::vector<PlacedAutomation> automations;
    const YamlNode* node = reader.find("automations");
    if (node == nullptr || node->kind == YamlNode::Kind::broken) return automations;
    const Context context = reader.context().below("automations");
    if (node->kind != YamlNode::Kind::list) {
        context.report("E46", node->place, "expected a list of rules, got " + described(*node));
        return automations;
    }
    if (node->items.size() > automations_max) {
        context.report(
            "E47", node->place, "has more than " + std::to_string(automations_max) + " rules");
        return automations;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
        if (auto one = automation_of(node->items[i], context.item(i)))
            automations.push_back(*std::move(one));
    }
    return automations;
}

}  // namespace radd::config
