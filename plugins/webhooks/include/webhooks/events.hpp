#pragma once

/// What becomes of an endpoint. An endpoint is told of these only if its filter names them.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace webhooks {

enum class WebhookEntity : std::uint8_t { endpoint };

consteval auto entity_names(WebhookEntity) {
    return std::array{radd::Named{WebhookEntity::endpoint, "webhook_endpoint"}};
}

enum class WebhookEvent : std::uint8_t {
    endpoint_created,
    endpoint_updated,
    endpoint_deleted,
    endpoint_disabled,  ///< By its receiver (410) or after failing for long: `reason`.
    delivery_dead,      ///< `delivery_id`, `attempts`, `detail`, and the `event_id` it told of.
};

consteval auto event_names(WebhookEvent) {
    return std::array{
        radd::Named{WebhookEvent::endpoint_created, "webhook.endpoint_created"},
        radd::Named{WebhookEvent::endpoint_updated, "webhook.endpoint_updated"},
        radd::Named{WebhookEvent::endpoint_deleted, "webhook.endpoint_deleted"},
        radd::Named{WebhookEvent::endpoint_disabled, "webhook.endpoint_disabled"},
        radd::Named{WebhookEvent::delivery_dead, "webhook.delivery_dead"},
    };
}

}  // namespace webhooks
