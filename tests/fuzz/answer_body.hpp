#pragma once

/// Any bytes as what a server says to us: there is an answer within its limits or the server is
/// unavailable, and what a webhook's attempt makes of it follows from the status and tells nobody
/// the path of a redirect.
///
/// The input is the stream as it comes from the socket, to its end.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <host/delivery/outbound.hpp>
#include <host/outbox/event_time.hpp>
#include <host/web/http_date.hpp>
#include <plugins/webhooks/judge.hpp>
#include <radd/retry_after.hpp>
#include <tests/fuzz/fed_socket.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

inline constexpr std::size_t answer_body_max = 200;

/// Empty: nobody answered.
inline std::optional<radd::HttpAnswer> answer_to(std::string_view stream) {
    static radd::delivery::OutboundClient client{{"127.0.0.0/8"}, "fuzz"};
    const FedSocket server{stream};
    try {
        auto answer = client.call(
            {.url = "http://127.0.0.1:9/hook", .body = "{}", .answer_bytes_max = answer_body_max});
        require(server.is_taken(), "the answer is the one that was fed");
        return answer;
    } catch (const radd::Unavailable& failure) {
        require(server.is_taken(), "the failure is of what was fed");
        const std::string message = failure.what();
        require(message.starts_with("127.0.0.1: ") && message.find("hook") == std::string::npos,
                "a failure names the host and no more");
        return std::nullopt;
    }
}

inline void check_head(const radd::HttpAnswer& answer) {
    require(answer.status >= 100 && answer.status <= 599, "a status is one of HTTP");
    require(answer.headers.size() <= radd::outbound_answer_headers_max, "headers are limited");
    for (const auto& [name, value] : answer.headers) {
        require(std::ranges::none_of(
                    name, [](char c) { return (c >= 'A' && c <= 'Z') || c == ':' || c == '\n'; }),
                "a name is in lower case");
        require(value.find('\n') == std::string::npos, "a value is one line");
        require(!value.starts_with(' ') && !value.ends_with(' ') && !value.starts_with('\t') &&
                    !value.ends_with('\t'),
                "a value is trimmed");
    }
}

inline void check_dates(const radd::HttpAnswer& answer) {
    for (const auto& [name, value] : answer.headers) {
        const auto time = radd::parse_http_date(value);
        // The leap second at the end of 9999 is in a year that has no such form.
        if (!time || *time > radd::outbox::latest_time()) continue;
        require(radd::parse_http_date(radd::web::http_date(*time)) == time,
                "a date that is written is read as the same");
    }
}

inline void check_judgement(const radd::HttpAnswer& answer) {
    using Outcome = radd::AttemptResult::Outcome;
    const auto result = webhooks::judge(answer);
    const bool is_success = answer.status >= 200 && answer.status < 300;
    require((result.outcome == Outcome::delivered) == is_success, "2xx alone is delivered");
    require((result.outcome == Outcome::dead) == (answer.status == webhooks::gone),
            "410 alone is dead");
    require(!result.retry_after || result.outcome == Outcome::failed, "who failed may wait");
    require(!result.retry_after || *result.retry_after >= std::chrono::seconds{0},
            "a wait is not negative");
    require(result.detail.find_first_of("/?#@") == std::string::npos,
            "no path and no query is told");
}

inline void check_answer(std::string_view stream) {
    const auto answer = answer_to(stream);
    if (!answer) return;
    check_head(*answer);
    require(answer->body.size() <= answer_body_max, "a body is within its limit");
    require(!answer->body_cut || answer->body.size() == answer_body_max,
            "a body is cut at its limit");
    if (!answer->header("transfer-encoding"))
        require(stream.find(answer->body) != std::string_view::npos, "a body is what was sent");
    check_dates(*answer);
    check_judgement(*answer);
}

}  // namespace fuzz
