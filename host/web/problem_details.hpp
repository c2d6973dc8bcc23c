#pragma once

/// Errors of the server itself, on their way to being application/problem+json.

#include <string>
#include <string_view>
#include <vector>

#include <host/web/message.hpp>
#include <radd/http_problem.hpp>

namespace radd::web {

struct ProblemDetails {
    int status = 500;
    std::string detail;
    std::vector<FieldProblem> errors{};
    std::vector<HttpField> headers{};           ///< Allow, …
    std::string_view type = problem_of_status;  ///< A constant.
};

[[nodiscard]] Outgoing to_answer(const ProblemDetails& problem, const std::string& request_id);

/// "Not Found", for any status: what follows it on the status line.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

/// Every answer while the database cannot be asked.
[[nodiscard]] ProblemDetails database_is_away();

}  // namespace radd::web
