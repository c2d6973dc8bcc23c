#pragma once

/// What a receiver gets to read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <radd/event.hpp>
#include <radd/json_text.hpp>

namespace webhooks {

enum class Format : std::uint8_t { cloudevents, plain };

/// As it is stored and as JSON spells it.
[[nodiscard]] constexpr std::string_view name_of(Format format) noexcept {
    return format == Format::plain ? "plain" : "cloudevents";
}
/// @throws radd::InvalidInput, field "format".
[[nodiscard]] Format format_of(std::string_view name);

[[nodiscard]] std::string_view content_type_of(Format format);

enum class Content : std::uint8_t {
    whole,
    omitted,  ///< Without what may be too long for a delivery.
};

/// CloudEvents 1.0 in its structured JSON form, `source` being where people reach this instance;
/// or the plain body that Standard Webhooks recommends: `type`, `timestamp`, `data`. The event's
/// payload stands in `data.payload` as it is stored, so no number loses a digit. `omitted`: where
/// it and `data.changes` would stand there is `"omitted": true`, and who wants them asks for the
/// event by `data.id`.
[[nodiscard]] std::string body_of(const radd::Event& event,
                                  Format format,
                                  std::string_view source,
                                  Content content = Content::whole);

/// What a rule tells a receiver: no event of the stream.
struct Call {
    std::string id;
    radd::Timestamp at;
    radd::json payload;
    std::optional<std::int64_t> event_id{};  ///< What started the rule; empty: the clock did.
};
inline constexpr std::string_view call_type = "webhook.called";

/// In the same forms, of type call_type: `data` has `event_id` (null: the clock) and `payload`.
[[nodiscard]] std::string body_of(const Call& call, Format format, std::string_view source);

}  // namespace webhooks
