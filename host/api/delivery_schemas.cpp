#include <string>

#include <host/api/delivery_schemas.hpp>
#include <host/api/schemas.hpp>
#include <host/delivery/operations.hpp>

namespace radd::api::schema {
namespace {

const json any_text{{"type", "string"}};
const json whole{{"type", "integer"}};
const json truth{{"type", "boolean"}};
const json instant{{"type", "string"}, {"format", "date-time"}};
const json text_or_null{{"type", {"string", "null"}}};
const json whole_or_null{{"type", {"integer", "null"}}};
const json instant_or_null{{"type", {"string", "null"}}, {"format", "date-time"}};
const json id{{"type", "integer"}, {"minimum", 1}};
const json lane{{"type", "string"}, {"minLength", 1}, {"maxLength", delivery_lane_bytes_max}};

json described(json of, const char* text) {
    of["description"] = text;
    return of;
}

/// Every property is there.
json object(const json& properties) {
    json required = json::array();
    for (const auto& [key, value] : properties.items()) required.push_back(key);
    return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

/// A body: what is not listed is refused by name.
json request(const json& properties) {
    return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

json counts() {
    return {{"pending", described(whole, "Not finished")},
            {"due", described(whole, "Of these, to be attempted now")},
            {"under_way", described(whole, "Of these, being attempted now")},
            {"dead", described(whole, "Dead letters that nobody has replayed")}};
}

}  // namespace

json delivery_queue() {
    json properties = counts();
    properties["name"] = any_text;
    properties["oldest_due_s"] = described(whole_or_null, "How long the oldest has been due");
    properties["approximate"] = described(truth, "There are more: only so many were counted");
    return object(properties);
}

json delivery_lane() {
    json properties = counts();
    properties["lane"] = described(any_text, "One receiver, as the queue's plugin calls it");
    properties["next_attempt_at"] = instant_or_null;
    return object(properties);
}

json delivery() {
    return object({{"id", whole},
                   {"uid", described(any_text, "What its receiver knows it by")},
                   {"queue", any_text},
                   {"lane", any_text},
                   {"state", {{"enum", delivery::delivery_states}}},
                   {"under_way", truth},
                   {"attempts", described(whole, "Attempts begun")},
                   {"event_id", described(whole_or_null, "The event it tells of")},
                   {"created_at", instant},
                   {"next_attempt_at", instant_or_null},
                   {"last_attempt_at", instant_or_null},
                   {"last_error", described(text_or_null, "What the last attempt said")},
                   {"finished_at", instant_or_null},
                   {"replay_of", described(whole_or_null, "The delivery that it repeats")},
                   {"replayed_as", described(whole_or_null, "The latest that repeats it")}});
}

json delivery_with_payload() {
    json of = delivery();
    of["properties"]["payload"] = described(json::object(), "What its plugin sends it from");
    of["required"].push_back("payload");
    return of;
}

json replayed_delivery() {
    return object({{"replayed_as", described(whole, "The new delivery")}});
}

json replayed_letters() {
    return object({{"replayed", described(whole, "Queued again as new deliveries")},
                   {"more", described(truth, "There are more: ask again")},
                   {"deliveries", described(whole, "With dry_run: what would be")},
                   {"lanes", described(whole, "Their receivers")},
                   {"first_id", whole_or_null},
                   {"last_id", whole_or_null}});
}

json cancelled_lane() {
    return object({{"cancelled", whole},
                   {"waiting", described(whole, "Before, or with dry_run")},
                   {"more", described(truth, "There may be more: ask again")}});
}

json replay_letters_request() {
    return request({{"lane", lane},
                    {"first_id", described(id, "Only those of this id and above")},
                    {"last_id", described(id, "Only those of this id and below")},
                    {"dry_run", truth}});
}

json cancel_lane_request() {
    json of = request({{"lane", lane}, {"dry_run", truth}});
    of["required"] = {"lane"};
    return of;
}

std::vector<QueryParameter> delivery_query() {
    const auto number = [](const char* name, const char* description) {
        return QueryParameter{
            .name = name, .description = description, .schema = json{{"type", "integer"}}};
    };
    return {{.name = "limit",
             .description = "How many at most; 50 unless given",
             .schema = json{{"type", "integer"}, {"minimum", 1}, {"maximum", page_rows_max}}},
            number("before", "Only those with a lower id"),
            {.name = "queue", .description = "Only of this queue"},
            {.name = "lane", .description = "Only to this receiver"},
            {.name = "state",
             .description = "Only in this state",
             .schema = json{{"type", "string"}, {"enum", delivery::delivery_states}}},
            number("event_id", "Only those that tell of this event")};
}

}  // namespace radd::api::schema
