// Bearer tokens of programs, as administrators manage them.

#include <utility>

#include <nlohmann/json.hpp>

#include <host/accounts/tokens.hpp>
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

template <typename Work>
auto with_tokens(const Parts& parts, Work work) {
    auto session = lease(parts.pool);
    Tokens tokens{*session, parts.random};
    return work(tokens);
}

void note(const Parts& parts,
          const HttpRequest& request,
          const Token& token,
          const std::string& what) {
    parts.identities.forget();
    parts.log.info("token '" + token.name + "' (" + token.id + "): " + what + " by " +
                   who_asks(request));
}

HttpResponse list(const Parts& parts, const HttpRequest& request) {
    const auto page = with_tokens(parts, [&](Tokens& tokens) {
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
    const auto made = with_tokens(parts, [&](Tokens& tokens) { return tokens.create(wanted); });
    note(parts, request, made.token, "created as " + std::string{name_of(made.token.role)});
    auto document = to_json(made.token);
    document["token"] = made.secret;
    auto answer = response(document);
    answer.status = created;
    return answer;
}

HttpResponse revoke(const Parts& parts, const HttpRequest& request) {
    const auto token = with_tokens(
        parts, [&](Tokens& tokens) { return tokens.revoke(request.path_parameter("id")); });
    if (!token) throw HttpError{not_found, "no token has this id"};
    note(parts, request, *token, "revoked");
    return no_content();
}

RouteSpec route(const Parts& parts,
                HttpMethod method,
                std::string path,
                HttpResponse (*handler)(const Parts&, const HttpRequest&),
                std::string summary) {
    return {.method = method,
            .path = std::move(path),
            .access = Access::admin,
            .summary = std::move(summary),
            .tag = "Tokens",
            .handle = [parts, handler](const HttpRequest& request, Services&) {
                return handler(parts, request);
            }};
}

}  // namespace

std::vector<RouteSpec> token_routes(const AccountRoutesParts& parts) {
    auto listing = route(parts, HttpMethod::get, "/api/v1/tokens", list, "List tokens");
    listing.description = "The newest first, revoked and expired ones included.";
    listing.query = schema::listing_query("token");
    listing.responses = {
        {.description = "A page of tokens", .schema = schema::listing("tokens", schema::token())}};

    auto creation = route(parts, HttpMethod::post, "/api/v1/tokens", create, "Create a token");
    creation.description =
        "The answer holds the token itself, which is shown once. One with an account acts for it "
        "and ends with its rights; one without acts for itself.";
    creation.request_schema = schema::token_request();
    creation.responses = {{.status = created,
                           .description = "The token, shown once",
                           .schema = schema::made_token()}};

    auto revoking = route(parts, HttpMethod::del, "/api/v1/tokens/{id}", revoke, "Revoke a token");
    revoking.description =
        "At once in the process that answers, within two seconds in every other one.";
    revoking.responses = {{.status = 204, .description = "It is revoked"}};
    return {std::move(listing), std::move(creation), std::move(revoking)};
}

}  // namespace radd::api
