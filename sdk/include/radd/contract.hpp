#pragma once

/// What each event of an enum promises, said once beside the enum: what it is about, whom else it
/// names, and the struct it carries.
///
///     struct Response {
///         std::int64_t score = 0;
///         std::optional<std::string> comment{};
///
///         static consteval auto fields() {
///             return std::tuple{radd::field("score", &Response::score).between(1, 5),
///                               radd::field("comment", &Response::comment)};
///         }
///     };
///
///     consteval auto event_contracts(CsatEvent) {
///         return radd::Contracts{
///             radd::Contract<CsatEvent::requested>{.entity_type = items::ItemEntity::item},
///             radd::Contract<CsatEvent::responded, Response>{
///                 .entity_type = items::ItemEntity::item}};
///     }
///
/// From there on typed_event.hpp makes the spec of the manifest, and holds whoever emits or reads
/// the event to it. An enumerator without a contract is emitted as a NewEvent, as ever.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <radd/vocabulary.hpp>

namespace radd {

/// A short list that a constant may hold.
template <typename T, std::size_t size_max = 16>
class Few {
public:
    constexpr Few() = default;
    constexpr Few(std::initializer_list<T> items) {
        for (const T& item : items) add(item);
    }

    constexpr void add(const T& item) {
        if (size_ == size_max) throw "too many for such a list: see Few";
        items_[size_++] = item;
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr const T& operator[](std::size_t at) const { return *items_[at]; }
    [[nodiscard]] constexpr bool contains(const T& item) const {
        for (std::size_t i = 0; i < size_; ++i) {
            if ((*this)[i] == item) return true;
        }
        return false;
    }

private:
    std::array<std::optional<T>, size_max> items_{};
    std::size_t size_ = 0;
};

/// What an event's contract says , in a form without templates.
struct ContractFacts {
    std::string_view type;
    std::string_view entity_type;
    Few<std::string_view> subjects{};
    bool has_changes = false;
    std::int32_t payload_version = 0;  ///< 0: it carries nothing of its own.
};

/// Limits of event_contracts(): what does not fit does not compile.
inline constexpr std::size_t payload_fields_max = 64;

/// Where a payload of version 2 or later says which it is. Its absence is version 1.
inline constexpr std::string_view payload_version_key = "payload_version";

/// One member of a payload struct and the key it is stored under. Make it with field().
///
/// A member is a bool, a whole number, a floating-point number, std::string, radd::json for what
/// has no form of its own, another such struct, or std::optional or std::vector of one of these. An
/// empty optional is left out; what is absent or null is read as one.
template <typename Owner, typename T>
struct Field {
    std::string_view name;
    T Owner::*member;
    std::string_view description{};
    std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    Few<std::string_view> words{};
    bool is_null_when_empty = false;

    [[nodiscard]] constexpr bool is_bounded() const noexcept {
        return minimum != std::numeric_limits<std::int64_t>::min() ||
               maximum != std::numeric_limits<std::int64_t>::max();
    }

