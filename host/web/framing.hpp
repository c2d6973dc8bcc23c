#pragma once

/// Where a message begins and ends: what makes it ambiguous, and how we write ours.

#include <optional>
#include <string>
#include <vector>

#include <host/web/message.hpp>
#include <host/web/problem_details.hpp>

namespace radd::web {

/// What in these headers a proxy before us might have read differently than we do, so that one
/// request could pass for two: more than one Host or Content-Length, Content-Length together with
/// Transfer-Encoding, a transfer coding but chunked. Also an Expect we do not know (417).
[[nodiscard]] std::optional<ProblemDetails> fault_of_framing(const std::vector<HttpField>& headers,
                                                             bool is_1_1);

/// Status line and headers, up to the empty line.
[[nodiscard]] std::string head_of(const Outgoing& answer, bool keep_alive);

/// The same for an answer that ends with its connection.
[[nodiscard]] std::string stream_head_of(const Outgoing& answer);

/// False for answers to HEAD, 204 and 304.
[[nodiscard]] bool sends_body(const Outgoing& answer) noexcept;

}  // namespace radd::web
