// A host of three consumers, to be killed: consumers_worker URL LEASE_MS. Ends on SIGTERM.

#include <csignal>
#include <iostream>
#include <string>

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
constexpr radd::Sql insert_applied = "INSERT INTO applied (event_id) VALUES ($1)";

class Lines final : public radd::Log {
public:
    void write(radd::LogLevel level, std::string_view message) noexcept override {
        if (level < radd::LogLevel::warn) return;
        std::cerr << std::string{message} + "\n";
    }
};

/// Sends "outside": a statement of its own, which no rollback takes back.
class Outward final : public radd::HeadSeededConsumer<std::int64_t> {
public:
    explicit Outward(const radd::db::ConnectOptions& options) : outside_{options} {}
    std::optional<std::int64_t> plan(Transaction& tx, const Event& event) override {
        if (!event.is(ProbeEvent::happened)) return std::nullopt;
        tx.execute(insert_planned, event.id);
        return event.id;
    }
    void deliver(const std::int64_t& id) override { outside_.query(insert_delivered, id); }

private:
    radd::db::Session outside_;
};

class Projection final : public radd::ProjectionConsumer {
public:
    void project(Transaction& tx, const Event& event) override {
        if (event.is(ProbeEvent::happened))
            tx.execute(insert_projected, event.id, event.entity_id, event.payload_text);
    }
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
                            .first_start = consumer.traits().first_start},
            .batch = 50,
            .consumer = &consumer};
}

int run(const std::string& url, std::chrono::milliseconds lease) {
    Lines log;
    radd::host::SystemClock clock;
    radd::host::SystemRandom random;
    radd::outbox::Catalog catalog;
    const radd::EventTypeSpec happened{.type = ProbeEvent::happened, .label = "Happened"};
    const radd::EventTypeSpec echoed{.type = ProbeEvent::echoed, .label = "Echoed"};
    catalog.add(happened, "probe");
    catalog.add(echoed, "probe");
    const radd::db::ConnectOptions options{.url = url};
    radd::db::Pool pool{options, 8};
    radd::outbox::Tail tail{options, {}, clock, log};
    tail.start();
    Outward outward{options};
    Projection projection;
    PerEvent per_event;
    radd::consumers::Workers workers{{pool, tail, catalog, {}, clock, random, log},
                                     {.lease = lease},
                                     {setup(outward, "probe.outward"),
                                      setup(projection, "probe.projection"),
                                      setup(per_event, "probe.per_event")},
                                     {}};
    workers.start();
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
    if (argc != 3) {
        std::cerr << "usage: consumers_worker URL LEASE_MS\n";
        return 2;
    }
    try {
        return run(argv[1], std::chrono::milliseconds{std::stoll(argv[2])});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
