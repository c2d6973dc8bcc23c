// A host with a consumer of each shape, to be killed: consumers_worker URL LEASE_MS [POINT EVENT].
// Prints `started` when a database that goes away no longer ends it.
// Ends on SIGTERM, or dies by its own hand at POINT with EVENT: `read` and `planned` are the
// beginning and the end of plan(), `committed` and `delivered` those of deliver(), `abort` is
// `read` by abort().

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <host/consumers/supervisor.hpp>
#include <host/db/pool.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/tail.hpp>
#include <host/system.hpp>
#include <tests/faults/probe_events.hpp>

using namespace std::chrono_literals;
using radd::Event;
using radd::Transaction;
using radd::testing::ProbeEntity;
using radd::testing::ProbeEvent;

namespace {

constexpr radd::Sql insert_planned = "INSERT INTO planned (event_id) VALUES ($1)";
constexpr radd::Sql insert_delivered = "INSERT INTO delivered (event_id) VALUES ($1)";
constexpr radd::Sql insert_projected =
    "INSERT INTO projected (event_id, entity_id, n) VALUES ($1, $2, ($3::jsonb ->> 'n')::bigint)";
constexpr radd::Sql take_time = "SELECT pg_sleep(0.1)";
constexpr radd::Sql insert_relayed = "INSERT INTO relayed (event_id) VALUES ($1)";
constexpr radd::Sql insert_bootstrapped = "INSERT INTO bootstrapped (event_id) VALUES ($1)";
constexpr radd::Sql insert_applied = "INSERT INTO applied (event_id) VALUES ($1)";

class Lines final : public radd::Log {
public:
    void write(radd::LogLevel level, std::string_view message) noexcept override {
        if (level < radd::LogLevel::warn) return;
        std::cerr << std::string{message} + "\n";
    }
};

/// Where the process is to die.
struct Fuse {
    std::string point{};
    std::int64_t event = 0;

    void pass(std::string_view here, std::int64_t id) const {
        if (id != event) return;
        if (point == "abort" && here == "read") std::abort();
        if (here == point) std::raise(SIGKILL);
    }
};

/// What no rollback takes back: statements on a connection of its own.
class Outside {
public:
    explicit Outside(const radd::db::ConnectOptions& options) : pool_{options, 1} {}
    void send(radd::Sql statement, std::int64_t id) {
        auto lease = pool_.lease("outside");
        lease->query(statement, id);
    }

private:
    radd::db::Pool pool_;
};

/// Sends "outside".
class Outward final : public radd::HeadSeededConsumer<std::int64_t> {
public:
    Outward(const radd::db::ConnectOptions& options, Fuse fuse)
        : outside_{options}, fuse_{std::move(fuse)} {}
    std::optional<std::int64_t> plan(Transaction& tx, const Event& event) override {
        if (!event.is(ProbeEvent::happened)) return std::nullopt;
        fuse_.pass("read", event.id);
        tx.execute(insert_planned, event.id);
        fuse_.pass("planned", event.id);
        return event.id;
    }
    void deliver(const std::int64_t& id) override {
        fuse_.pass("committed", id);
        outside_.send(insert_delivered, id);
        fuse_.pass("delivered", id);
    }

private:
    Outside outside_;
    Fuse fuse_;
};

/// Slow beside somebody who dies, so that it is always at some event when that happens.
class Projection final : public radd::ProjectionConsumer {
public:
    explicit Projection(bool is_slow) : is_slow_{is_slow} {}
    void project(Transaction& tx, const Event& event) override {
        if (!event.is(ProbeEvent::happened)) return;
        tx.execute(insert_projected, event.id, event.entity_id, event.payload_text);
        if (is_slow_) tx.execute(take_time);
    }

private:
    bool is_slow_;
};

/// What was there at its first start and what came since are one to it.
class Bootstrapped final : public radd::BootstrapConsumer {
public:
    void bootstrap(Transaction& tx, const Event& event) override { project(tx, event); }
    void project(Transaction& tx, const Event& event) override {
        if (event.is(ProbeEvent::happened)) tx.execute(insert_bootstrapped, event.id);
    }
};

/// Hands over "outside", as Outward sends.
class Relay final : public radd::RelayConsumer {
public:
    explicit Relay(const radd::db::ConnectOptions& options) : outside_{options} {}
    void relay(std::span<const Event> events) override {
        for (const Event& event : events) outside_.send(insert_relayed, event.id);
    }

private:
    Outside outside_;
};

/// Emits in turn, so that events of a killed owner are part of what is counted.
class PerEvent final : public radd::PerEventConsumer {
public:
    void handle(Transaction& tx, const Event& event) override {
        if (!event.is(ProbeEvent::happened)) return;
        tx.execute(insert_applied, event.id);
        if (event.id % 10 != 0) return;
        tx.emit({.type = ProbeEvent::echoed,
                 .entity = ProbeEntity::thing,
                 .entity_id = event.entity_id,
                 .payload = radd::json{{"of", event.id}}});
    }
};

radd::consumers::ConsumerSetup setup(radd::Consumer& consumer, const std::string& name) {
    return {.declaration = {.name = name,
                            .plugin = "probe",
                            .plugin_version = "1.0.0",
                            .first_start = consumer.traits().first_start,
                            .bootstraps = consumer.traits().bootstraps},
            .batch = 50,
            .consumer = &consumer};
}

int run(const std::string& url, std::chrono::milliseconds lease, const Fuse& fuse) {
    Lines log;
    radd::host::SystemClock clock;
    radd::host::SystemRandom random;
    radd::outbox::Catalog catalog;
    const radd::EventTypeSpec happened{.type = ProbeEvent::happened, .label = "Happened"};
    const radd::EventTypeSpec echoed{.type = ProbeEvent::echoed, .label = "Echoed"};
    catalog.add(happened, "probe");
    catalog.add(echoed, "probe");
    // As `radd` itself is told that it is behind a pooler.
    const char* prepared = std::getenv("RADD_DATABASE_PREPARED_STATEMENTS");  // NOLINT: no threads
    const radd::db::ConnectOptions options{
        .url = url,
        .prepared_statements = prepared == nullptr || std::string_view{prepared} != "false"};
    radd::db::Pool pool{options, 8};
    radd::outbox::Tail tail{options, {}, clock, log};
    tail.start();
    Outward outward{options, fuse};
    Projection projection{!fuse.point.empty()};
    PerEvent per_event;
    Bootstrapped bootstrapped;
    Relay relay{options};
    radd::consumers::Workers workers{{pool, tail, catalog, {}, clock, random, log},
                                     {.lease = lease},
                                     {setup(outward, "probe.outward"),
                                      setup(projection, "probe.projection"),
                                      setup(per_event, "probe.per_event"),
                                      setup(bootstrapped, "probe.bootstrapped"),
                                      setup(relay, "probe.relay")},
                                     {}};
    workers.start();
    std::cout << "started\n" << std::flush;
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    int received = 0;
    sigwait(&term, &received);
    const bool clean = workers.stop(20s).empty();
    tail.stop();
    return clean ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    // Before any thread begins, so that all inherit it and only sigwait() takes the signal.
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, nullptr);
    if (argc != 3 && argc != 5) {
        std::cerr << "usage: consumers_worker URL LEASE_MS [POINT EVENT]\n";
        return 2;
    }
    try {
        const Fuse fuse = argc == 5 ? Fuse{argv[3], std::stoll(argv[4])} : Fuse{};
        return run(argv[1], std::chrono::milliseconds{std::stoll(argv[2])}, fuse);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
