#pragma once

/// What handlers read from a request, and the one way they dump a document.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <host/db/pool.hpp>
#include <radd/http.hpp>

namespace radd::api {

/// The parameter as a number, if it was given. @throws InvalidInput naming it if it is none.
[[nodiscard]] std::optional<std::int64_t> integer(const HttpRequest& request,
                                                  std::string_view name);
[[nodiscard]] std::optional<std::string> text(const HttpRequest& request, std::string_view name);
/// @throws InvalidInput unless it is true or false. False without it.
[[nodiscard]] bool flag(const HttpRequest& request, std::string_view name);

/// An identifier in the path. @throws HttpError 404 if it is no positive number: nothing has it.
[[nodiscard]] std::int64_t id_in_path(const HttpRequest& request, std::string_view name);

/// What the database holds in another encoding must not make an answer fail: such bytes are shown
/// as U+FFFD.
[[nodiscard]] HttpResponse response(const nlohmann::ordered_json& document);

/// A client waits for a session at most so long; then it is answered 503.
inline constexpr std::chrono::milliseconds lease_timeout{1000};
[[nodiscard]] db::Lease lease(db::Pool& pool);

}  // namespace radd::api
