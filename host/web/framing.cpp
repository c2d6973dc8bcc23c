#include <algorithm>

#include <host/web/framing.hpp>
#include <host/web/text.hpp>

namespace radd::web {
namespace {

constexpr int no_content_status = 204;
constexpr int not_modified = 304;

bool has_no_body(int status) noexcept {
    return status == no_content_status || status == not_modified;
}

std::string status_and_headers(const Outgoing& answer) {
    std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " ";
    head.append(reason_phrase(answer.status)).append("\r\n");
    for (const auto& [name, value] : answer.headers)
        head.append(name).append(": ").append(value).append("\r\n");
    return head;
}

}  // namespace

std::optional<ProblemDetails> fault_of_framing(const std::vector<HttpField>& headers, bool is_1_1) {
    constexpr int bad_request = 400;
    constexpr int expectation_failed = 417;
    constexpr int not_implemented = 501;
    const auto count = [&](std::string_view name) {
        return std::ranges::count(headers, name, &HttpField::first);
    };
    const auto bad = [](std::string detail) {
        return ProblemDetails{.status = bad_request, .detail = std::move(detail)};
    };
    const auto hosts = count("host");
    if (hosts > 1 || (hosts == 0 && is_1_1)) return bad("send one Host");
    const auto lengths = count("content-length");
    const auto codings = count("transfer-encoding");
    if (lengths > 1) return bad("Content-Length is given more than once");
    const auto length = header_value(headers, "content-length");
    if (!std::ranges::all_of(length, [](char c) { return c >= '0' && c <= '9'; }))
        return bad("Content-Length is not a number");
    if (lengths > 0 && codings > 0)
        return bad("send Content-Length or Transfer-Encoding, not both");
    if (codings > 1 || (codings > 0 && !is_1_1)) return bad("Transfer-Encoding has no place here");
    if (codings > 0 &&
        !is_same_name(trimmed(header_value(headers, "transfer-encoding")), "chunked")) {
        return ProblemDetails{.status = not_implemented,
                              .detail = "no Transfer-Encoding but chunked is understood"};
    }
    if (count("expect") > 0 && !is_same_name(header_value(headers, "expect"), "100-continue"))
        return ProblemDetails{.status = expectation_failed,
                              .detail = "no Expect but 100-continue can be met"};
    return std::nullopt;
}

bool sends_body(const Outgoing& answer) noexcept {
    return !answer.omits_body && !has_no_body(answer.status);
}

std::string head_of(const Outgoing& answer, bool keep_alive) {
    std::string head = status_and_headers(answer);
    if (!has_no_body(answer.status))
        head.append("Content-Length: " + std::to_string(answer.body.size()) + "\r\n");
    head.append(keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
    return head;
}

std::string stream_head_of(const Outgoing& answer) {
    return status_and_headers(answer).append("Connection: close\r\n\r\n");
}

}  // namespace radd::web
