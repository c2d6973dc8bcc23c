#include "json_reader.hpp"

#include <array>

namespace importer {
namespace {

constexpr int document_depth_max = 64;

[[noreturn]] void refuse(std::string_view field, const std::string& problem) {
    throw radd::InvalidInput{std::string{field}, problem};
}

bool is_block(const std::string& type) {
    constexpr std::array<std::string_view, 7> blocks{
        "paragraph", "heading", "codeBlock", "blockquote", "listItem", "tableRow", "rule"};
    for (const auto block : blocks) {
        if (type == block) return true;
    }
    return false;
}

void append_node(std::string& text, const radd::json& node, std::string_view field, int depth) {
    if (depth > document_depth_max) refuse(field, "the document is nested too deep");
    if (!node.is_object()) refuse(field, "the document has a node that is no object");
    const auto type = text_or_empty(member(node, "type", field), field);
    if (type == "text") text += text_or_empty(member(node, "text", field), field);
    if (type == "hardBreak") text += '\n';
    const auto& attributes = member(node, "attrs", field);
    if (attributes.is_object() && (type == "mention" || type == "emoji"))
        text += text_or_empty(member(attributes, "text", field), field);

    for (const auto& child : list(member(node, "content", field), field))
        append_node(text, child, field, depth + 1);
    if (is_block(type) && !text.empty() && text.back() != '\n') text += '\n';
}

}  // namespace

const radd::json& member(const radd::json& object, const char* name, std::string_view field) {
    static const radd::json none;
    if (!object.is_object()) refuse(field, "is " + std::string{object.type_name()} + ", no object");
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

std::optional<std::string> optional_text(const radd::json& value, std::string_view field) {
    if (value.is_null()) return std::nullopt;
    if (value.is_number()) return value.dump();
    if (!value.is_string()) refuse(field, "is " + std::string{value.type_name()} + ", no text");
    const auto& text = value.get_ref<const std::string&>();
    if (text.find('\0') != std::string::npos)
        refuse(field,
               "holds a NUL, half of a surrogate pair or a byte that is not UTF-8; repair it at "
               "its source");
    return text;
}

std::string text_or_empty(const radd::json& value, std::string_view field) {
    return optional_text(value, field).value_or("");
}

const radd::json& list(const radd::json& value, std::string_view field) {
    static const radd::json none = radd::json::array();
    if (value.is_null()) return none;
    if (!value.is_array()) refuse(field, "is " + std::string{value.type_name()} + ", no list");
    return value;
}

std::string document_text(const radd::json& value, std::string_view field) {
    if (!value.is_object()) return text_or_empty(value, field);
    std::string text;
    append_node(text, value, field, 0);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace importer
