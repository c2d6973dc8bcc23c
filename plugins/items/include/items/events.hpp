#pragma once

/// What happens to items, and what the things are called that it happens to.

#include <array>
#include <cstdint>

#include <radd/contract.hpp>

namespace items {

enum class ItemEntity : std::uint8_t { item, comment, project, person };

enum class ItemEvent : std::uint8_t { created, updated, deleted };
enum class CommentEvent : std::uint8_t { created, updated, deleted };
enum class ProjectEvent : std::uint8_t { created, updated, deleted };
enum class PersonEvent : std::uint8_t { created, updated };

consteval auto entity_names(ItemEntity) {
    return std::array{
        radd::Named{ItemEntity::item, "item"},
        radd::Named{ItemEntity::comment, "comment"},
        radd::Named{ItemEntity::project, "project"},
        radd::Named{ItemEntity::person, "person"},
    };
}

consteval auto event_names(ItemEvent) {
    return std::array{
        radd::Named{ItemEvent::created, "item.created"},
        radd::Named{ItemEvent::updated, "item.updated"},
        radd::Named{ItemEvent::deleted, "item.deleted"},
    };
}
consteval auto event_names(CommentEvent) {
    return std::array{
        radd::Named{CommentEvent::created, "comment.created"},
        radd::Named{CommentEvent::updated, "comment.updated"},
        radd::Named{CommentEvent::deleted, "comment.deleted"},
    };
}
consteval auto event_names(ProjectEvent) {
    return std::array{
        radd::Named{ProjectEvent::created, "project.created"},
        radd::Named{ProjectEvent::updated, "project.updated"},
        radd::Named{ProjectEvent::deleted, "project.deleted"},
    };
}
consteval auto event_names(PersonEvent) {
    return std::array{
        radd::Named{PersonEvent::created, "person.created"},
        radd::Named{PersonEvent::updated, "person.updated"},
    };
}

consteval auto event_contracts(ItemEvent) {
    constexpr radd::EntityType item = ItemEntity::item;
    return radd::Contracts{
        radd::Contract<ItemEvent::created>{.entity_type = item},
        radd::Contract<ItemEvent::updated>{.entity_type = item, .has_changes = true},
        radd::Contract<ItemEvent::deleted>{.entity_type = item},
    };
}
consteval auto event_contracts(CommentEvent) {
    constexpr radd::EntityType comment = ItemEntity::comment;
    constexpr radd::EntityType item = ItemEntity::item;
    return radd::Contracts{
        radd::Contract<CommentEvent::created>{.entity_type = comment, .subjects = {item}},
        radd::Contract<CommentEvent::updated>{
            .entity_type = comment, .subjects = {item}, .has_changes = true},
        radd::Contract<CommentEvent::deleted>{.entity_type = comment, .subjects = {item}},
    };
}
consteval auto event_contracts(ProjectEvent) {
    constexpr radd::EntityType project = ItemEntity::project;
    return radd::Contracts{
        radd::Contract<ProjectEvent::created>{.entity_type = project},
        radd::Contract<ProjectEvent::updated>{.entity_type = project, .has_changes = true},
        radd::Contract<ProjectEvent::deleted>{.entity_type = project},
    };
}
consteval auto event_contracts(PersonEvent) {
    constexpr radd::EntityType person = ItemEntity::person;
    return radd::Contracts{
        radd::Contract<PersonEvent::created>{.entity_type = person},
        radd::Contract<PersonEvent::updated>{.entity_type = person, .has_changes = true},
    };
}

}  // namespace items