    /// A number outside is refused, by who writes it and by who reads it.
    [[nodiscard]] consteval Field between(std::int64_t low, std::int64_t high) const {
        static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                      "between() is for numbers: use one_of() for a text");
        Field bounded = *this;
        bounded.minimum = low;
        bounded.maximum = high;
        return bounded;
    }
    /// A text that is none of these is refused likewise.
    [[nodiscard]] consteval Field one_of(Few<std::string_view> allowed) const {
        static_assert(std::is_same_v<T, std::string>, "one_of() is for a std::string");
        Field chosen = *this;
        chosen.words = allowed;
        return chosen;
    }
    /// An empty optional is stored as null, not left out.
    [[nodiscard]] consteval Field or_null() const {
        static_assert(
            requires(T value) { value.has_value(); }, "or_null() is for a std::optional");
        Field nullable = *this;
        nullable.is_null_when_empty = true;
        return nullable;
    }
};

/// `description` is what the catalogue of event types shows.
template <typename Owner, typename T>
[[nodiscard]] consteval Field<Owner, T> field(std::string_view name,
                                              T Owner::*member,
                                              std::string_view description = {}) {
    return {.name = name, .member = member, .description = description};
}

/// A struct that lists its members. `version` and `upcast` belong to one that was changed:
///
///     static constexpr std::int32_t version = 2;
///     /// Version 1 had `rating`, out of ten. Called for each step, `from` is what it finds.
///     static void upcast(radd::json& payload, std::int32_t from);
template <typename P>
concept PayloadStruct = std::is_aggregate_v<P> && requires {
    P::fields();
};

/// Of an event that carries nothing of its own.
struct NoPayload {
    static consteval std::tuple<> fields() { return {}; }
};

namespace detail {

template <typename P>
consteval std::int32_t version_of() {
    if constexpr (requires { P::version; })
        return P::version;
    else
        return 1;
}

/// Size of a struct with just these members. One that was forgotten makes the difference, unless
/// it hides in padding.
template <typename P>
consteval std::size_t listed_size() {
    std::size_t size = 0;
    std::size_t alignment = 1;
    const auto round_up = [&size](std::size_t to) { size = (size + to - 1) / to * to; };
    std::apply(
        [&]<typename... T>(const Field<P, T>&...) {
            ((round_up(alignof(T)), size += sizeof(T), alignment = std::max(alignment, alignof(T))),
             ...);
        },
        P::fields());
    round_up(alignment);
    return std::max<std::size_t>(size, 1);
}

template <typename P>
consteval auto field_names() {
    Few<std::string_view, payload_fields_max> names;
    const auto add = [&names](std::string_view name) {
        if (!well_formed(name) || name.find('.') != name.npos)
            throw "the name of a field is one word: lower case, digits, _";
        if (name == payload_version_key) throw "payload_version is the host's: rename the field";
        if (names.contains(name)) throw "two fields of a payload share one name";
        names.add(name);
    };
    std::apply([&](const auto&... field) { (add(field.name), ...); }, P::fields());
    return names;
}

/// Refs stand in the payload under the name of their entity.
template <typename Contract>
constexpr ContractFacts checked_facts(const Contract& contract) {
    ContractFacts facts = contract.facts();
    const auto names = field_names<typename Contract::Payload>();
    if (names.contains(facts.entity_type))
        throw "a field is called like the entity, whose ref goes there: rename the field";
    for (std::size_t i = 0; i < facts.subjects.size(); ++i) {
        if (names.contains(facts.subjects[i]))
            throw "a field is called like a subject, whose ref goes there: rename the field";
    }
    return facts;
}

}  // namespace detail

/// What one event promises; the fields are those of EventTypeSpec.
template <auto event, typename P = NoPayload>
struct Contract {
    static_assert(EventEnum<decltype(event)>,
                  "a contract is for an enumerator that event_names() names");
    static_assert(PayloadStruct<P>,
                  "a payload is a struct without constructors that lists its members: static "
                  "consteval auto fields() { return std::tuple{radd::field(\"score\", &P::score)}; "
                  "}");
    static_assert(detail::listed_size<P>() == sizeof(P),
                  "fields() lists every member, in the order of the struct: one that is missing "
                  "there would be lost");
    static_assert(detail::version_of<P>() >= 1, "the first version of a payload is 1");

    using Payload = P;
    static constexpr auto value = event;
    // Not in facts(), where g++ 12 takes the call for the address of an immediate function.
    static constexpr std::string_view name = detail::spell(event, event_names(event));

    EntityType entity_type;
    Few<EntityType> subjects{};       ///< Beside the entity itself.
    bool has_changes = false;         ///< Whoever emits it says what differs.
    Few<std::string_view> aliases{};  ///< Names it was stored under before.

    [[nodiscard]] constexpr ContractFacts facts() const {
        ContractFacts facts{
            .type = name, .entity_type = entity_type.name(), .has_changes = has_changes};
        if (!std::is_same_v<P, NoPayload>) facts.payload_version = detail::version_of<P>();
        for (std::size_t i = 0; i < subjects.size(); ++i) facts.subjects.add(subjects[i].name());
        return facts;
    }
};

/// What `event_contracts(E)` returns.
template <typename... Each>
class Contracts {
public:
    consteval Contracts(Each... each) : each_{each...}, facts_{detail::checked_facts(each)...} {}

    [[nodiscard]] constexpr const ContractFacts* find(std::string_view type) const {
        for (const ContractFacts& facts : facts_) {
            if (facts.type == type) return &facts;
        }
        return nullptr;
    }

    template <auto event>
    static constexpr bool has = ((Each::value == event) || ...);

    /// The contract of `event`, which has<event> one.
    template <auto event>
    [[nodiscard]] constexpr const auto& of() const {
        constexpr std::array matches{(Each::value == event)...};
        constexpr auto at = std::ranges::find(matches, true) - matches.begin();
        return std::get<static_cast<std::size_t>(at)>(each_);
    }

private:
    std::tuple<Each...> each_;
    std::array<ContractFacts, sizeof...(Each)> facts_;
};
template <typename... Each>
Contracts(Each...) -> Contracts<Each...>;

namespace detail {

template <typename E>
inline constexpr auto contracts = event_contracts(E{});

template <auto event>
consteval bool has_contract() {
    using E = decltype(event);
    if constexpr (requires { event_contracts(E{}); })
        return decltype(event_contracts(E{}))::template has<event>;
    else
        return false;
}

/// The contract of `event`, for whoever needs one.
template <auto event>
constexpr const auto& contract() {
    static_assert(has_contract<event>(),
                  "this event has no contract: add radd::Contract<…> to event_contracts() beside "
                  "its enum");
    return contracts<decltype(event)>.template of<event>();
}

template <auto event>
using PayloadOf = typename std::remove_cvref_t<decltype(contract<event>())>::Payload;

}  // namespace detail
}  // namespace radd
