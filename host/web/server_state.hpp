#pragma once

/// What the server is made of. Private to server.cpp, serve.cpp, handling.cpp and streaming.cpp.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <host/web/connection.hpp>
#include <host/web/server.hpp>
#include <host/web/stream_channel.hpp>
#include <host/web/stream_transport.hpp>
#include <host/web/turns.hpp>
#include <host/web/worker_pool.hpp>

namespace radd::web {

/// For health and metrics.
inline constexpr std::size_t vital_threads = 1;

/// A request that waits for its handler. The connection and the job own it; whoever is last.
struct Exchange {
    std::shared_ptr<ServerState> state;  ///< First: it owns what `wake` runs on.
    std::shared_ptr<const Call> call;
    asio::steady_timer wake;
    std::optional<Outgoing> answer{};  ///< Touched by the I/O thread alone.
    /// By the handler's thread once it is the caller's turn, which then begins, or by whoever waits
    /// and gives up, after which nothing is begun: whoever is first.
    std::atomic<bool> is_taken{false};
};

class ServerState : public std::enable_shared_from_this<ServerState> {
public:
    ServerState(const Dispatcher& dispatch,
                const ServerOptions& given,
                Log& own_log,
                log::FieldLog& requests_log,
                Answered observer)
        : dispatcher{dispatch},
          options{given},
          log{own_log},
          access_log{requests_log},
          answered{std::move(observer)},
          handlers{options.threads, requests_queued_max},
          turns{requests_of_caller_max(options.threads), requests_waiting_of_caller_max},
          // A probe is quick, and to refuse one means to some that the host is dead. A connection
          // has one request under way.
          vital{vital_threads, options.connections_max} {}

    void listen(Listener& listener);
    void run();
    bool end_longest_idle();
    asio::awaitable<void> accept();
    asio::awaitable<void> serve(std::shared_ptr<Connection> connection);
    asio::awaitable<bool> serve_one(Connection& connection);
    asio::awaitable<std::shared_ptr<const Call>> read(Connection& connection, bool& keep_alive);
    asio::awaitable<Outgoing> answer(Connection& connection, std::shared_ptr<const Call> call);
    asio::awaitable<Outgoing> handled(Connection& connection, std::shared_ptr<Exchange> exchange);
    void admit(const std::shared_ptr<Exchange>& exchange);
    void work_on(const std::shared_ptr<Exchange>& exchange, const Admission& admission);
    void deliver(const std::shared_ptr<Exchange>& exchange, Outgoing answer);
    asio::awaitable<bool> write(Connection& connection,
                                const Call& call,
                                const Outgoing& outgoing,
                                bool keep_alive);
    asio::awaitable<void> linger(Connection& connection);
    bool submit_in_turn(const std::string& caller, const std::function<void()>& task);
    void pass_turn(const std::string& caller);
    std::optional<ProblemDetails> fault_of_stream(Connection& connection,
                                                  const std::string& caller);
    asio::awaitable<void> stream(Connection& connection,
                                 std::shared_ptr<const Call> call,
                                 Outgoing outgoing);
    asio::awaitable<void> push(Connection& connection,
                               const std::shared_ptr<const Call>& call,
                               StreamChannel& channel,
                               StreamTransport& transport);
    asio::awaitable<bool> push_one(Connection& connection,
                                   StreamChannel& channel,
                                   StreamTransport& transport);
    asio::awaitable<void> hear(std::shared_ptr<Connection> connection,
                               std::shared_ptr<StreamChannel> channel,
                               std::shared_ptr<StreamTransport> transport);
    void start_refill(StreamChannel& channel);
    void start_check(StreamChannel& channel, const std::shared_ptr<const Call>& call);
    void note_answered(const Call& call, const Outgoing& outgoing, std::size_t bytes);
    asio::awaitable<void> turn_away(std::shared_ptr<Connection> connection);

    [[nodiscard]] auto logged(std::string what) {
        return [this, what = std::move(what)](const std::exception_ptr& thrown) {
            if (!thrown) return;
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& error) {
                log.error(what + ": " + error.what());
            }
        };
    }
    void count_in_flight(int change) {
        const std::scoped_lock lock{mutex};
        in_flight += change;
        if (in_flight == 0) changed.notify_all();
    }

    const Dispatcher& dispatcher;
    const ServerOptions options;
    Log& log;
    log::FieldLog& access_log;
    const Answered answered;
    std::size_t connections_max = 0;

    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    tcp::acceptor acceptor{io};
    std::thread thread;
    WorkerPool handlers;
    Turns turns;
    WorkerPool vital;

    // Of the I/O thread.
    std::set<Connection*> connections;
    std::set<Connection*> turned_away;
    std::uint64_t idle_count = 0;
    std::map<StreamChannel*, Connection*> streams;
    bool is_full = false;
    bool draining = false;
    bool stopping = false;

    std::atomic<std::size_t> streams_open{0};
    std::atomic<std::uint64_t> streams_opened{0};
    std::atomic<std::uint64_t> streams_stalled{0};
    std::atomic<std::uint64_t> streams_refused{0};
    std::atomic<std::uint64_t> stream_messages{0};

    std::mutex mutex;
    std::condition_variable changed;
    int in_flight = 0;
    bool grace_is_cut = false;
    bool stopped = false;  ///< Of the boot thread.
};

}  // namespace radd::web
