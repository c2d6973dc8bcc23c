#pragma once

/// What becomes of a chat room. Rooms are never told of these.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace chat {

enum class ChatEntity : std::uint8_t { room };

consteval auto entity_names(ChatEntity) {
    return std::array{radd::Named{ChatEntity::room, "chat_room"}};
}

enum class ChatEvent : std::uint8_t {
    room_created,
    room_updated,
    room_deleted,
    room_disabled,  ///< By the service, which knows the room no more: `reason`.
};

consteval auto event_names(ChatEvent) {
    return std::array{
        radd::Named{ChatEvent::room_created, "chat.room_created"},
        radd::Named{ChatEvent::room_updated, "chat.room_updated"},
        radd::Named{ChatEvent::room_deleted, "chat.room_deleted"},
        radd::Named{ChatEvent::room_disabled, "chat.room_disabled"},
    };
}

}  // namespace chat
