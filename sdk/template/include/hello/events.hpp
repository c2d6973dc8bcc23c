#pragma once

/// What hello tells other plugins: they may include this header, and nothing else of it.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include <radd/contract.hpp>

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

/// What Event::greeted carries.
struct Greeting {
    std::string words;

    static consteval auto fields() { return std::tuple{radd::field("words", &Greeting::words)}; }
};

consteval auto event_contracts(Event) {
    return radd::Contracts{
        radd::Contract<Event::greeted, Greeting>{.entity_type = Entity::person},
    };
}

}  // namespace hello_plugin
