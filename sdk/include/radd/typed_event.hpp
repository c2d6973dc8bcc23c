#pragma once

/// Events that are held to their contract (contract.hpp): declared, emitted and read.
///
///     radd::event_spec<CsatEvent::responded>({.label = "CSAT survey answered"})   // in the
///     manifest
///
///     tx.emit(radd::NewEventOf<CsatEvent::responded>{.entity_id = item_id,
///                                                    .payload = Response{.score = 5}});
///
///     if (event.is(CsatEvent::responded))
///         total += radd::payload_of<CsatEvent::responded>(event).score;

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <radd/contract.hpp>
#include <radd/event.hpp>
#include <radd/manifest.hpp>
#include <radd/payload_json.hpp>

namespace radd {
namespace detail {

/// What PayloadArgument makes their assertions depend on.
template <typename>
inline constexpr bool never = false;

template <typename P>
JsonText payload_text(const P& payload) {
    try {
        json object = written(payload);
        if constexpr (version_of<P>() > 1)
            object[std::string{payload_version_key}] = version_of<P>();
        return JsonText{std::move(object)};
    } catch (const Misfit& misfit) {
        throw InvalidInput{"payload." + misfit.place, misfit.problem};
    }
}

/// Of the payload of one event: the struct that its contract names, and nothing else.
template <auto event>
class PayloadArgument {
public:
    template <typename Unused = void>
    PayloadArgument() {
        static_assert(std::is_same_v<PayloadOf<event>, NoPayload> || !std::is_void_v<Unused>,
                      "this event carries a payload: give .payload = the struct that "
                      "event_contracts() names for it");
    }
    // Implicit, so that it is written as it is in a NewEvent.
    template <typename Given>
    PayloadArgument(const Given& given) {
        if constexpr (std::is_same_v<Given, PayloadOf<event>>)
            text_ = payload_text(given);
        else
            static_assert(never<Given>,
                          "this event carries another payload: give the struct that "
                          "event_contracts() names for it");
    }

    [[nodiscard]] const JsonText& text() const noexcept { return text_; }

private:
    JsonText text_;
};

/// A subject of one event, which its contract must name.
template <auto event>
class SubjectEntity {
public:
    template <EntityEnum E>
    consteval SubjectEntity(E value) : type_{value} {
        if (!contract<event>().subjects.contains(type_))
            throw "the contract of this event names no such subject: add it to .subjects there";
    }

    [[nodiscard]] constexpr const EntityType& type() const noexcept { return type_; }

private:
    EntityType type_;
};

template <auto event>
struct SubjectArgument {
    SubjectEntity<event> entity;
    EntityId id;
};

/// @throws Misfit if it is no version that this build knows.
template <typename P>
std::int32_t stored_version(const json& payload) {
    const auto found = payload.find(payload_version_key);
    if (found == payload.end()) return 1;
    const std::int64_t version = found->is_number_integer() ? value_read<std::int64_t>(*found) : 0;
    if (version < 1 || version > version_of<P>())
        throw Misfit{std::string{payload_version_key},
                     "is " + kind_of(*found) + ", and this build knows 1 to " +
                         std::to_string(version_of<P>()) + "; a later one wrote it"};
    return static_cast<std::int32_t>(version);
}

/// Nothing if `payload` is of the present version. @throws Misfit.
template <typename P>
std::optional<json> upcast(const json& payload) {
    if constexpr (version_of<P>() == 1) {
        (void)stored_version<P>(payload);
        return std::nullopt;
    } else {
        const std::int32_t version = stored_version<P>(payload);
        if (version == version_of<P>()) return std::nullopt;
        json current = payload;
        for (auto from = version; from < version_of<P>(); ++from) P::upcast(current, from);
        current[std::string{payload_version_key}] = version_of<P>();
        return current;
    }
}

template <typename P>
JsonText payload_schema() {
    json described = schema<P>();
    if constexpr (version_of<P>() > 1) {
        static_assert(
            requires(json & old) { P::upcast(old, std::int32_t{1}); },
            "a payload of a later version reads what earlier ones stored: add static "
            "void upcast(radd::json& payload, std::int32_t from)");
        described["properties"][std::string{payload_version_key}] = {{"const", version_of<P>()}};
        described["required"].push_back(std::string{payload_version_key});
    }
    return JsonText{std::move(described)};
}

}  // namespace detail

/// The differences that one event describes: without a default where its contract says has_changes.
template <auto event>
class ChangesOf {
public:
    template <typename Unused = void>
    ChangesOf() {
        static_assert(!detail::contract<event>().has_changes || !std::is_void_v<Unused>,
                      "this event says what changed: give .changes; an empty list says that "
                      "nothing visible did");
    }
    ChangesOf(std::vector<Change> changes) : changes_{std::move(changes)} {}

