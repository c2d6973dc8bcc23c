#include "route_call.hpp"

#include <charconv>
#include <utility>

#include "refusals.hpp"
#include "schemas.hpp"
#include "text.hpp"

namespace items {
namespace {

std::optional<std::int64_t> positive(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
    return value;
}

[[noreturn]] void not_found(const std::string& what) {
    throw radd::HttpError{404, what};
}

/// A key that no text in the database can be is not there; asking would be an error of ours.
std::string key_in_path(const Call& call, const char* what) {
    const auto& key = call.request.path_parameter("key");
    if (key.find('\0') != std::string::npos) not_found(std::string{"there is no such "} + what);
    return key;
}

}  // namespace

Handler in_transaction(std::function<radd::HttpResponse(const Call&)> work) {
    return [work = std::move(work)](const radd::HttpRequest& request, radd::Services& host) {
        try {
            return host.database().transact([&](radd::Transaction& tx) {
                return work({.request = request, .directory = host.get<Directory>(), .tx = tx});
            });
        } catch (const Missing& missing) {
            throw radd::HttpError{404, missing.what()};
        } catch (const Taken& taken) {
            throw radd::HttpError{409, taken.what()};
        } catch (const InUse& in_use) {
            throw radd::HttpError{409, in_use.what()};
        }
    };
}

Act acting(const Call& call) {
    const auto& principal = call.request.principal;
    if (!principal) throw radd::ConfigError{"a route that writes must not be for anyone"};
    return {.actor = call.directory.ensure_person(call.tx, principal->id, principal->name).id};
}

void require_self_or_admin(const Call& call, const std::optional<PersonId>& person) {
    const auto& principal = call.request.principal;
    if (principal && principal->role == radd::Role::admin) return;
    if (principal && person && principal->id == *person) return;
    throw radd::HttpError{403, "this is somebody else's; an admin may change it"};
}

Project project_in_path(const Call& call) {
    const auto key = key_in_path(call, "project");
    auto project = call.directory.find_project(call.tx, key);
    if (!project) not_found("there is no project '" + key + "'");
    return *std::move(project);
}

Person person_in_path(const Call& call) {
    const auto& id = call.request.path_parameter("id");
    // An address would be found as well, and does not belong into URLs and their logs.
    auto person = is_uuid(id) ? call.directory.find_person(call.tx, id) : std::nullopt;
    if (!person) not_found("there is no person '" + id + "'");
    return *std::move(person);
}

Item item_in_path(const Call& call) {
    const auto key = key_in_path(call, "item");
    auto item = call.directory.find_item(call.tx, key);
    if (!item) not_found("there is no item '" + key + "'");
    return *std::move(item);
}

Comment comment_in_path(const Call& call) {
    const auto& text = call.request.path_parameter("id");
    const auto id = positive(text);
    auto comment = id ? call.directory.find_comment(call.tx, *id) : std::nullopt;
    if (!comment) not_found("there is no comment '" + text + "'");
    return *std::move(comment);
}

std::optional<std::int64_t> query_number(const radd::HttpRequest& request, std::string_view name) {
    const auto text = request.query_value(name);
    if (!text) return std::nullopt;
    const auto number = positive(*text);
    if (!number)
        throw radd::InvalidInput{std::string{name},
                                 "'" + std::string{*text} + "' is no whole number above 0"};
    return number;
}

std::size_t query_limit(const radd::HttpRequest& request) {
    const auto limit = query_number(request, "limit");
    if (!limit) return schema::page_rows;
    if (*limit > static_cast<std::int64_t>(schema::page_rows_max))
        throw radd::InvalidInput{
            "limit",
            std::to_string(*limit) + " is more than " + std::to_string(schema::page_rows_max)};
    return static_cast<std::size_t>(*limit);
}

radd::HttpResponse created_response(const radd::json& body, const std::string& location) {
    auto response = radd::json_response(body, 201);
    response.headers.emplace_back("Location", location);
    return response;
}

}  // namespace items
