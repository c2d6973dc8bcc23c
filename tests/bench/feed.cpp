// The feed of `radd serve` with a thousand clients: how late an event reaches them, and what they
// cost the host.

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <tests/bench/figures.hpp>
#include <tests/bench/report.hpp>
#include <tests/bench/serving.hpp>
#include <tests/support/process.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int clients = 1000;
constexpr int events = 100;

/// Connections that have asked for the feed, and when each event has come to each of them.
class Crowd {
public:
    Crowd(std::uint16_t port, const std::string& token) : epoll_{epoll_create1(EPOLL_CLOEXEC)} {
        const std::string request =
            "GET /api/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\n\r\n";
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (int i = 0; i < clients; ++i) {
            const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
                throw std::runtime_error{"client " + std::to_string(i) + " is not let in"};
            if (send(one, request.data(), request.size(), MSG_NOSIGNAL) < 0)
                throw std::runtime_error{"client " + std::to_string(i) + " is not heard"};
            epoll_event interest{.events = EPOLLIN, .data = {.fd = one}};
            epoll_ctl(epoll_, EPOLL_CTL_ADD, one, &interest);
            sockets_.push_back(one);
            // One after the other, so that none is told that too many wait.
            while (count_of(one, "event: ready") == 0) read_some();
        }
    }
    ~Crowd() {
        for (const int one : sockets_) close(one);
        close(epoll_);
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    /// Milliseconds since `begin` until each client had one message more.
    std::vector<double> arrivals(Clock::time_point begin) {
        std::vector<double> times;
        texts_.clear();
        while (times.size() < clients) {
            const auto arrived = read_some();
            const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
            times.insert(times.end(), arrived, took.count());
        }
        return times;
    }

private:
    std::size_t count_of(int socket, std::string_view part) {
        return testing::count_of(texts_[socket], part);
    }
    /// How many messages have come to their end.
    std::size_t read_some() {
        std::array<epoll_event, 256> ready{};
        const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), 10'000);
        if (count <= 0) throw std::runtime_error{"nothing comes"};
        std::size_t messages = 0;
        for (int i = 0; i < count; ++i) {
            std::array<char, 65536> bytes{};
            const int one = ready.at(static_cast<std::size_t>(i)).data.fd;
            const auto got = recv(one, bytes.data(), bytes.size(), 0);
            if (got <= 0) throw std::runtime_error{"a client was closed"};
            const std::string_view text{bytes.data(), static_cast<std::size_t>(got)};
            texts_[one].append(text);
            if (text.find("data: ") != std::string_view::npos) ++messages;
        }
        return messages;
    }

    int epoll_;
    std::vector<int> sockets_;
    std::unordered_map<int, std::string> texts_;
};

}  // namespace

void measure_feed(Report& report) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);

    TestDatabase database;
    Installation installation{database};
    installation.ship();
    installation.ship("realtime");
    installation.set("RADD_HTTP_STREAMS_OF_CALLER_MAX", std::to_string(clients));
    const auto host = installation.serve();
    const auto token = token_of(installation, "admin");
    let_pass(1s);
    const double alone = memory_mib(*host, "VmRSS");

    Crowd crowd{port_of(*host), token};
    const double crowded = memory_mib(*host, "VmRSS");
    std::vector<double> all;
    std::vector<double> last;
    for (int i = 0; i < events; ++i) {
        const auto begin = Clock::now();
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
            "('probe.happened', 'note', '1', jsonb_build_object('text', repeat('x', 1000)))");
        const auto times = crowd.arrivals(begin);
        all.insert(all.end(), times.begin(), times.end());
        last.push_back(quantile(times, 1));
    }
    report.value(
        "feed to 1 000 clients: p50 from INSERT to a client, ms", {quantile(all, 0.5)}, "");
    report.value("feed to 1 000 clients: p99, ms", {quantile(all, 0.99)}, "<= 1000");
    report.value("feed to 1 000 clients: the last of them, ms", last, "<= 1000");
    report.value("feed: RSS for a client, KiB", {(crowded - alone) * 1024 / clients}, "<= 1024");
    report.value(
        "feed: RSS with 1 000 clients after it, MiB", {memory_mib(*host, "VmRSS")}, "<= 256");
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace radd::bench