    [[nodiscard]] const std::optional<std::vector<Change>>& list() const noexcept {
        return changes_;
    }

private:
    std::optional<std::vector<Change>> changes_;
};

namespace detail {

enum class Demand : std::uint8_t { nothing, payload, changes, both };

template <auto event>
consteval Demand demand() {
    const bool payload = !std::is_same_v<PayloadOf<event>, NoPayload>;
    if (contract<event>().has_changes) return payload ? Demand::both : Demand::changes;
    return payload ? Demand::payload : Demand::nothing;
}

template <auto event>
NewEvent untyped(const auto& typed) {
    NewEvent made{.type = event,
                  .entity = contract<event>().entity_type,
                  .entity_id = typed.entity_id,
                  .actor_id = typed.actor_id,
                  .payload = typed.payload.text(),
                  .changes = typed.changes.list(),
                  .occurred_at = typed.occurred_at,
                  .silent = typed.silent,
                  .automated_cause = typed.automated_cause,
                  .project_id = typed.project_id,
                  .traceparent = typed.traceparent};
    for (const auto& subject : typed.subjects)
        made.subjects.push_back({subject.entity.type(), subject.id});
    return made;
}

}  // namespace detail

/// An event with a contract, about to be appended: a NewEvent that cannot be about something else,
/// carry another payload, name other subjects or forget its changes, because that does not compile.
///
/// @throws InvalidInput where it is made, naming the field, if a value is outside of what the
///         payload's field() allows.
template <auto event, detail::Demand = detail::demand<event>()>
struct NewEventOf {
    EntityId entity_id;
    std::optional<std::string> actor_id{};
    std::vector<detail::SubjectArgument<event>> subjects{};
    detail::PayloadArgument<event> payload{};
    ChangesOf<event> changes{};
    std::optional<Timestamp> occurred_at{};
    std::optional<bool> silent{};
    std::optional<std::string> automated_cause{};
    std::optional<std::int64_t> project_id{};
    std::optional<std::string> traceparent{};

    operator NewEvent() const { return detail::untyped<event>(*this); }
};

// The same three times, without a default where the contract asks for a value: a default would be
// refused as well, but on a line of this header instead of the author's.
template <auto event>
struct NewEventOf<event, detail::Demand::payload> {
    EntityId entity_id;
    std::optional<std::string> actor_id{};
    std::vector<detail::SubjectArgument<event>> subjects{};
    detail::PayloadArgument<event> payload;
    ChangesOf<event> changes{};
    std::optional<Timestamp> occurred_at{};
    std::optional<bool> silent{};
    std::optional<std::string> automated_cause{};
    std::optional<std::int64_t> project_id{};
    std::optional<std::string> traceparent{};

    operator NewEvent() const { return detail::untyped<event>(*this); }
};
template <auto event>
struct NewEventOf<event, detail::Demand::changes> {
    EntityId entity_id;
    std::optional<std::string> actor_id{};
    std::vector<detail::SubjectArgument<event>> subjects{};
    detail::PayloadArgument<event> payload{};
    ChangesOf<event> changes;
    std::optional<Timestamp> occurred_at{};
    std::optional<bool> silent{};
    std::optional<std::string> automated_cause{};
    std::optional<std::int64_t> project_id{};
    std::optional<std::string> traceparent{};

    operator NewEvent() const { return detail::untyped<event>(*this); }
};
template <auto event>
struct NewEventOf<event, detail::Demand::both> {
    EntityId entity_id;
    std::optional<std::string> actor_id{};
    std::vector<detail::SubjectArgument<event>> subjects{};
    detail::PayloadArgument<event> payload;
    ChangesOf<event> changes;
    std::optional<Timestamp> occurred_at{};
    std::optional<bool> silent{};
    std::optional<std::string> automated_cause{};
    std::optional<std::int64_t> project_id{};
    std::optional<std::string> traceparent{};

    operator NewEvent() const { return detail::untyped<event>(*this); }
};

/// The struct that the contract of `event` names, read from a row of any version. Ask is() first.
/// @throws SchemaError if this is an event of another type, or the row does not fit: stored by a
///         later build, by SQL. Names the event, the field and what is wrong with it.
template <auto event>
[[nodiscard]] detail::PayloadOf<event> payload_of(const Event& row) {
    using P = detail::PayloadOf<event>;
    const EventType type{event};
    const std::string place = "event " + std::to_string(row.id) + ": ";
    if (!row.is(type) && !detail::contract<event>().aliases.contains(row.type))
        throw SchemaError{place + "is " + row.type + " and was read as " +
                          std::string{type.name()} + "; ask is() first"};
    try {
        const auto current = detail::upcast<P>(row.payload());
        return detail::read<P>(current ? *current : row.payload());
    } catch (const detail::Misfit& misfit) {
        throw SchemaError{place + row.type + ": payload." + misfit.place + ": " + misfit.problem};
    } catch (const json::exception& error) {
        throw SchemaError{place + row.type + ": upcast: " + error.what()};
    }
}

/// What a contract does not say of an event: how people see it. As in EventTypeSpec.
struct EventText {
    std::string label;
    std::string group = "Other";
    bool item_scoped = false;
    bool trigger = true;
    bool audited = true;
    Role readable_by = Role::member;
};

/// The spec of an event with a contract, for Manifest::event_types. The schema of its payload is
/// made from the struct.
template <auto event>
[[nodiscard]] EventTypeSpec event_spec(EventText text) {
    using P = detail::PayloadOf<event>;
    const auto& contract = detail::contract<event>();
    EventTypeSpec spec{.type = event,
                       .label = std::move(text.label),
                       .group = std::move(text.group),
                       .item_scoped = text.item_scoped,
                       .has_changes = contract.has_changes,
                       .trigger = text.trigger,
                       .audited = text.audited,
                       .readable_by = text.readable_by,
                       .entity_type = contract.entity_type};
    for (std::size_t i = 0; i < contract.subjects.size(); ++i)
        spec.subjects.push_back(contract.subjects[i]);
    for (std::size_t i = 0; i < contract.aliases.size(); ++i)
        spec.aliases.emplace_back(contract.aliases[i]);
    if constexpr (!std::is_same_v<P, NoPayload>) {
        spec.payload_schema = detail::payload_schema<P>();
    }
    return spec;
}

}  // namespace radd
