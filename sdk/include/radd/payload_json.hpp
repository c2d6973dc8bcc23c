#pragma once

/// Payload structs as JSON: written, read back, and described by a schema. typed_event.hpp is what
/// a plugin calls.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <radd/contract.hpp>
#include <radd/json_text.hpp>

namespace radd::detail {

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <typename T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// A value does not fit its member. Becomes InvalidInput or SchemaError, by who meets it.
struct Misfit {
    std::string place;  ///< "policy.id"; built from the inside.
    std::string problem;

    [[nodiscard]] Misfit inside(std::string_view outer) && {
        const bool is_index = place.starts_with('[');
        place = std::string{outer} + (place.empty() || is_index ? "" : ".") + place;
        return std::move(*this);
    }
};

/// What stands there, without a text that may be somebody's own.
inline std::string kind_of(const json& value) {
    if (value.is_string()) return "a text";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    return value.dump();
}

[[noreturn]] inline void refuse(const json& value, const std::string& wanted) {
    throw Misfit{.place = "", .problem = "is " + kind_of(value) + ", expected was " + wanted};
}

inline std::string listed(const auto& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text.append(text.empty() ? "" : ", ").append(words[i]);
    return text;
}

template <typename Owner, typename T>
void check_value(const Field<Owner, T>& field, const T& value) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        bool fits = true;
        if constexpr (std::floating_point<T>)
            fits = value >= static_cast<T>(field.minimum) && value <= static_cast<T>(field.maximum);
        else
            fits = std::cmp_greater_equal(value, field.minimum) &&
                   std::cmp_less_equal(value, field.maximum);
        if (field.is_bounded() && !fits)
            throw Misfit{.place = "",
                         .problem = std::to_string(value) + " is outside " +
                                    std::to_string(field.minimum) + ".." +
                                    std::to_string(field.maximum)};
    }
    if constexpr (std::is_same_v<T, std::string>) {
        if (field.words.size() > 0 && !field.words.contains(value))
            throw Misfit{.place = "", .problem = "is none of " + listed(field.words)};
    }
}

template <typename P>
json written(const P& value);

template <typename T>
json value_written(const T& value) {
    if constexpr (is_optional<T>) {
        return value ? value_written(*value) : json();
    } else if constexpr (is_vector<T>) {
        json list = json::array();
        for (const auto& entry : value) list.push_back(value_written(entry));
        return list;
    } else if constexpr (PayloadStruct<T>) {
        return written(value);
    } else {
        if constexpr (std::floating_point<T>) {
            if (!std::isfinite(value)) throw Misfit{"", "is no number that JSON has"};
        }
        return json(value);
    }
}

template <typename Owner, typename T>
void write_field(json& object, const Field<Owner, T>& field, const Owner& owner) {
    const T& value = owner.*field.member;
    if constexpr (is_optional<T>) {
        if (!value && !field.is_null_when_empty) return;
    }
    try {
        check_value(field, value);
        object[std::string{field.name}] = value_written(value);
    } catch (Misfit& misfit) {
        throw std::move(misfit).inside(field.name);
    }
}

/// @throws Misfit.
template <typename P>
json written(const P& value) {
    static constexpr auto fields = P::fields();
    json object = json::object();
    std::apply([&](const auto&... field) { (write_field(object, field, value), ...); }, fields);
    return object;
}

template <typename P>
P read(const json& object);

template <typename T>
T value_read(const json& value) {
    if constexpr (is_optional<T>) {
        return value.is_null() ? T{} : T{value_read<typename T::value_type>(value)};
    } else if constexpr (is_vector<T>) {
        if (!value.is_array()) refuse(value, "a list");
        T list;
        for (const json& entry : value) {
            try {
                list.push_back(value_read<typename T::value_type>(entry));
            } catch (Misfit& misfit) {
                throw std::move(misfit).inside("[" + std::to_string(list.size()) + "]");
            }
        }
        return list;
    } else if constexpr (PayloadStruct<T>) {
        return read<T>(value);
    } else if constexpr (std::is_same_v<T, json>) {
        return value;
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (!value.is_string()) refuse(value, "a text");
        return value.get<std::string>();
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!value.is_boolean()) refuse(value, "true or false");
        return value.get<bool>();
    } else if constexpr (std::floating_point<T>) {
        if (!value.is_number()) refuse(value, "a number");
        return value.get<T>();
    } else {
        static_assert(WholeNumber<T>,
                      "a payload has no such member: see Field, and use radd::json for the rest");
        const bool fits =
            value.is_number_unsigned()
                ? std::in_range<T>(value.get<std::uint64_t>())
                : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
        if (!fits) refuse(value, "a whole number of " + std::to_string(8 * sizeof(T)) + " bits");
        return value.get<T>();
    }
}

template <typename Owner, typename T>
void read_field(const json& object, const Field<Owner, T>& field, Owner& owner) {
    const auto found = object.find(field.name);
    try {
        if (found == object.end()) {
            if constexpr (is_optional<T>) return;
            throw Misfit{"", "is missing"};
        }
        owner.*field.member = value_read<T>(*found);
        check_value(field, owner.*field.member);
    } catch (Misfit& misfit) {
        throw std::move(misfit).inside(field.name);
    }
}

/// Keys that no member has are passed: refs stand there, and what a later build added.
/// @throws Misfit.
template <typename P>
P read(const json& object) {
    static constexpr auto fields = P::fields();
    if (!object.is_object()) refuse(object, "an object");
    P value{};
    std::apply([&](const auto&... field) { (read_field(object, field, value), ...); }, fields);
    return value;
}

template <typename P>
json schema();

template <typename T>
json schema_of_value() {
    if constexpr (is_optional<T>)
        return schema_of_value<typename T::value_type>();
    else if constexpr (is_vector<T>)
        return {{"type", "array"}, {"items", schema_of_value<typename T::value_type>()}};
    else if constexpr (PayloadStruct<T>)
        return schema<T>();
    else if constexpr (std::is_same_v<T, json>)
        return json::object();
    else if constexpr (std::is_same_v<T, std::string>)
        return {{"type", "string"}};
    else if constexpr (std::is_same_v<T, bool>)
        return {{"type", "boolean"}};
    else if constexpr (std::floating_point<T>)
        return {{"type", "number"}};
    else if constexpr (std::unsigned_integral<T>)
        return {{"type", "integer"}, {"minimum", 0}};
    else
        return {{"type", "integer"}};
}

template <typename Owner, typename T>
json schema_of_field(const Field<Owner, T>& field) {
    json described = schema_of_value<T>();
    if (field.is_bounded()) {
        described["minimum"] = field.minimum;
        described["maximum"] = field.maximum;
    }
    for (std::size_t i = 0; i < field.words.size(); ++i)
        described["enum"].push_back(std::string{field.words[i]});
    if (!field.description.empty()) described["description"] = std::string{field.description};
    if (field.is_null_when_empty && described.contains("type"))
        described["type"] = json::array({described["type"], "null"});
    return described;
}

/// JSON Schema of what written() writes.
template <typename P>
json schema() {
    static constexpr auto fields = P::fields();
    json properties = json::object();
    json required = json::array();
    const auto add = [&]<typename Owner, typename T>(const Field<Owner, T>& field) {
        properties[std::string{field.name}] = schema_of_field(field);
        if (!is_optional<T> || field.is_null_when_empty)
            required.push_back(std::string{field.name});
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, fields);
    json described{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) described["required"] = std::move(required);
    return described;
}

}  // namespace radd::detail
