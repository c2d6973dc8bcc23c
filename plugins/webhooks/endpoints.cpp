#include "endpoints.hpp"

#include <algorithm>

#include "signature.hpp"
#include "sql.hpp"
#include <radd/http_client.hpp>
#include <radd/percent.hpp>
#include <radd/secrets.hpp>
#include <radd/switched_lane.hpp>
#include <webhooks/events.hpp>

namespace webhooks {
namespace {

std::vector<std::string> texts_of(const std::string& array) {
    return radd::json::parse(array).get<std::vector<std::string>>();
}

std::string id_array(const std::vector<std::int64_t>& ids) {
    std::string array = "{";
    for (const auto id : ids) array += (array.size() > 1 ? "," : "") + std::to_string(id);
    return array + "}";
}

Endpoint endpoint_of(const radd::Row& row) {
    return {
        .id = row.integer("id"),
        .draft = {.name = row.text("name"),
                  .url = row.text("url"),
                  .format = format_of(row.text("format")),
                  .event_types = texts_of(row.text("event_types")),
                  .entity_types = texts_of(row.text("entity_types")),
                  .project_ids =
                      radd::json::parse(row.text("project_ids")).get<std::vector<std::int64_t>>(),
                  .enabled = row.boolean("enabled")},
        .disabled_reason = row.optional_text("disabled_reason"),
        .disabled_at = row.optional_text("disabled_at"),
        .failing_since = row.optional_text("failing_since"),
        .old_secret_until = row.optional_text("old_secret_until"),
        .created_at = row.text("created_at")};
}

radd::json optional_json(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}

void check_filter(const char* field, const std::vector<std::string>& filter) {
    if (filter.size() > filters_max)
        throw radd::InvalidInput{field,
                                 "has more than " + std::to_string(filters_max) + " entries"};
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    };
    for (const std::string& entry : filter) {
        std::string_view word = entry;
        if (word.ends_with(".*")) word.remove_suffix(2);
        const bool dots = word.starts_with('.') || word.ends_with('.') ||
                          word.find("..") != std::string_view::npos;
        if (word.empty() || dots || word.size() > radd::name_bytes_max ||
            !std::ranges::all_of(word, allowed))
            throw radd::InvalidInput{field,
                                     "holds what is no name; write item.updated, or item.* for "
                                     "all that begin so"};
    }
}

void tell(radd::Transaction& tx,
          radd::EventType type,
          std::int64_t id,
          const std::optional<std::string>& actor,
          radd::json payload = radd::json::object()) {
    tx.emit({.type = type,
             .entity = WebhookEntity::endpoint,
             .entity_id = id,
             .actor_id = actor,
             .payload = std::move(payload)});
}

}  // namespace

radd::json to_json(const Endpoint& endpoint) {
    const EndpointDraft& draft = endpoint.draft;
    return {{"id", endpoint.id},
            {"name", draft.name},
            {"url", draft.url},
            {"format", name_of(draft.format)},
            {"event_types", draft.event_types},
            {"entity_types", draft.entity_types},
            {"project_ids", draft.project_ids},
            {"enabled", draft.enabled},
            {"disabled_reason", optional_json(endpoint.disabled_reason)},
            {"disabled_at", optional_json(endpoint.disabled_at)},
            {"failing_since", optional_json(endpoint.failing_since)},
            {"old_secret_until", optional_json(endpoint.old_secret_until)},
            {"created_at", endpoint.created_at}};
}

std::vector<Endpoint> Endpoints::list(radd::Transaction& tx) const {
    std::vector<Endpoint> all;
    for (const auto row : tx.query(sql::list_endpoints, nullptr)) all.push_back(endpoint_of(row));
    return all;
}

std::optional<Endpoint> Endpoints::find_to_change(radd::Transaction& tx, std::int64_t id) const {
    if (!tx.query_one(sql::lock_endpoint, id)) return std::nullopt;
    return find(tx, id);
}

std::optional<Endpoint> Endpoints::find(radd::Transaction& tx, std::int64_t id) const {
    const auto row = tx.query_one(sql::list_endpoints, id);
    if (!row) return std::nullopt;
    return endpoint_of(*row);
}

void Endpoints::check(const EndpointDraft& draft) const {
    const bool named = draft.name.find_first_not_of(' ') != std::string::npos;
    if (!named || draft.name.size() > name_bytes_max || radd::first_invalid_utf8(draft.name) ||
        draft.name.find('\0') != std::string::npos)
        throw radd::InvalidInput{
            "name",
            "must be text of 1 to " + std::to_string(name_bytes_max) + " bytes, and no NUL in it"};
    host_.http_client().vet_url(draft.url);
    check_filter("event_types", draft.event_types);
    check_filter("entity_types", draft.entity_types);
    if (draft.project_ids.size() > filters_max)
        throw radd::InvalidInput{"project_ids",
                                 "has more than " + std::to_string(filters_max) + " entries"};
}

