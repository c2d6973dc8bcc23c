#include <array>
#include <utility>

#include <host/web/problem_details.hpp>

namespace radd::web {

std::string_view reason_phrase(int status) noexcept {
    constexpr std::array phrases{
        std::pair{200, "OK"},
        std::pair{201, "Created"},
        std::pair{202, "Accepted"},
        std::pair{204, "No Content"},
        std::pair{301, "Moved Permanently"},
        std::pair{302, "Found"},
        std::pair{303, "See Other"},
        std::pair{304, "Not Modified"},
        std::pair{307, "Temporary Redirect"},
        std::pair{308, "Permanent Redirect"},
    };
    constexpr int errors_from = 400;
    if (status >= errors_from) return reason_of(status);
    for (const auto& [known, phrase] : phrases)
        if (known == status) return phrase;
    return "Done";
}

Outgoing to_answer(const ProblemDetails& problem, const std::string& request_id) {
    auto response =
        problem_response(problem.status, problem.detail, request_id, problem.errors, problem.type);
    Outgoing answer{.status = response.status,
                    .headers = std::move(response.headers),
                    .body = std::move(response.body)};
    answer.headers.emplace_back("Content-Type", std::move(response.content_type));
    answer.headers.insert(answer.headers.end(), problem.headers.begin(), problem.headers.end());
    return answer;
}

ProblemDetails database_is_away() {
    constexpr int unavailable = 503;
    return {.status = unavailable, .detail = "the database is away; try again"};
}

}  // namespace radd::web
