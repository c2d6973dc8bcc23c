#pragma once

/// What conditions and arguments may speak of, by path.
///
///   event.type, event.id, event.entity_type, event.entity_id, event.actor_id, event.project_id,
///   event.occurred_at    the event itself
///   payload.…            its data and the refs of its subjects, as they were when it happened
///   changes.<field>.from, .to, .added, .removed    what it changed
///   entity.…             the ref of its entity as it is now; null if it is gone
///
/// A rule that the clock starts has none of them: each reads as null.

#include <optional>
#include <string>

#include <radd/catalog.hpp>
#include <radd/json_text.hpp>
#include <radd/transaction.hpp>

namespace automations {

/// Of all texts of an action's arguments, once filled in. @throws radd::InvalidInput past it.
inline constexpr std::size_t arguments_bytes_max = std::size_t{64} * 1024;

/// Lent for one event. Reads the entity at most once, and only if it is asked for.
class Facts {
public:
    Facts(radd::Transaction& tx, const radd::Catalog& catalog, const radd::Event* event)
        : tx_{tx}, catalog_{catalog}, event_{event} {}

    /// @throws as Transaction::query().
    [[nodiscard]] radd::json at(const std::string& path);

private:
    [[nodiscard]] const radd::json& entity();

    radd::Transaction& tx_;
    const radd::Catalog& catalog_;
    const radd::Event* event_;
    std::optional<radd::json> event_facts_;
    std::optional<radd::json> entity_;
};

/// `arguments` with `{{path}}` in its texts filled in. A text that is one such place and nothing
/// else becomes the value itself; in a longer one null is nothing, and what is no text is JSON.
[[nodiscard]] radd::json filled(const radd::json& arguments, Facts& facts);

/// Whether any text has a place to fill in. @throws radd::InvalidInput if one is not closed or its
/// path is none.
[[nodiscard]] bool check_places(const radd::json& arguments, const std::string& place);

}  // namespace automations