void Endpoints::seal(radd::Transaction& tx,
                     std::int64_t id,
                     const std::string& secret,
                     std::chrono::milliseconds overlap) {
    check_secret(secret);
    tx.execute(sql::set_secret, id, host_.secrets().seal(purpose(id), secret), overlap.count());
}

Endpoints::Made Endpoints::create(radd::Transaction& tx,
                                  const EndpointDraft& draft,
                                  std::optional<std::string> secret,
                                  const std::optional<std::string>& actor) {
    check(draft);
    if (list(tx).size() >= endpoints_max)
        throw radd::InvalidInput{
            "name",
            "there are " + std::to_string(endpoints_max) + " endpoints already; remove one"};
    const std::string chosen = secret ? *std::move(secret) : new_secret(host_.random());
    const auto id = tx.query_one(sql::insert_endpoint,
                                 draft.name,
                                 draft.url,
                                 name_of(draft.format),
                                 radd::text_array(draft.event_types),
                                 radd::text_array(draft.entity_types),
                                 id_array(draft.project_ids))
                        ->integer("id");
    seal(tx, id, chosen, std::chrono::milliseconds{0});
    tell(tx, WebhookEvent::endpoint_created, id, actor);
    return {.id = id, .secret = chosen};
}

bool Endpoints::update(radd::Transaction& tx,
                       std::int64_t id,
                       const EndpointDraft& draft,
                       const std::optional<std::string>& actor) {
    const auto before = tx.query_one(sql::lock_endpoint, id);
    if (!before) return false;
    check(draft);
    tx.execute(sql::update_endpoint,
               id,
               draft.name,
               draft.url,
               name_of(draft.format),
               radd::text_array(draft.event_types),
               radd::text_array(draft.entity_types),
               id_array(draft.project_ids),
               draft.enabled);
    const bool returns = draft.enabled && !before->boolean("enabled");
    if (!draft.enabled || returns) {
        const auto cancelled = host_.deliveries(queue_name)
                                   .cancel_lane(tx, std::to_string(id), "endpoint switched off");
        // The rest goes by Retention.
        if (returns) radd::require_lane_empty(cancelled);
    }
    tell(tx, WebhookEvent::endpoint_updated, id, actor);
    return true;
}

bool Endpoints::remove(radd::Transaction& tx,
                       std::int64_t id,
                       const std::optional<std::string>& actor) {
    if (!tx.query_one(sql::lock_endpoint, id)) return false;
    host_.deliveries(queue_name).cancel_lane(tx, std::to_string(id), "endpoint deleted");
    // Before the row goes: its event describes it.
    tell(tx, WebhookEvent::endpoint_deleted, id, actor);
    tx.execute(sql::delete_endpoint, id);
    return true;
}

std::optional<std::string> Endpoints::rotate(radd::Transaction& tx,
                                             std::int64_t id,
                                             std::optional<std::string> secret,
                                             std::chrono::milliseconds overlap,
                                             const std::optional<std::string>& actor) {
    if (!tx.query_one(sql::lock_endpoint, id)) return std::nullopt;
    auto chosen = secret ? *std::move(secret) : new_secret(host_.random());
    seal(tx, id, chosen, overlap);
    tell(tx, WebhookEvent::endpoint_updated, id, actor);
    return chosen;
}

void Endpoints::disable(radd::Transaction& tx, std::int64_t id, const std::string& reason) {
    if (tx.execute(sql::disable_endpoint, id, reason) == 0) return;
    const auto cancelled = host_.deliveries(queue_name)
                               .cancel_lane(tx, std::to_string(id), "endpoint disabled: " + reason);
    tell(tx,
         WebhookEvent::endpoint_disabled,
         id,
         std::string{radd::system_actor},
         {{"reason", reason}, {"cancelled", cancelled}});
    host_.log().warn("endpoint " + std::to_string(id) + ": disabled: " + reason + "; " +
                     std::to_string(cancelled) +
                     " deliveries cancelled; `radd webhooks enable` switches it on again");
}

void Endpoints::forget_project(radd::Transaction& tx, std::string_view project_id) {
    for (const auto row : tx.query(sql::lock_endpoints_of_project, project_id)) {
        const auto id = row.integer("id");
        if (row.boolean("is_only")) {
            disable(tx, id, "project " + std::string{project_id} + ", its only one, is deleted");
            continue;
        }
        tx.execute(sql::forget_project, id, project_id);
        tell(tx, WebhookEvent::endpoint_updated, id, std::string{radd::system_actor});
    }
}

}  // namespace webhooks
