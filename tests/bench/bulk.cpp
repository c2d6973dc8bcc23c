// The bulk lane: how soon live events are seen while a large quiet import runs beside them.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <tests/bench/figures.hpp>
#include <tests/bench/latencies.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/running.hpp>
#include <tests/bench/serving.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto live_interval = 20ms;
constexpr auto idle_time = 15s;
constexpr auto import_time_max = 600s;
constexpr std::size_t live_max = 40'000;

/// Three who wait for live events: a consumer that does nothing, a client of the feed and the
/// receiver of a webhook.
enum Seat : std::size_t { handler, feed, hook, seats };

void write_issues(const std::string& path, int count) {
    std::ofstream csv{path};
    csv << "Issue key,Issue id,Summary,Issue Type,Status,Reporter,Created,Description,Comment\n";
    for (int i = 1; i <= count; ++i) {
        csv << "BULK-" << i << ',' << i << ",Issue " << i
            << " of many,Task,Open,Ann Lee,2024-03-01 10:00,\"" << std::string(400, 'd')
            << "\",\"2024-03-02 10:00;Ann Lee;" << std::string(100, 'c') << "\"\n";
    }
}

/// The number that Raw gave an event, in JSON that holds the event; 0 if it is none of Raw's.
std::size_t number_in(std::string_view json) {
    constexpr std::string_view key = R"("entity_id":")";
    const auto at = json.find(key);
    if (at == std::string_view::npos || json.find("probe.happened") == std::string_view::npos)
        return 0;
    return std::stoul(std::string{json.substr(at + key.size(), 20)});
}

/// A client of the feed with a thread of its own.
class Follower {
public:
    Follower(std::uint16_t port,
             const std::string& token,
             std::function<void(std::string_view)> take)
        : socket_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, take_{std::move(take)} {
        const std::string request =
            "GET /api/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\n\r\n";
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            send(socket_, request.data(), request.size(), MSG_NOSIGNAL) < 0)
            throw std::runtime_error{"the feed cannot be reached"};
        thread_ = std::thread{[this] { read(); }};
        if (eventually([&] { return is_ready_.load(); })) return;
        end();
        throw std::runtime_error{"the feed does not begin"};
    }
    ~Follower() { end(); }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

private:
    void end() {
        shutdown(socket_, SHUT_RDWR);
        thread_.join();
        close(socket_);
    }
    void read() {
        std::string text;
        std::array<char, 65536> bytes{};
        while (true) {
            const auto got = recv(socket_, bytes.data(), bytes.size(), 0);
            if (got <= 0) return;
            text.append(bytes.data(), static_cast<std::size_t>(got));
            std::size_t from = 0;
            for (auto end = text.find('\n'); end != std::string::npos;
                 end = text.find('\n', from)) {
                const std::string_view line{text.data() + from, end - from};
                if (line.starts_with("event: ready")) is_ready_ = true;
                if (line.starts_with("data: ")) take_(line);
                from = end + 1;
            }
            text.erase(0, from);
        }
    }

    int socket_;
    std::function<void(std::string_view)> take_;
    std::atomic<bool> is_ready_{false};
    std::thread thread_;
};

/// A stretch of live events, and who sees them how soon.
class Lane {
public:
    void take(Seat seat, std::string_view json) {
        const auto number = number_in(json);
        const std::scoped_lock lock{mutex_};
        if (!latencies_ || number == 0) return;
        latencies_->saw(seat, number);
        ++seen_.at(seat);
    }
    [[nodiscard]] Look look() {
        return [this](const Event& event) {
            if (event.type == "probe.happened")
                take(handler, R"(probe.happened "entity_id":")" + event.entity_id);
        };
    }

    /// Appends live events while `goes_on()`, and waits until they have come to every seat.
    template <typename Condition>
    std::unique_ptr<Latencies> run(const std::string& url, Condition goes_on) {
        {
            const std::scoped_lock lock{mutex_};
            latencies_ = std::make_unique<Latencies>(seats, live_max);
            seen_.fill(0);
        }
        Raw raw{url};
        latencies_->append(raw, live_interval, goes_on);
        const bool is_complete = eventually(
            [&] {
                const std::scoped_lock lock{mutex_};
                return std::ranges::all_of(
                    seen_, [&](std::size_t seen) { return seen >= latencies_->appended(); });
            },
            60s);
        if (!is_complete) throw std::runtime_error{"not every live event has come to every seat"};
        const std::scoped_lock lock{mutex_};
        return std::move(latencies_);
    }

private:
    std::mutex mutex_;
    std::unique_ptr<Latencies> latencies_;
    std::array<std::size_t, seats> seen_{};
};

void compare(Report& report,
             const Latencies& idle,
             const Latencies& busy,
             Seat seat,
             const std::string& what) {
    for (const auto& [share, name] : {std::pair{0.5, "p50"}, {0.99, "p99"}}) {
        report.ratio("live events during a quiet import, " + what + ", " + name + ", ms, to idle",
                     {quantile(idle.ms(seat), share)},
                     {quantile(busy.ms(seat), share)},
                     "<= 2");
    }
}

void measure_bulk_of(Report& report, int count) {
    OutboxBench bench;
    Installation installation{bench.database};
    ship_all(installation);
    Lane lane;
    HttpReceiver receiver{[&](const Received& request) {
        lane.take(hook, request.body);
        return HttpReceiver::answer_of(204);
    }};
    write_issues(installation.path("issues.csv").string(), count);
    const auto host = installation.serve();
    installation.must({"webhooks", "add", "one", receiver.url(), "probe.*"});
    const Follower follower{port_of(*host),
                            token_of(installation, "admin"),
                            [&](std::string_view line) { lane.take(feed, line); }};
    const Running running{bench, alike("live", 1, lane.look())};

    const auto end = Clock::now() + idle_time;
    const auto idle = lane.run(bench.database.url(), [&] { return Clock::now() < end; });
    const auto start = Clock::now();
    const auto import = installation.start({"import", "csv", "issues.csv", "--json"});
    const auto busy = lane.run(bench.database.url(), [&] { return import->is_running(); });
    const std::chrono::duration<double> took = Clock::now() - start;
    if (import->wait(import_time_max) != 0)
        throw std::runtime_error{"the import failed: " + import->errors()};

    const auto events = json::parse(import->output()).at("events").get<double>();
    report.value("quiet import of " + std::to_string(count) + " issues, events/s",
                 {events / took.count()},
                 "");
    compare(report, *idle, *busy, handler, "commit to handler");
    compare(report, *idle, *busy, feed, "commit to a client of the feed");
    compare(report, *idle, *busy, hook, "commit to the receiver of a webhook");
    report.value("peak RSS of the host, MiB", {memory_mib(*host, "VmHWM")}, "<= 256");
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace

void measure_bulk(Report& report) {
    measure_bulk_of(report, 10'000);
}

void measure_large_bulk(Report& report) {
    measure_bulk_of(report, 100'000);
}

}  // namespace radd::bench
