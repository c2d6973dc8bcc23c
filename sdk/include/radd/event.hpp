#pragma once

/// One row of the outbox: as it is appended, and as it is read back.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <radd/json_text.hpp>
#include <radd/vocabulary.hpp>

namespace radd {

/// An instant as PostgreSQL keeps it: microseconds, UTC.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Limits that emit() checks before anything is written. @throws InvalidInput past them.
inline constexpr std::size_t payload_bytes_max = 256 * 1024;
inline constexpr std::size_t payload_depth_max = 64;
inline constexpr std::size_t entity_id_bytes_max = 200;
inline constexpr std::size_t changes_max = 1000;

/// Key of an entity. Integers and text convert; it is stored as text.
class EntityId {
public:
    template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) EntityId(T value)
        : text_{std::to_string(value)} {}
    EntityId(std::string text) noexcept : text_{std::move(text)} {}
    EntityId(std::string_view text) : text_{text} {}
    EntityId(const char* text) : text_{text} {}

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const EntityId&, const EntityId&) = default;

private:
    std::string text_;
};

/// An entity the event is about. The host writes its ref into `payload[<entity>]`.
struct Subject {
    EntityType entity;
    EntityId id;
};

/// One difference that the event describes. Make it with change(), list_change() or
/// hidden_change(); it is stored as `{field, from, to}`, `{field, added, removed}` or `{field}`.
struct Change {
    std::string field;
    std::optional<JsonText> from{};
    std::optional<JsonText> to{};
    std::optional<JsonText> added{};    ///< A JSON array.
    std::optional<JsonText> removed{};  ///< A JSON array.

    friend bool operator==(const Change&, const Change&) = default;
};

[[nodiscard]] inline Change change(std::string field, const json& from, const json& to) {
    return {.field = std::move(field), .from = JsonText{from}, .to = JsonText{to}};
}
[[nodiscard]] inline Change list_change(std::string field, const json& added, const json& removed) {
    return {.field = std::move(field), .added = JsonText{added}, .removed = JsonText{removed}};
}
/// The field changed and its value is nobody's business: a secret, a long text.
[[nodiscard]] inline Change hidden_change(std::string field) {
    return {.field = std::move(field)};
}

/// An event about to be appended.
struct NewEvent {
    EventType type;
    EntityType entity;
    EntityId entity_id;
    std::optional<std::string> actor_id{};  ///< A uuid. Empty: no person did it (a requester, say).
    std::vector<Subject> subjects{};        ///< Beside the entity itself, which needs no mention.
    JsonText payload{};                     ///< An object of the plugin's own data, without refs.
    std::optional<std::vector<Change>> changes{};  ///< Required iff the spec says `has_changes`.
    std::optional<Timestamp> occurred_at{};        ///< For historical imports; the order is by id.
    std::optional<bool> silent{};                  ///< Beats an enclosing Quiet scope.
    std::optional<std::string> automated_cause{};  ///< Beats an enclosing Automated scope.
    std::optional<std::int64_t> project_id{};
    std::optional<std::string> traceparent{};  ///< https://www.w3.org/TR/trace-context/
};

/// Who acts when no person does: automations and the host itself. An event by this actor starts
/// no automation; an event without any actor does.
inline constexpr std::string_view system_actor = "00000000-0000-4000-8000-000000000001";

/// One row of the outbox, as a consumer reads it. Immutable and shared by every consumer of the
/// process, so it is lent by const reference and never kept past the call. [any-thread]
class Event {
public:
    std::int64_t id = 0;  ///< Place in the stream. Grows; rollbacks leave gaps.
    std::string type{};   ///< Stored name. Ask is(), do not compare text.
    std::string entity_type{};
    std::string entity_id{};
    std::optional<std::string> actor_id{};
    std::string payload_text = "{}";            ///< As stored: plugin data and refs.
    std::optional<std::string> changes_text{};  ///< A JSON array, or absent.
    std::optional<std::int64_t> project_id{};
    bool silent = false;                           ///< Bulk import: tell nobody outside.
    std::optional<std::string> automated_cause{};  ///< Which rule caused it, and how deep.
    std::optional<std::string> traceparent{};
    Timestamp occurred_at{};  ///< When it happened in the world. `infinity` reads as year 9999.
    Timestamp recorded_at{};  ///< When the row was written, by the database's clock.

    Event() = default;
    Event(const Event& other) { copy_from(other); }
    Event& operator=(const Event& other) {
        if (this != &other) {
            copy_from(other);
            parsed_.reset();
        }
        return *this;
    }
    ~Event() = default;

    [[nodiscard]] bool is(EventType wanted) const noexcept { return type == wanted.name(); }
    [[nodiscard]] bool about(EntityType wanted) const noexcept {
        return entity_type == wanted.name();
    }

    /// The payload, parsed at the first call by anybody and shared afterwards. What is stored may
    /// be anything that SQL could insert, so a payload that is not an object reads as an empty one.
    [[nodiscard]] const json& payload() const { return parsed().payload; }

    /// The list of differences; empty when there is none or it is malformed.
    [[nodiscard]] const json& changes() const { return parsed().changes; }

    /// The `{field, from, to}` entry for `field`, or null.
    [[nodiscard]] const json* change_of(std::string_view field) const {
        for (const json& entry : changes()) {
            const auto name = entry.is_object() ? entry.find("field") : entry.end();
            if (entry.is_object() && name != entry.end() && name->is_string() &&
                name->get_ref<const std::string&>() == field)
                return &entry;
        }
        return nullptr;
    }

private:
    struct Parsed {
        json payload = json::object();
        json changes = json::array();
    };

    void copy_from(const Event& other) {
        id = other.id;
        type = other.type;
        entity_type = other.entity_type;
        entity_id = other.entity_id;
        actor_id = other.actor_id;
        payload_text = other.payload_text;
        changes_text = other.changes_text;
        project_id = other.project_id;
        silent = other.silent;
        automated_cause = other.automated_cause;
        traceparent = other.traceparent;
        occurred_at = other.occurred_at;
        recorded_at = other.recorded_at;
    }

    [[nodiscard]] const Parsed& parsed() const {
        const std::scoped_lock lock{parsing_};
        if (!parsed_) {
            auto made = std::make_shared<Parsed>();
            auto payload = json::parse(payload_text, nullptr, false);
            if (payload.is_object()) made->payload = std::move(payload);
            auto changes = json::parse(changes_text.value_or("[]"), nullptr, false);
            if (changes.is_array()) made->changes = std::move(changes);
            parsed_ = std::move(made);
        }
        return *parsed_;
    }

    mutable std::mutex parsing_;
    // Shared only so that the deleter is the one of the library that parsed; there is one owner.
    mutable std::shared_ptr<const Parsed> parsed_;
};

}  // namespace radd
