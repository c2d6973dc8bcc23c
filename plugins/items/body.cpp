#include "body.hpp"

#include <algorithm>
#include <utility>

namespace items {
namespace {

std::string text_of(std::string_view field, const radd::json& value) {
    if (!value.is_string()) throw radd::InvalidInput{std::string{field}, "must be a text"};
    return value.get<std::string>();
}

void refuse_unknown(const radd::json& object,
                    std::string_view prefix,
                    const std::vector<std::string_view>& known) {
    for (const auto& [name, value] : object.items()) {
        if (std::ranges::find(known, name) != known.end()) continue;
        std::string message = "is no field of this; there are:";
        for (const auto field : known) message += " " + std::string{field};
        throw radd::InvalidInput{std::string{prefix} + name, message};
    }
}

}  // namespace

Body::Body(radd::json document, std::initializer_list<std::string_view> fields)
    : document_(std::move(document)) {
    if (!document_.is_object()) throw radd::InvalidInput{"body", "must be a JSON object"};
    refuse_unknown(document_, "", fields);
}

const radd::json* Body::find(std::string_view name) const {
    const auto found = document_.find(name);
    return found == document_.end() ? nullptr : &*found;
}

std::string Body::required_text(std::string_view name) const {
    auto value = text(name);
    if (!value) throw radd::InvalidInput{std::string{name}, "is missing"};
    return *std::move(value);
}

std::optional<std::string> Body::text(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    return text_of(name, *value);
}

std::optional<std::optional<std::string>> Body::nullable_text(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_null()) return std::optional<std::string>{};
    return std::optional{text_of(name, *value)};
}

std::optional<std::vector<std::string>> Body::texts(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_array()) throw radd::InvalidInput{std::string{name}, "must be a list of texts"};
    std::vector<std::string> list;
    for (const auto& entry : *value) list.push_back(text_of(name, entry));
    return list;
}

std::optional<std::optional<Contact>> Body::contact(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_null()) return std::optional<Contact>{};
    const std::string field{name};
    if (!value->is_object()) throw radd::InvalidInput{field, "must be an object or null"};
    refuse_unknown(*value, field + ".", {"email", "name"});
    if (!value->contains("email")) throw radd::InvalidInput{field + ".email", "is missing"};
    Contact contact{.email = text_of(field + ".email", value->at("email"))};
    const auto called = value->find("name");
    if (called != value->end() && !called->is_null())
        contact.name = text_of(field + ".name", *called);
    return std::optional{std::move(contact)};
}

}  // namespace items
