// People who may sign in, as administrators manage them.

#include <utility>

#include <nlohmann/json.hpp>

#include <host/accounts/accounts.hpp>
#include <host/api/account_acts.hpp>
#include <host/api/account_routes.hpp>
#include <host/api/account_schemas.hpp>
#include <host/api/query.hpp>

namespace radd::api {
namespace {

using accounts::Account;
using accounts::Accounts;
using Parts = AccountRoutesParts;

constexpr int not_found = 404;
constexpr int created = 201;

[[noreturn]] void refuse_unknown() {
    throw HttpError{not_found, "no account has this id"};
}

HttpResponse list(const Parts& parts, const HttpRequest& request) {
    const auto page = with<Accounts>(parts, [&](Accounts& accounts) {
        return accounts.list(text(request, "after"), page_rows(request));
    });
    return page_response("accounts", page);
}

HttpResponse create(const Parts& parts, const HttpRequest& request) {
    const json body = request.json_body();
    const auto [account, link] = with<Accounts>(parts, [&](Accounts& accounts) {
        return accounts.invite(body["name"].get<std::string>(),
                               accounts::role_from(body["role"].get<std::string>()));
    });
    note_act(parts,
             request,
             named("account", account),
             "created as " + std::string{name_of(account.role)});
    return made_response({{"account", to_json(account)}, {"link", to_json(link)}});
}

HttpResponse change(const Parts& parts, const HttpRequest& request) {
    const json body = request.json_body();
    accounts::AccountChange wanted;
    std::string what = "left as it is";
    if (body.contains("role")) {
        wanted.role = accounts::role_from(body["role"].get<std::string>());
        what = "given role " + std::string{name_of(*wanted.role)};
    }
    if (body.contains("disabled")) {
        wanted.disabled = body["disabled"].get<bool>();
        what = (body.contains("role") ? what + " and " : "") +
               (*wanted.disabled ? "disabled" : "enabled");
    }
    const auto changed = with<Accounts>(parts, [&](Accounts& accounts) {
        return accounts.change(request.path_parameter("id"), wanted);
    });
    if (!changed) refuse_unknown();
    note_act(parts, request, named("account", changed->account), what);
    return response(to_json(changed->account));
}

HttpResponse make_link(const Parts& parts, const HttpRequest& request) {
    auto [account, link] = with<Accounts>(parts, [&](Accounts& accounts) {
        const auto& id = request.path_parameter("id");
        auto found = accounts::is_uuid(id) ? accounts.find(id) : std::nullopt;
        auto code = accounts.make_link(id);
        if (!found || !code) refuse_unknown();
        return std::pair{*std::move(found), *std::move(code)};
    });
    note_act(parts, request, named("account", account), "one-time link made");
    return made_response(to_json(link));
}

}  // namespace

std::vector<RouteSpec> account_routes(const AccountRoutesParts& parts) {
    const ActRoutes route{parts, "Accounts"};
    auto listing = route(HttpMethod::get, "/api/v1/accounts", list, "List accounts by name");
    listing.query = schema::listing_query("account");
    listing.responses = {{.description = "A page of accounts",
                          .schema = schema::listing("accounts", schema::account())}};

    auto creation = route(HttpMethod::post, "/api/v1/accounts", create, "Create an account");
    creation.description =
        "The answer holds a one-time link, by which its owner sets the password. It is shown once "
        "and works for 24 hours.";
    creation.request_schema = schema::account_request();
    creation.responses = {{.status = created,
                           .description = "The account and its link",
                           .schema = schema::made_account()}};

    auto changing = route(HttpMethod::patch, "/api/v1/accounts/{id}", change, "Change an account");
    changing.description =
        "Another role, or being disabled, ends every session and token of the account at once. "
        "The last account that can sign in as administrator keeps its role and stays enabled: 422.";
    changing.request_schema = schema::account_change();
    changing.responses = {{.description = "The account as it is now", .schema = schema::account()}};

    auto linking = route(HttpMethod::post,
                         "/api/v1/accounts/{id}/link",
                         make_link,
                         "Make a one-time link that sets the password");
    linking.description = "The link before it ends. A disabled account gets none: 422.";
    linking.request_schema = schema::nothing();
    linking.responses = {
        {.status = created, .description = "The link, shown once", .schema = schema::link()}};
    return {std::move(listing), std::move(creation), std::move(changing), std::move(linking)};
}

}  // namespace radd::api
