#pragma once

/// Errors as programs read them: application/problem+json (RFC 9457), and which error becomes
/// which answer.

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <radd/commit_in_doubt.hpp>
#include <radd/http.hpp>

namespace radd {

/// "Not Found": the reason that goes with a status. A status without one of its own gets that of
/// its class.
[[nodiscard]] constexpr std::string_view reason_of(int status) noexcept {
    switch (status) {
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 503:
            return "Service Unavailable";
        default:
            return status >= 500 ? "Server Error" : "Request Refused";
    }
}

/// What is wrong with one field: of the body, else the name of a query parameter.
struct FieldProblem {
    std::string field;
    std::string problem;
};

/// The `type` of a problem that its status says all about.
inline constexpr std::string_view problem_of_status = "about:blank";
/// The `type` of a problem after which nobody knows whether what was asked for has been done: look
/// before it is repeated. Never with a Retry-After, which some clients obey by themselves.
inline constexpr std::string_view problem_commit_in_doubt = "urn:radd:problem:commit-in-doubt";

/// `{"type","title","status","detail","request_id","errors"}`; the last only if there are any. 401
/// gets its WWW-Authenticate and 503 a Retry-After, but for a commit in doubt.
[[nodiscard]] inline HttpResponse problem_response(int status,
                                                   std::string_view detail,
                                                   std::string_view request_id,
                                                   const std::vector<FieldProblem>& errors = {},
                                                   std::string_view type = problem_of_status) {
    const bool in_doubt = type == problem_commit_in_doubt;
    json document{{"type", type},
                  {"title", in_doubt ? "Commit In Doubt" : reason_of(status)},
                  {"status", status},
                  {"detail", detail},
                  {"request_id", request_id}};
    for (const auto& [field, problem] : errors)
        document["errors"].push_back({{"field", field}, {"problem", problem}});
    // A detail may quote what a client sent; an error must not fail over it.
    HttpResponse response{.status = status,
                          .content_type = "application/problem+json",
                          .body = document.dump(-1, ' ', false, json::error_handler_t::replace)};
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (status == 503 && !in_doubt) response.headers.emplace_back("Retry-After", "1");
    return response;
}

/// The answer to what a handler threw, by its type: HttpError its own, InvalidInput 422 naming the
/// field, CommitInDoubt 500 saying so, any other Unavailable and Contention 503, and everything
/// else 500 without a word of its text, which is for the log. Catches all; never throws itself but
/// for want of memory.
[[nodiscard]] inline HttpResponse problem_of(const std::exception_ptr& thrown,
                                             std::string_view request_id) {
    try {
        std::rethrow_exception(thrown);
    } catch (const HttpError& error) {
        return problem_response(error.status(), error.what(), request_id);
    } catch (const InvalidInput& error) {
        const std::string_view text = error.what();
        const auto problem = text.substr(std::min(text.size(), error.field().size() + 2));
        return problem_response(422, text, request_id, {{error.field(), std::string{problem}}});
    } catch (const CommitInDoubt&) {
        return problem_response(500,
                                "the database was lost while this was committed: it was done, or "
                                "nothing of it was; look which before you send it again",
                                request_id,
                                {},
                                problem_commit_in_doubt);
    } catch (const Unavailable&) {
        return problem_response(503, "the database or the network is away; try again", request_id);
    } catch (const Contention&) {
        return problem_response(503, "another request was at the same; try again", request_id);
    } catch (...) {
        return problem_response(
            500, "the server failed; its log has the cause under this request_id", request_id);
    }
}

}  // namespace radd
