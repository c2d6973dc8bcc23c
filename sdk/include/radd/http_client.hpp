#pragma once

/// Calls to servers outside: the one way out, guarded.
///
/// URLs of webhooks and rooms are given by people, and the host stands inside the network that
/// they may want to reach through it. So an address that is not public is refused when a URL is
/// saved (vet_url) and again, as the number it resolved to, at each connect; the connection is made
/// to the very address that was looked at. Names, proxies of the environment and redirects lead
/// nowhere else. The operator's `outbound.allow` lifts this for the ranges it lists.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/error.hpp>
#include <radd/http.hpp>

namespace radd {

inline constexpr std::size_t outbound_url_bytes_max = 8192;
inline constexpr std::size_t outbound_headers_max = 50;          ///< Of a call.
inline constexpr std::size_t outbound_answer_headers_max = 100;  ///< More are dropped.
inline constexpr std::size_t outbound_answer_bytes_max = std::size_t{1024} * 1024;
inline constexpr std::chrono::milliseconds outbound_timeout_max{std::chrono::minutes{5}};

/// One request.
struct HttpCall {
    HttpMethod method = HttpMethod::post;
    std::string url;                   ///< http or https, without credentials.
    std::vector<HttpField> headers{};  ///< Sent as given; Content-Type is none unless given.
    std::string body{};                ///< Sent byte for byte.
    std::chrono::milliseconds timeout{std::chrono::seconds{15}};  ///< From name lookup to the end.
    std::size_t answer_bytes_max = std::size_t{64} * 1024;        ///< More is not read.
};

/// What came back, whatever its status; a redirect is an answer like any other.
struct HttpAnswer {
    int status = 0;                    ///< 100 to 599.
    std::vector<HttpField> headers{};  ///< Names in lower case, in order, repeated ones repeated.
    std::string body{};                ///< At most the call's answer_bytes_max.
    bool body_cut = false;             ///< There was more.
    std::string address{};             ///< The number that was connected to.

    /// The first of this name, which is given in lower case.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
        for (const auto& [key, value] : headers)
            if (key == name) return value;
        return std::nullopt;
    }
};

/// The URL names, or its host resolved to, an address that is not for us to call. Its field is
/// "url". Another attempt is refused too, unless the name comes to mean something else.
class RADD_EXPORT AddressNotAllowed : public InvalidInput {
public:
    explicit AddressNotAllowed(const std::string& problem) : InvalidInput{"url", problem} {}
    ~AddressNotAllowed() override;
};

/// By Services::http_client(). [any-thread] Each call has a connection, a name lookup and a time
/// limit of its own: one that hangs delays nobody else.
class RADD_EXPORT HttpClient {
public:
    HttpClient() = default;
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    virtual ~HttpClient();

    /// Whether call() would take `url`, as far as that can be said without looking up its name.
    /// @throws InvalidInput, field "url": no URL, not http or https, with credentials, too long;
    ///         AddressNotAllowed.
    virtual void vet_url(std::string_view url) const = 0;

    /// Makes the call and waits for its answer, `timeout` at most.
    /// @throws InvalidInput as vet_url(), or past a limit; AddressNotAllowed at once or at connect,
    ///         with nothing sent; Unavailable if no answer came: refused, reset, no such name, TLS
    ///         failed, out of time, or with a status that is none of HTTP (RFC 9110 §15). Messages
    ///         name the host and no more of the URL.
    [[nodiscard]] virtual HttpAnswer call(const HttpCall& call) = 0;
};

}  // namespace radd
