#pragma once

/// Requests and answers as the connection and the dispatch exchange them: text, no socket.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <radd/http.hpp>
#include <radd/stream.hpp>

namespace radd::web {

/// A request that was read whole.
struct Incoming {
    std::string method{};              ///< As sent: "GET", "HEAD", "BREW".
    std::string target{};              ///< As sent: not decoded, not checked.
    std::vector<HttpField> headers{};  ///< Names in lower case, in their order; may repeat.
    std::string body{};
    std::string peer_address{};  ///< Whoever opened the connection: a client or a proxy.
};

/// An answer, complete but for what belongs to the connection.
struct Outgoing {
    int status = 200;
    std::vector<HttpField> headers{};  ///< With Content-Type; Content-Length is the writer's.
    std::string body{};
    bool omits_body = false;     ///< An answer to HEAD: the length is told, the bytes are not sent.
    std::string principal_id{};  ///< Who was answered, for the access log.
    std::shared_ptr<StreamSession> stream{};  ///< Set: what follows is a stream and has no end.
    std::string stream_caller{};              ///< Then whose it is, as Admission::caller.
};

/// The first header of this name, in lower case; empty if there is none.
[[nodiscard]] inline std::string_view header_value(const std::vector<HttpField>& headers,
                                                   std::string_view name) {
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return {};
}

}  // namespace radd::web
