#include <charconv>

#include <nlohmann/json.hpp>

#include <host/api/query.hpp>

namespace radd::api {
namespace {

std::optional<std::int64_t> number_from(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<std::int64_t> integer(const HttpRequest& request, std::string_view name) {
    const auto given = request.query_value(name);
    if (!given) return std::nullopt;
    if (const auto number = number_from(*given)) return number;
    throw InvalidInput{std::string{name}, "is no whole number of 64 bits"};
}

std::optional<std::string> text(const HttpRequest& request, std::string_view name) {
    const auto given = request.query_value(name);
    return given ? std::optional{std::string{*given}} : std::nullopt;
}

bool flag(const HttpRequest& request, std::string_view name) {
    const auto given = request.query_value(name);
    if (!given || *given == "false") return false;
    if (*given == "true") return true;
    throw InvalidInput{std::string{name}, "is neither true nor false"};
}

std::int64_t id_in_path(const HttpRequest& request, std::string_view name) {
    constexpr int not_found = 404;
    const auto number = number_from(request.path_parameter(name));
    if (number && *number > 0) return *number;
    throw HttpError{not_found, "there is no event with such an id"};
}

HttpResponse response(const nlohmann::ordered_json& document) {
    return json_response(
        document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

db::Lease lease(db::Pool& pool) {
    return pool.lease("api", lease_timeout);
}

}  // namespace radd::api
