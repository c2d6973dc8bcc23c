#pragma once

/// Names that reach the database, each spelled in one place and checked by the compiler.
///
/// A plugin declares an enum, and beside it says once how each enumerator is stored:
/// `event_names(E)` for event types, `entity_names(E)` for the things events are about.
/// From there on it writes the enumerator. A misspelt enumerator does not compile, one
/// that nobody named does not compile, and no string converts to these types.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace radd {

/// One enumerator and the name it is stored under.
template <typename E>
struct Named {
    E value;
    std::string_view name;
};
template <typename E>
Named(E, std::string_view) -> Named<E>;

/// Longest stored name of an event type or entity type, in bytes.
inline constexpr std::size_t name_bytes_max = 100;

namespace detail {

/// `owner.what_happened`: lower case, digits and `_`, words joined by single dots.
constexpr bool well_formed(std::string_view name) {
    char before = '.';
    for (const char c : name) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (!word && (c != '.' || before == '.')) return false;
        before = c;
    }
    return before != '.' && name.size() <= name_bytes_max;
}

// A throw that the compiler reaches is how a consteval function reports: the message
// below is what the plugin's author reads, on the line that used the enumerator.
template <typename E>
consteval std::string_view spell(E value, const auto& names) {
    for (const Named<E>& entry : names) {
        if (entry.value != value) continue;
        if (!well_formed(entry.name)) throw "a stored name is lower_case words joined by dots";
        return entry.name;
    }
    throw "this enumerator has no stored name: add it to the table beside its enum";
}

template <std::size_t N>
consteval auto only_names(const auto& table) {
    std::array<std::string_view, N> names{};
    for (std::size_t i = 0; i < N; ++i) names[i] = table[i].name;
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (names[i] == names[j]) throw "two enumerators share one stored name";
        }
    }
    return names;
}

template <typename E>
inline constexpr auto event_table = only_names<event_names(E{}).size()>(event_names(E{}));
template <typename E>
inline constexpr auto entity_table = only_names<entity_names(E{}).size()>(entity_names(E{}));

}  // namespace detail

namespace detail {

/// Of the host alone: names that a manifest brings at run time, where no compiler sees them.
class StoredNames;

}  // namespace detail

template <typename E>
concept EventEnum = std::is_enum_v<E> && requires(E value) {
    event_names(value);
};

template <typename E>
concept EntityEnum = std::is_enum_v<E> && requires(E value) {
    entity_names(value);
};

/// What happened, e.g. "csat.requested".
class EventType {
public:
    // Implicit, so that call sites read as the enumerator and nothing more.
    template <EventEnum E>
    consteval EventType(E value)
        : name_{detail::spell(value, event_names(value))}, siblings_{detail::event_table<E>} {}

    /// Stored form. The text is in the plugin's library, which is never unmapped.
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

    /// Every name of the enum this one came from: the host checks that each has its spec.
    [[nodiscard]] constexpr std::span<const std::string_view> siblings() const noexcept {
        return siblings_;
    }

    friend constexpr bool operator==(const EventType& a, const EventType& b) noexcept {
        return a.name_ == b.name_;
    }

private:
    friend class detail::StoredNames;
    constexpr EventType(std::string_view name, std::span<const std::string_view> siblings) noexcept
        : name_{name}, siblings_{siblings} {}

    std::string_view name_;
    std::span<const std::string_view> siblings_;
};

/// What it happened to, e.g. "item".
class EntityType {
public:
    template <EntityEnum E>
    consteval EntityType(E value)
        : name_{detail::spell(value, entity_names(value))}, siblings_{detail::entity_table<E>} {}

    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
    [[nodiscard]] constexpr std::span<const std::string_view> siblings() const noexcept {
        return siblings_;
    }

    friend constexpr bool operator==(const EntityType& a, const EntityType& b) noexcept {
        return a.name_ == b.name_;
    }

private:
    friend class detail::StoredNames;
    constexpr EntityType(std::string_view name, std::span<const std::string_view> siblings) noexcept
        : name_{name}, siblings_{siblings} {}

    std::string_view name_;
    std::span<const std::string_view> siblings_;
};

}  // namespace radd
