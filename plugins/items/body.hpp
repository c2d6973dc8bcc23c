#pragma once

/// Fields of a JSON body, taken out one by one.
///
/// The host has checked the body against the route's schema before; what is read here is checked
/// all the same, because a schema that drifts from its handler must not end in a 500.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <items/service.hpp>
#include <radd/json_text.hpp>

namespace items {

/// In each reader the outer optional is empty if the field is absent. @throws radd::InvalidInput
/// naming a field that is of another type.
class Body {
public:
    /// @throws radd::InvalidInput unless it is an object with no field but these.
    Body(radd::json document, std::initializer_list<std::string_view> fields);

    /// @throws radd::InvalidInput also if it is absent.
    [[nodiscard]] std::string required_text(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    /// A null is an empty inner optional: what it names is to be cleared.
    [[nodiscard]] std::optional<std::optional<std::string>> nullable_text(
        std::string_view name) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view name) const;
    /// {"email", "name"?} or null.
    [[nodiscard]] std::optional<std::optional<Contact>> contact(std::string_view name) const;

private:
    /// Null if it is absent.
    [[nodiscard]] const radd::json* find(std::string_view name) const;

    radd::json document_;
};

}  // namespace items
