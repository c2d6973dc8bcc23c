#include "judge.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/retry_after.hpp>

namespace webhooks {
namespace {

/// Scheme, path and query of a place may be secrets.
std::string host_in(std::string_view location) {
    // Two slashes may stand in a path, too; these come first, or right behind the scheme.
    const auto begin = location.find_first_of("/?#");
    const bool is_place = begin != std::string_view::npos && location.substr(begin, 2) == "//" &&
                          (begin == 0 || location[begin - 1] == ':');
    if (!is_place) return "another path";
    location.remove_prefix(begin + 2);
    location = location.substr(0, location.find_first_of("/\\?#"));  // Browsers read \ as /.
    if (const auto at = location.rfind('@'); at != std::string_view::npos)
        location.remove_prefix(at + 1);
    return std::string{location.empty() ? "nowhere" : location};
}

std::optional<std::chrono::seconds> wait_asked_by(const radd::HttpAnswer& answer) {
    std::vector<std::string_view> values;
    for (const auto& [name, value] : answer.headers) {
        if (name == "retry-after") values.push_back(value);
    }
    const auto date = answer.header("date");
    const auto theirs = date ? radd::parse_http_date(*date) : std::nullopt;
    // By its own clock or not at all: one without a Date is asked again as the schedule says.
    return radd::retry_after(values, theirs.value_or(radd::Timestamp::max()));
}

}  // namespace

radd::AttemptResult judge(const radd::HttpAnswer& answer) {
    const std::string answered = "answered " + std::to_string(answer.status);
    if (answer.status >= 200 && answer.status < 300)
        return radd::AttemptResult::delivered(answered);
    if (answer.status == gone) return radd::AttemptResult::dead(answered + ": it wants no more");
    if (answer.status >= 300 && answer.status < 400)
        return radd::AttemptResult::failed(answered + ": redirect to " +
                                           host_in(answer.header("location").value_or("//")) +
                                           " not followed");
    return radd::AttemptResult::failed(answered, wait_asked_by(answer));
}

}  // namespace webhooks
