#include <initializer_list>
#include <utility>

#include <host/api/delivery_schemas.hpp>
#include <host/api/schemas.hpp>
#include <host/consumers/overview.hpp>

namespace radd::api::schema {
namespace {

const json any_text{{"type", "string"}};
const json whole{{"type", "integer"}};
const json truth{{"type", "boolean"}};
const json anything = json::object();
const json instant{{"type", "string"}, {"format", "date-time"}};

json or_null(json of) {
    const json type = of["type"];
    of["type"] = {type, "null"};
    return of;
}

json array_of(const json& entry) {
    return {{"type", "array"}, {"items", entry}};
}

/// An object whose members are all there.
json object(std::initializer_list<std::pair<const char*, json>> members) {
    json properties = json::object();
    json required = json::array();
    for (const auto& [name, of] : members) {
        properties[name] = of;
        required.push_back(name);
    }
    return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

/// A body: what is not listed is refused by name.
json request(std::initializer_list<std::pair<const char*, json>> members) {
    json of = object(members);
    of.erase("required");
    of["additionalProperties"] = false;
    return of;
}

json described(json of, const char* text) {
    of["description"] = text;
    return of;
}

json waiting_on() {
    return or_null(object({{"event_id", described(whole, "The lowest id that is not final")},
                           {"pid", or_null(whole)},
                           {"age_ms", whole},
                           {"application_name", any_text},
                           {"query", any_text}}));
}

json problem() {
    return object(
        {{"code", any_text}, {"message", any_text}, {"hint", any_text}, {"place", any_text}});
}

}  // namespace

json healthz() {
    return object({{"status", {{"const", "ok"}}}});
}

json readyz() {
    return object(
        {{"ready", truth},
         {"checks", array_of(object({{"name", any_text}, {"ok", truth}, {"detail", any_text}}))}});
}

json consumer() {
    return object(
        {{"name", any_text},
         {"plugin", any_text},
         {"kind", {{"enum", {"consumer", "task"}}}},
         {"state", {{"enum", consumers::consumer_states}}},
         {"last_event_id", described(whole, "The last event it has settled")},
         {"stream_head", described(whole, "The last event that is safe to read")},
         {"lag", described(whole, "Events between both, counted up to 10000")},
         {"approximate", described(truth, "`lag` is the distance of the ids")},
         {"seconds_since_update", described(whole, "Since its cursor last moved")},
         {"oldest_age_s", described(or_null(whole), "Of the first event it has not settled")},
         {"skipped",
          described(whole,
                    "Open records of events it has passed without effect, counted up to 10001")},
         {"handled_count", whole},
         {"owner", described(or_null(any_text), "host:pid:random of the process that runs it")},
         {"overdue_event_id",
          described(or_null(whole), "Its handler outlives its deadline; 0: a task's tick does")},
         {"paused_until",
          described(or_null(any_text), "A UTC instant, or infinity: until it is resumed")},
         {"pause_reason", or_null(any_text)},
         {"waiting_on", waiting_on()}});
}

json resumed() {
    json of = consumer();
    json moved = seek();
    of["properties"]["moved"] = or_null(std::move(moved));
    return of;
}

json seek() {
    return object({{"name", any_text},
                   {"from", whole},
                   {"to", whole},
                   {"events", described(whole, "Between both")},
                   {"approximate", described(truth, "`events` is the distance of the ids")},
                   {"direction", {{"enum", {"replay", "pass"}}}}});
}

json retry() {
    return object({{"requested", whole}});
}

json skipped_event() {
    return object({{"id", whole},
                   {"consumer", any_text},
                   {"event_id", whole},
                   {"event_type", any_text},
                   {"phase", {{"enum", {"plan", "deliver", "quarantine", "sweep"}}}},
                   {"error", any_text},
                   {"plugin", any_text},
                   {"plugin_version", any_text},
                   {"attempts", whole},
                   {"skipped_at", instant},
                   {"retry_requested", truth},
                   {"event", described({{"type", "object"}}, "The event as it was then")}});
}

json event() {
    return object(
        {{"id", described(whole, "Place in the stream")},
         {"event_type", any_text},
         {"entity_type", any_text},
         {"entity_id", any_text},
         {"actor_id", or_null({{"type", "string"}, {"format", "uuid"}})},
         {"payload", described(anything, "An object; any JSON in a row of plain SQL")},
         {"changes",
          described(anything, "null or differences of a field; any JSON in a row of plain SQL")},
         {"project_id", or_null(whole)},
         {"silent", truth},
         {"automated_cause", or_null(any_text)},
         {"traceparent", or_null(any_text)},
         {"occurred_at", instant},
         {"recorded_at", instant}});
}

json event_type() {
    return object({{"type", any_text},
                   {"label", any_text},
                   {"group", any_text},
                   {"plugin", any_text},
                   {"item_scoped", truth},
                   {"has_changes", truth},
                   {"trigger", truth},
                   {"audited", truth},
                   {"readable_by", any_text},
                   {"entity_type", or_null(any_text)},
                   {"subjects", array_of(any_text)},
                   {"payload_schema", or_null({{"type", "object"}})},
                   {"aliases", array_of(any_text)}});
}

json action() {
    return object({{"action", any_text},
                   {"label", any_text},
                   {"plugin", any_text},
                   {"subject", described(or_null(any_text), "The entity it is done to")},
                   {"arguments", {{"type", "object"}}}});
}

json plugins() {
    const json things = array_of({{"type", "object"}});
    return object({{"may_start", truth},
                   {"plugins", things},
                   {"refused", things},
                   {"disabled", things},
                   {"ignored", things},
                   {"problems", things}});
}

json overview() {
    return object(
        {{"database",
          object({{"reachable", truth},
                  {"server_version", any_text},
                  {"private", described(truth, "The host runs this PostgreSQL itself")},
                  {"time", described(instant, "By the database's clock")},
                  {"stream_head", whole},
                  {"last_drawn", described(whole, "The last id given to an event")},
                  {"settled", described(whole, "Every id up to here is final")},
                  {"ids_left", described(whole, "Until inserts fail for want of a partition")},
                  {"events_bytes",
                   described(whole,
                             "What the stream takes on disk with its indexes, as of a "
                             "minute ago at most")}})},
         {"host",
          object({{"name", any_text},
                  {"version", any_text},
                  {"started_at", instant},
                  {"uptime_s", whole},
                  {"workers_in_process", truth}})},
         {"workers_in_process",
          described(truth, "False: consumers run elsewhere, and no movement is expected here")},
         {"consumers", array_of(consumer())},
         {"delivery_queues", array_of(delivery_queue())},
         {"refused_plugins",
          array_of(
              object({{"id", any_text}, {"file", any_text}, {"problems", array_of(problem())}}))},
         {"waiting_on", waiting_on()}});
}

json history() {
    const json numbers = array_of(or_null(whole));
    return object({{"interval_s", whole},
                   {"at", array_of(described(whole, "Seconds since 1970"))},
                   {"stream_head", numbers},
                   {"consumers",
                    {{"type", "object"},
                     {"additionalProperties",
                      object({{"lag", numbers},
                              {"last_event_id", numbers},
                              {"state", array_of(or_null(any_text))}})}}}});
}

json list(const char* name, const json& entry) {
    return object({{name, array_of(entry)}});
}

json page(const char* name, const json& entry) {
    return object({{name, array_of(entry)},
                   {"next",
                    {{"type", {"object", "null"}},
                     {"properties", {{"before", whole}, {"after", whole}}},
                     {"description", "What to ask for next; null: this was the last page"}}}});
}

json empty_request() {
    return request({});
}

json pause_request() {
    return request({{"for", described(any_text, "\"5m\"; without it: until it is resumed")},
                    {"reason", {{"type", "string"}, {"maxLength", 1000}}}});
}

json seek_request() {
    json of = request(
        {{"to",
          {{"oneOf", {{{"enum", {"head", "beginning"}}}, {{"type", "integer"}, {"minimum", 0}}}}}},
         {"dry_run", truth}});
    of["required"] = {"to"};
    return of;
}

json retry_request() {
    json of =
        request({{"event_id", {{"type", "integer"}, {"minimum", 1}}}, {"all", {{"const", true}}}});
    of["minProperties"] = 1;
    of["maxProperties"] = 1;
    return of;
}

}  // namespace radd::api::schema
