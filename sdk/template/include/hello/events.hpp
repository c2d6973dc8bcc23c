#pragma once

/// What hello tells other plugins: they may include this header, and nothing else of it.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace hello_plugin {

enum class Entity : std::uint8_t { person };

consteval auto entity_names(Entity) {
    return std::array{radd::Named{Entity::person, "hello_person"}};
}

enum class Event : std::uint8_t {
    greeted,  ///< Somebody was greeted. About that person.
};

consteval auto event_names(Event) {
    return std::array{radd::Named{Event::greeted, "hello.greeted"}};
}

}  // namespace hello_plugin
