// Bearer tokens of programs, as administrators manage them.

#include <utility>

#include <nlohmann/json.hpp>

#include <host/accounts/tokens.hpp>
#include <host/api/account_acts.hpp>
#include <host/api/account_routes.hpp>
#include <host/api/account_schemas.hpp>
#include <host/api/query.hpp>

namespace radd::api {
namespace {

using accounts::Token;
using accounts::Tokens;
using Parts = AccountRoutesParts;

constexpr int not_found = 404;
constexpr int created = 201;

HttpResponse list(const Parts& parts, const HttpRequest& request) {
    const auto page = with<Tokens>(parts, [&](Tokens& tokens) {
        return tokens.list(text(request, "after"), page_rows(request));
    });
    return page_response("tokens", page);
}

HttpResponse create(const Parts& parts, const HttpRequest& request) {
    const json body = request.json_body();
    accounts::NewToken wanted{.name = body["name"].get<std::string>(),
                              .role = accounts::role_from(body["role"].get<std::string>())};
    if (body.contains("account_id")) wanted.account_id = body["account_id"].get<std::string>();
    if (body.contains("lifetime"))
        wanted.lifetime = accounts::lifetime_from(body["lifetime"].get<std::string>());
    const auto made = with<Tokens>(parts, [&](Tokens& tokens) { return tokens.create(wanted); });
    note_act(parts,
             request,
             named("token", made.token),
             "created as " + std::string{name_of(made.token.role)});
    auto document = to_json(made.token);
    document["token"] = made.secret;
    return made_response(document);
}

HttpResponse revoke(const Parts& parts, const HttpRequest& request) {
    const auto token = with<Tokens>(
        parts, [&](Tokens& tokens) { return tokens.revoke(request.path_parameter("id")); });
    if (!token) throw HttpError{not_found, "no token has this id"};
    note_act(parts, request, named("token", *token), "revoked");
    return no_content();
}

}  // namespace

std::vector<RouteSpec> token_routes(const AccountRoutesParts& parts) {
    const ActRoutes route{parts, "Tokens"};
    auto listing = route(HttpMethod::get, "/api/v1/tokens", list, "List tokens");
    listing.description = "The newest first, revoked and expired ones included.";
    listing.query = schema::listing_query("token");
    listing.responses = {
        {.description = "A page of tokens", .schema = schema::listing("tokens", schema::token())}};

    auto creation = route(HttpMethod::post, "/api/v1/tokens", create, "Create a token");
    creation.description =
        "The answer holds the token itself, which is shown once. One with an account acts for it "
        "and ends with its rights; one without acts for itself.";
    creation.request_schema = schema::token_request();
    creation.responses = {{.status = created,
                           .description = "The token, shown once",
                           .schema = schema::made_token()}};

    auto revoking = route(HttpMethod::del, "/api/v1/tokens/{id}", revoke, "Revoke a token");
    revoking.description =
        "At once in the process that answers, within two seconds in every other one.";
    revoking.responses = {{.status = 204, .description = "It is revoked"}};
    return {std::move(listing), std::move(creation), std::move(revoking)};
}

}  // namespace radd::api
