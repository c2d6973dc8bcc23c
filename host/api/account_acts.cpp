#include <nlohmann/json.hpp>

#include <host/api/account_acts.hpp>
#include <host/api/account_schemas.hpp>

namespace radd::api {

RouteSpec ActRoutes::operator()(HttpMethod method,
                                std::string path,
                                AccountAct act,
                                std::string summary) const {
    return {.method = method,
            .path = std::move(path),
            .access = Access::admin,
            .summary = std::move(summary),
            .tag = tag,
            .handle = [parts = parts, act](const HttpRequest& request, Services&) {
                return act(parts, request);
            }};
}

HttpResponse made_response(const nlohmann::ordered_json& document) {
    constexpr int created = 201;
    auto answer = response(document);
    answer.status = created;
    return answer;
}

void note_act(const AccountRoutesParts& parts,
              const HttpRequest& request,
              const std::string& subject,
              const std::string& what) {
    parts.identities.forget();
    parts.log.info(subject + ": " + what + " by " + who_asks(request));
}

}  // namespace radd::api
