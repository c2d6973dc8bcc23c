#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <host/entities/filters.hpp>
#include <host/entities/routes.hpp>
#include <host/entities/schemas.hpp>
#include <host/entities/store.hpp>
#include <radd/services.hpp>

namespace radd::entities {
namespace {

constexpr int created = 201;
constexpr int not_found = 404;
constexpr int conflict = 409;
constexpr int precondition_failed = 412;

/// One request, in its transaction.
struct Call {
    const Model& model;
    const Entity& entity;
    const HttpRequest& request;
    Store& store;
};

using Work = std::function<HttpResponse(const Call&)>;
using Handler = std::function<HttpResponse(const HttpRequest&, Services&)>;

/// Runs `work` in one transaction. Missing becomes 404 and Conflict 409, or 412 where the caller
/// has asked for a version.
Handler in_transaction(std::shared_ptr<const Model> model, const Entity& entity, Work work) {
    return [model = std::move(model), &entity, work = std::move(work)](const HttpRequest& request,
                                                                       Services& host) {
        try {
            try {
                return host.database().transact([&](Transaction& tx) {
                    std::optional<std::string> actor;
                    if (request.principal) actor = request.principal->id;
                    Store store{*model, tx, std::move(actor)};
                    return work(
                        {.model = *model, .entity = entity, .request = request, .store = store});
                });
            } catch (const Contention&) {
                throw;
            } catch (const SqlError& error) {
                rethrow_conflict(entity, error);
            }
        } catch (const Missing& missing) {
            throw HttpError{not_found, missing.what()};
        } catch (const Conflict& found) {
            const bool is_version = found.field() == "version";
            throw HttpError{is_version ? precondition_failed : conflict, found.what()};
        }
    };
}

HttpResponse row_response(const Call& call, const Row& row, int status) {
    auto response = json_response(row_json(call.model, call.entity, row), status);
    response.headers.emplace_back("ETag", '"' + std::to_string(row.version) + '"');
    return response;
}

std::string path_of(const Entity& entity) {
    return "/api/v1/" + entity.spec.plural;
}

HttpResponse list(const Call& call) {
    const auto limit = limit_in_query(call.request);
    auto rows = call.store.list(call.entity,
                                given_in_query(call.entity, call.request),
                                after_in_query(call.request),
                                limit + 1);
    json body{{call.entity.spec.plural, json::array()}, {"next", nullptr}};
    const bool more = rows.size() > limit;
    if (more) rows.pop_back();
    if (more) body["next"] = {{"after", rows.back().id}};
    auto& entries = body[call.entity.spec.plural];
    for (const Row& row : rows) entries.push_back(row_json(call.model, call.entity, row));
    return json_response(body);
}

HttpResponse create(const Call& call) {
    const Row row = call.store.create(call.entity, given_in_body(call.entity, call.request));
    auto response = row_response(call, row, created);
    response.headers.emplace_back("Location", path_of(call.entity) + '/' + std::to_string(row.id));
    return response;
}

HttpResponse show(const Call& call) {
    const auto id = id_in_path(call.entity, call.request);
    const auto row = call.store.find(call.entity, id);
    if (!row)
        throw HttpError{not_found,
                        "there is no " + call.entity.spec.key + ' ' + std::to_string(id)};
    return row_response(call, *row, 200);
}

HttpResponse change(const Call& call) {
    const Row row = call.store.change(call.entity,
                                      id_in_path(call.entity, call.request),
                                      given_in_body(call.entity, call.request),
                                      version_in(call.request));
    return row_response(call, row, 200);
}

HttpResponse remove(const Call& call) {
    call.store.remove(call.entity, id_in_path(call.entity, call.request), version_in(call.request));
    return no_content();
}

/// "a milestone", "an order": in the middle of a sentence.
std::string noun(const Entity& entity) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::string text = entity.spec.label;
    if (is_upper(text.front()) && (text.size() < 2 || !is_upper(text[1])))
        text.front() = static_cast<char>(text.front() - 'A' + 'a');
    const bool is_vowel = std::string_view{"aeiouAEIOU"}.find(text.front()) != std::string::npos;
    return (is_vowel ? "an " : "a ") + text;
}

}  // namespace

std::vector<RouteSpec> routes_of(std::shared_ptr<const Model> model, const Entity& entity) {
    const std::string path = path_of(entity);
    const std::string one = noun(entity);
    const auto handler = [&](Work work) { return in_transaction(model, entity, std::move(work)); };
    const ResponseSpec taken{.status = conflict,
                             .description = "A unique value is taken, or something refers to it",
                             .content_type = "application/problem+json"};
    const ResponseSpec stale{.status = precondition_failed,
                             .description = "The row has another version than If-Match says",
                             .content_type = "application/problem+json"};
    return {
        {.method = HttpMethod::get,
         .path = path,
         .summary = "List " + entity.spec.plural,
         .description = "In the order they were made. Each field narrows the list.",
         .tag = entity.spec.label,
         .query = schema::list_query(entity),
         .responses = {{.description = "A page", .schema = schema::page(*model, entity)}},
         .handle = handler(list)},
        {.method = HttpMethod::post,
         .path = path,
         .summary = "Add " + one,
         .tag = entity.spec.label,
         .request_schema = schema::new_row(entity),
         .responses = {{.status = created,
                        .description = "What was added; Location names it",
                        .schema = schema::row(*model, entity)},
                       taken},
         .handle = handler(create)},
        {.method = HttpMethod::get,
         .path = path + "/{id}",
         .summary = "Show " + one,
         .tag = entity.spec.label,
         .responses = {{.description = "The row; ETag is its version",
                        .schema = schema::row(*model, entity)}},
         .handle = handler(show)},
        {.method = HttpMethod::patch,
         .path = path + "/{id}",
         .summary = "Change " + one,
         .description = "A field that is absent stays, and null clears it. What changes nothing is "
                        "no error and no event. With If-Match, only that version is changed.",
         .tag = entity.spec.label,
         .request_schema = schema::patch(entity),
         .responses = {{.description = "The row as it is now",
                        .schema = schema::row(*model, entity)},
                       taken,
                       stale},
         .handle = handler(change)},
        {.method = HttpMethod::del,
         .path = path + "/{id}",
         .summary = "Delete " + one,
         .description = "With what refers to it, as each reference says. With If-Match, only that "
                        "version is deleted.",
         .tag = entity.spec.label,
         .responses = {{.status = 204, .description = "It is gone", .content_type = {}},
                       taken,
                       stale},
         .handle = handler(remove)},
    };
}

}  // namespace radd::entities
