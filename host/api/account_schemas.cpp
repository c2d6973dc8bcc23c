#include <host/api/account_schemas.hpp>

namespace radd::api {
namespace {

const json role{{"enum", {"member", "admin"}}};
const json uuid{{"type", "string"}, {"format", "uuid"}};
const json time{{"type", "string"}, {"format", "date-time"}};
const json time_or_null{{"type", {"string", "null"}}, {"format", "date-time"}};
const json name{{"type", "string"}, {"minLength", 1}, {"maxLength", accounts::name_bytes_max}};

/// Every property is there, and no other.
json object(const json& properties) {
    json required = json::array();
    for (const auto& [key, value] : properties.items()) required.push_back(key);
    return {{"type", "object"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false}};
}

json request(const json& properties, const json& required) {
    json schema = object(properties);
    schema["required"] = required;
    return schema;
}

json token_properties() {
    return {{"id", uuid},
            {"name", name},
            {"role", role},
            {"account_id", {{"type", {"string", "null"}}, {"format", "uuid"}}},
            {"created_at", time},
            {"last_used_at", time_or_null},
            {"expires_at", time_or_null},
            {"revoked_at", time_or_null}};
}

}  // namespace

std::int64_t page_rows(const HttpRequest& request) {
    const auto rows = integer(request, "limit").value_or(accounts::list_rows_max);
    if (rows < 1 || rows > accounts::list_rows_max)
        throw InvalidInput{"limit", "is not in 1 to " + std::to_string(accounts::list_rows_max)};
    return rows;
}

std::string who_asks(const HttpRequest& request) {
    if (!request.principal) return "nobody";
    return "'" + request.principal->name + "' (" + request.principal->id + ")";
}

namespace schema {

json account() {
    return object({{"id", uuid},
                   {"name", name},
                   {"role", role},
                   {"has_password", {{"type", "boolean"}}},
                   {"created_at", time},
                   {"last_sign_in_at", time_or_null},
                   {"disabled_at", time_or_null}});
}

json link() {
    return object(
        {{"code", {{"type", "string"}}}, {"path", {{"type", "string"}}}, {"expires_at", time}});
}

json made_account() {
    return object({{"account", account()}, {"link", link()}});
}

json token() {
    return object(token_properties());
}

json made_token() {
    json properties = token_properties();
    properties["token"] = {{"type", "string"}, {"pattern", "^radd_"}};
    return object(properties);
}

json listing(const char* key, const json& entry) {
    const json next{{"type", {"object", "null"}}, {"properties", {{"after", uuid}}}};
    return object({{key, {{"type", "array"}, {"items", entry}}}, {"next", next}});
}

json account_request() {
    return request({{"name", name}, {"role", role}}, {"name", "role"});
}

json account_change() {
    json schema = request({{"role", role}, {"disabled", {{"type", "boolean"}}}}, json::array());
    schema["minProperties"] = 1;
    return schema;
}

json token_request() {
    const json lifetime{{"type", "string"}, {"examples", {"90d", "12h"}}};
    return request({{"name", name}, {"role", role}, {"account_id", uuid}, {"lifetime", lifetime}},
                   {"name", "role"});
}

json nothing() {
    return request(json::object(), json::array());
}

std::vector<QueryParameter> listing_query(const std::string& noun) {
    return {{.name = "after", .description = "Id of the last " + noun + " that was seen"},
            {.name = "limit",
             .description = "How many at most; 1000 unless given",
             .schema = R"({"type":"integer","minimum":1,"maximum":1000})"}};
}

}  // namespace schema
}  // namespace radd::api
