#pragma once

/// What administrators do to accounts and to tokens, as far as it is the same.

#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include <host/api/account_routes.hpp>
#include <host/api/query.hpp>
#include <radd/http.hpp>

namespace radd::api {

using AccountAct = HttpResponse (*)(const AccountRoutesParts& parts, const HttpRequest& request);

/// Does `work` with accounts::Accounts or accounts::Tokens, on a connection of its own.
/// @throws Unavailable if there is none in time.
template <typename Managed, typename Work>
auto with(const AccountRoutesParts& parts, Work work) {
    auto session = lease(parts.pool);
    Managed managed{*session, parts.random};
    return work(managed);
}

/// Makes routes for administrators alone, under one heading of the document.
struct ActRoutes {
    const AccountRoutesParts& parts;
    std::string tag;

    [[nodiscard]] RouteSpec operator()(HttpMethod method,
                                       std::string path,
                                       AccountAct act,
                                       std::string summary) const;
};

/// 201 with what was made.
[[nodiscard]] HttpResponse made_response(const nlohmann::ordered_json& document);

/// After an act: identities forget what it has ended, and the log knows who did it to what.
void note_act(const AccountRoutesParts& parts,
              const HttpRequest& request,
              const std::string& subject,
              const std::string& what);

/// "token 'ci' (b3f1…)": an account or a token as the log calls it.
template <typename Row>
[[nodiscard]] std::string named(const char* noun, const Row& row) {
    return std::string{noun} + " '" + row.name + "' (" + row.id + ')';
}

}  // namespace radd::api
