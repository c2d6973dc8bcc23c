#pragma once

/// HTTP as it is on the wire: a test that wants to misbehave must hold the bytes itself.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace radd::testing {

struct HttpReply {
    int status = 0;  ///< 0: the connection ended before an answer.
    std::multimap<std::string, std::string, std::less<>> headers{};  ///< Names in lower case.
    std::string body{};

    /// Empty if it is not there.
    [[nodiscard]] std::string header(std::string_view name) const;
    [[nodiscard]] bool has_header(std::string_view name) const {
        return headers.find(name) != headers.end();
    }
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body); }
};

/// One TCP connection to a server on this machine. What does not come within 20 s counts as
/// nothing: only a failing test waits that long.
class HttpConnection {
public:
    explicit HttpConnection(std::uint16_t port);  ///< @throws std::runtime_error if refused.
    HttpConnection(HttpConnection&& other) noexcept;
    HttpConnection& operator=(HttpConnection&&) = delete;
    ~HttpConnection();

    /// False: the server has closed.
    bool send(std::string_view bytes);
    void finish_sending();  ///< Half-closes: the server sees the end.
    /// As if the cable were cut: nothing that the server sends arrives, and nothing tells it so.
    void vanish();

    /// The next answer, by its Content-Length; `to_head`: without its body.
    HttpReply read(bool to_head = false);
    /// What comes next, up to `end` and with it; empty: it did not come.
    std::string read_until(std::string_view end);
    /// The next `size` bytes; empty: they did not come.
    std::string read_bytes(std::size_t size);
    /// Whether the server closes within `deadline`; what it still sends is dropped.
    [[nodiscard]] bool closes(std::chrono::milliseconds deadline = std::chrono::seconds{20});

private:
    bool receive(std::chrono::milliseconds deadline);
    int descriptor_ = -1;
    std::string received_;
};

/// One request on a connection of its own, and its answer. `headers` as lines that end in CR LF.
[[nodiscard]] HttpReply http(std::uint16_t port,
                             std::string_view method,
                             std::string_view target,
                             std::string_view headers = "",
                             std::string_view body = "");

}  // namespace radd::testing
