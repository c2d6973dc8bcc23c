// What a request costs: wrk with 32 connections that never rest.

#include <stdexcept>
#include <string>
#include <vector>

#include <signal.h>
#include <tests/bench/figures.hpp>
#include <tests/bench/serving.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;

/// What one run of wrk found.
struct Load {
    double per_second;
    double p50_ms;
    double p99_ms;
};

std::string word_after(const std::string& text, const std::string& label) {
    const auto at = text.find(label);
    if (at == std::string::npos) throw std::runtime_error{"wrk does not say " + label + text};
    const auto from = text.find_first_not_of(' ', at + label.size());
    return text.substr(from, text.find('\n', from) - from);
}

/// wrk writes 812.00us, 1.50ms or 2.00s.
double milliseconds(const std::string& text) {
    const double value = std::stod(text);
    if (text.find("us") != std::string::npos) return value / 1000;
    return text.find("ms") != std::string::npos ? value : value * 1000;
}

Load load(const std::string& url, const std::string& token) {
    Process wrk{{"/usr/bin/env",
                 "wrk",
                 "--threads=2",
                 "--connections=32",
                 "--duration=4s",
                 "--latency",
                 "--header=Authorization: Bearer " + token,
                 url}};
    if (wrk.wait() != 0) throw std::runtime_error{"wrk failed: " + wrk.errors()};
    const auto said = wrk.output();
    if (contains(said, "Non-2xx") || contains(said, "Socket errors"))
        throw std::runtime_error{"not every request was answered: " + said};
    return {.per_second = std::stod(word_after(said, "Requests/sec:")),
            .p50_ms = milliseconds(word_after(said, " 50%")),
            .p99_ms = milliseconds(word_after(said, " 99%"))};
}

void measure_path(Report& report,
                  const std::string& origin,
                  const std::string& path,
                  const std::string& token) {
    std::vector<double> per_second, p50, p99;
    for (int round = 0; round < rounds; ++round) {
        const Load found = load(origin + path, token);
        per_second.push_back(found.per_second);
        p50.push_back(found.p50_ms);
        p99.push_back(found.p99_ms);
    }
    report.value("GET " + path + ", 32 connections, requests/s", per_second, "");
    report.value("GET " + path + ", p50, ms", p50, "");
    report.value("GET " + path + ", p99, ms", p99, "");
}

}  // namespace

void measure_web(Report& report) {
    TestDatabase database;
    Installation installation{database};
    ship_all(installation);
    const auto host = installation.serve();
    const auto token = token_of(installation, "admin");
    database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'item.updated', 'item', i, jsonb_build_object('text', repeat('x', 200)) "
        "FROM generate_series(1, 10000) i; ANALYZE radd.events");
    const std::string origin = "http://127.0.0.1:" + std::to_string(port_of(*host));
    measure_path(report, origin, "/api/v1/monitoring/overview", token);
    measure_path(report, origin, "/api/v1/events?limit=50", token);
    report.value("RSS after it, MiB (once)", {memory_mib(*host, "VmRSS")}, "<= 256");
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace radd::bench
