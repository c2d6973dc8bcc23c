#pragma once

/// From a request to its answer: everything but the connection.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/web/authenticator.hpp>
#include <host/web/message.hpp>
#include <host/web/problem_details.hpp>
#include <host/web/route.hpp>
#include <host/web/router.hpp>
#include <host/web/static_pages.hpp>
#include <radd/clock.hpp>

namespace radd::web {

/// Of the body for a route for anyone: what a stranger sends costs little. Past it: 413.
inline constexpr std::size_t open_body_bytes_max = std::size_t{64} * 1024;

/// Where a call is answered.
enum class Lane : std::uint8_t {
    decided,   ///< It has its answer already.
    handlers,  ///< On the handlers' threads.
    vital,     ///< On a thread that waits for no database: health and metrics.
};

/// A request on its way. Immutable once begun, so that whoever gave up waiting may still log it
/// while a handler runs on.
struct Call {
    Incoming request;
    std::string request_id{};
    std::string remote_address{};
    bool is_https = false;
    std::string logged_path{};  ///< Without query; tokens and codes masked.
    std::chrono::steady_clock::time_point began{};
    Lane lane = Lane::decided;
    const Route* route = nullptr;  ///< Null: there is none, as with a page.
    std::string path{};
    std::vector<HttpField> path_parameters{};
    std::vector<HttpField> query{};
    Outgoing answer{};  ///< If decided.
};

/// Whether a call goes on to its handler.
struct Admission {
    /// Who calls, as far as turns go: a principal, or the address of somebody who need not say, of
    /// IPv6 its block.
    std::string caller{};
    std::optional<Identity> identity{};
    std::optional<Outgoing> refusal{};  ///< Set: it does not, and this is its answer.
};

struct DispatcherParts {
    const Router& router;
    const StaticPages& pages;
    Authenticator* authenticator = nullptr;  ///< Null: nobody can sign in.
    /// Whether the database has been away for a while. [any-thread] Never waits. Null: never.
    std::function<bool()> database_away{};
    Clock& clock;
    Random& random;
    Log& log;
};

struct DispatcherOptions {
    bool public_https = false;  ///< public_url begins with https: cookies are named `__Host-…`.
    std::vector<std::string> trusted_proxies{};  ///< Addresses or CIDR ranges.
};

/// [any-thread]
class Dispatcher {
public:
    /// Parses each route's schemas once. @throws ConfigError naming the route whose schema is none.
    Dispatcher(DispatcherParts parts, DispatcherOptions options);
    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;
    ~Dispatcher();

    /// How much of a body may be read for the route that is asked for. Never waits.
    [[nodiscard]] std::size_t body_bytes_max(std::string_view method,
                                             std::string_view target) const;

    /// Names the request, finds its route, and decides what needs no handler. Never waits.
    [[nodiscard]] std::shared_ptr<const Call> begin(Incoming request) const;

    /// The same for what could not be read: its answer is `problem`.
    [[nodiscard]] std::shared_ptr<const Call> begin_refused(Incoming request,
                                                            const ProblemDetails& problem) const;

    /// Finds out who calls and whether they may. Waits for the database.
    [[nodiscard]] Admission admit(const Call& call) const noexcept;

    /// Checks what they send, calls the handler, and makes its answer or what it threw presentable.
    /// Waits as long as the handler does.
    [[nodiscard]] Outgoing answer(const Call& call, const Admission& admission) const noexcept;

    /// Whether who opened the stream of `call` may still see it. True as well while that cannot be
    /// found out. Waits as answer() does.
    [[nodiscard]] bool is_still_allowed(const Call& call) const noexcept;

    /// An answer to `call` that no handler gave.
    [[nodiscard]] Outgoing refuse(const Call& call, const ProblemDetails& problem) const;

    [[nodiscard]] bool is_database_away() const;
    [[nodiscard]] std::chrono::steady_clock::duration elapsed(const Call& call) const {
        return parts_.clock.steady_now() - call.began;
    }

private:
    struct Checks;
    [[nodiscard]] Call named(Incoming request) const;
    void route(Call& call) const;
    [[nodiscard]] Outgoing answer_route(const Call& call,
                                        const std::optional<Identity>& identity) const;
    [[nodiscard]] Outgoing answer_to(const Call& call, const std::exception_ptr& thrown) const;
    [[nodiscard]] Outgoing open_stream(const Call& call, const HttpRequest& request) const;
    void log_failure(const Call& call, int status, const std::exception_ptr& thrown) const;
    void finish(const Call& call, Outgoing& answer) const;

    DispatcherParts parts_;
    DispatcherOptions options_;
    std::unique_ptr<Checks> checks_;
};

}  // namespace radd::web
