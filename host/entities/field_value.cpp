#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include <host/config/scalars.hpp>
#include <host/entities/field_value.hpp>
#include <host/entities/moment.hpp>
#include <radd/event.hpp>
#include <radd/terminal_text.hpp>

namespace radd::entities {
namespace {

[[noreturn]] void refuse(const FieldSpec& field, const std::string& problem) {
    throw InvalidInput{field.name, problem};
}

/// The value as its sender may find it again, cut.
std::string quoted_value(const json& value) {
    return config::shown(value.is_string()
                             ? value.get<std::string>()
                             : value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::size_t characters_in(const FieldSpec& field, std::string_view text) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < text.size(); ++length) {
        const std::size_t bytes = terminal::sequence_length(text.substr(at));
        if (bytes == 0) refuse(field, "byte " + std::to_string(at) + " is not UTF-8; encode it");
        if (text[at] == '\0')
            refuse(field,
                   "byte " + std::to_string(at) + " is a NUL, which no text holds; remove it");
        at += bytes;
    }
    return length;
}

std::string text_value(const FieldSpec& field, const std::string& text) {
    const auto length = characters_in(field, text);
    if (length > static_cast<std::size_t>(field.max))
        refuse(field,
               "has " + std::to_string(length) + " characters; allowed are " +
                   std::to_string(field.max));
    const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank && !field.nullable && !field.default_value)
        refuse(field, "is empty; give it a text");
    return text;
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "-12.5" → "-12.50" with a scale of 2, as numeric(p,s) prints it.
std::string decimal_value(const FieldSpec& field, std::string_view text) {
    const auto scale = static_cast<std::size_t>(field.scale);
    const auto whole_max = static_cast<std::size_t>(field.precision) - scale;
    const bool is_negative = text.starts_with('-');
    const auto digits = is_negative ? text.substr(1) : text;
    const auto point = digits.find('.');
    auto whole = digits.substr(0, point);
    const auto fraction =
        point == std::string_view::npos ? std::string_view{} : digits.substr(point + 1);
    if (!is_digits(whole) || (point != std::string_view::npos && !is_digits(fraction)))
        refuse(field, config::shown(text) + " is no decimal; write one such as \"12.50\"");
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size() - 1));
    if (fraction.size() > scale || (whole != "0" && whole.size() > whole_max))
        refuse(field,
               config::shown(text) + " has too many digits; allowed are " +
                   std::to_string(whole_max) + " before the point and " + std::to_string(scale) +
                   " behind it");
    std::string value{whole};
    if (scale > 0) value.append(".").append(fraction).append(scale - fraction.size(), '0');
    const bool is_zero = value.find_first_not_of("0.") == std::string::npos;
    return is_negative && !is_zero ? '-' + value : value;
}

std::string integer_text(const FieldSpec& field, std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        refuse(field,
               config::shown(text) +
                   " is no whole number from -9223372036854775808 to "
                   "9223372036854775807");
    return std::to_string(value);
}

std::string reference_value(const FieldSpec& field, std::string_view id) {
    (void)characters_in(field, id);
    if (id.empty() || id.size() > entity_id_bytes_max)
        refuse(field,
               config::shown(id) + " is no id of " + field.references + "; one has 1 to " +
                   std::to_string(entity_id_bytes_max) + " bytes");
    return std::string{id};
}

std::string value_of_text(const FieldSpec& field, const std::string& text) {
    switch (field.type) {
        case FieldType::text:
            return text_value(field, text);
        case FieldType::integer:
            return integer_text(field, text);
        case FieldType::decimal:
            return decimal_value(field, text);
        case FieldType::boolean:
            if (text == "true" || text == "false") return text;
            refuse(field, config::shown(text) + " is neither true nor false");
        case FieldType::date:
            if (auto date = canonical_date(text)) return *date;
            refuse(field, config::shown(text) + " is no date; write one such as \"2026-11-30\"");
        case FieldType::timestamp:
            if (auto instant = canonical_timestamp(text)) return *instant;
            refuse(field,
                   config::shown(text) +
                       " is no instant of the years 1 to 9999; write one such as "
                       "\"2026-11-30T18:56:38Z\"");
        case FieldType::enumeration: {
            if (std::ranges::find(field.values, text) != field.values.end()) return text;
            std::string allowed;
            for (const auto& value : field.values) allowed += (allowed.empty() ? "" : ", ") + value;
            refuse(field, config::shown(text) + " is none of " + allowed);
        }
        case FieldType::reference:
            return reference_value(field, text);
    }
    return text;
}

/// A JSON number has been through a double unless it is an integer, and a text that looks like a
/// number may be meant as one or not: each type takes one spelling.
bool takes_text(FieldType type) {
    return type != FieldType::integer && type != FieldType::boolean;
}
bool takes_integer(FieldType type) {
    return type == FieldType::integer || type == FieldType::decimal || type == FieldType::reference;
}

std::string wanted(const FieldSpec& field) {
    switch (field.type) {
        case FieldType::integer:
            return "must be a whole number";
        case FieldType::decimal:
            return "must be a text such as \"12.50\", so that no digit is lost";
        case FieldType::boolean:
            return "must be true or false";
        case FieldType::reference:
            return "must be the id of " + field.references;
        default:
            return "must be a text";
    }
}

}  // namespace

std::optional<std::string> stored_value(const FieldSpec& field, const json& value) {
    if (value.is_null()) {
        if (field.nullable) return std::nullopt;
        refuse(field, "must not be null");
    }
    if (value.is_string() && takes_text(field.type))
        return value_of_text(field, value.get<std::string>());
    if (value.is_number_integer() && takes_integer(field.type))
        return value_of_text(field, value.dump());
    if (value.is_boolean() && field.type == FieldType::boolean)
        return value.get<bool>() ? "true" : "false";
    refuse(field, wanted(field) + ", and is " + quoted_value(value));
}

std::string stored_query_value(const FieldSpec& field, std::string_view text) {
    return value_of_text(field, std::string{text});
}

json shown_value(const FieldSpec& field, const std::optional<std::string>& stored, bool is_number) {
    if (!stored) return nullptr;
    if (field.type == FieldType::boolean) return *stored == "true" || *stored == "t";
    if (field.type != FieldType::integer && !is_number) return *stored;
    std::int64_t number = 0;
    std::from_chars(stored->data(), stored->data() + stored->size(), number);
    return number;
}

}  // namespace radd::entities
