#pragma once

/// A stream, consumers whose every step a test decides, and runners to tick by hand.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <host/consumers/cursors.hpp>
#include <host/consumers/operations.hpp>
#include <host/consumers/overview.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/supervisor.hpp>
#include <host/db/migrate.hpp>
#include <host/outbox/tail.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

class RealClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const override {
        return ahead.load() + std::chrono::time_point_cast<std::chrono::microseconds>(
                                  std::chrono::system_clock::now());
    }
    [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override {
        return std::chrono::steady_clock::now() + steady_ahead.load();
    }
    /// How far the time of day is from the database's.
    std::atomic<std::chrono::microseconds> ahead{std::chrono::microseconds{0}};
    /// Time that has passed without anybody waiting for it.
    std::atomic<std::chrono::nanoseconds> steady_ahead{std::chrono::nanoseconds{0}};
};

class RealRandom final : public Random {
public:
    [[nodiscard]] std::uint64_t bits() override {
        const std::scoped_lock lock{mutex_};
        return engine_();
    }

private:
    std::mutex mutex_;
    std::mt19937_64 engine_{std::random_device{}()};
};

class KeptLog final : public Log {
public:
    void write(LogLevel level, std::string_view message) noexcept override {
        const std::scoped_lock lock{mutex_};
        lines_.emplace_back(level, message);
    }
    /// How many lines of at least `level` contain `part`.
    [[nodiscard]] std::size_t count(std::string_view part, LogLevel level = LogLevel::debug) const {
        const std::scoped_lock lock{mutex_};
        std::size_t found = 0;
        for (const auto& [at, line] : lines_)
            found += at >= level && line.find(part) != std::string::npos ? 1U : 0U;
        return found;
    }
    [[nodiscard]] std::string find(std::string_view part) const {
        const std::scoped_lock lock{mutex_};
        for (const auto& [at, line] : lines_) {
            if (line.find(part) != std::string::npos) return line;
        }
        return {};
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<LogLevel, std::string>> lines_;
};

/// Ids in the order in which they were seen. [any-thread]
class Seen {
public:
    void add(std::int64_t id) {
        const std::scoped_lock lock{mutex_};
        ids_.push_back(id);
    }
    [[nodiscard]] std::vector<std::int64_t> ids() const {
        const std::scoped_lock lock{mutex_};
        return ids_;
    }
    [[nodiscard]] std::size_t size() const { return ids().size(); }

private:
    mutable std::mutex mutex_;
    std::vector<std::int64_t> ids_;
};

using Work = std::function<void(Transaction&, const Event&)>;

/// Plans every event unless `plan` throws, and delivers the id.
class Outward final : public HeadSeededConsumer<std::int64_t> {
public:
    std::optional<std::int64_t> plan(Transaction& tx, const Event& event) override {
        if (work) work(tx, event);
        if (silent) return std::nullopt;
        return event.id;
    }
    void deliver(const std::int64_t& id) override {
        if (act) act(id);
        delivered.add(id);
    }
    Work work;
    std::function<void(std::int64_t)> act;
    bool silent = false;  ///< Plans nothing.
    Seen delivered;
};

class Projection final : public ProjectionConsumer {
public:
    void project(Transaction& tx, const Event& event) override {
        if (work) work(tx, event);
        seen.add(event.id);
    }
    Work work;
    Seen seen;
};

class PerEvent final : public PerEventConsumer {
public:
    void handle(Transaction& tx, const Event& event) override {
        if (work) work(tx, event);
        seen.add(event.id);
    }
    Work work;
    Seen seen;
};

/// A migrated database of its own, its tail, and what runners need.
struct Stream {
    explicit Stream(const std::string& url) : Stream{db::ConnectOptions{.url = url}} {}
    explicit Stream(db::ConnectOptions connect) : options_{std::move(connect)} {
        db::Session session{options()};
        db::migrate(session, {{"core", db::core_migrations()}});
        session.run_script(
            "CREATE TABLE IF NOT EXISTS done (consumer text, event_id bigint, PRIMARY KEY "
            "(consumer, event_id))");
        pool = std::make_unique<db::Pool>(options(), 16);
        tail = std::make_unique<outbox::Tail>(options(), outbox::TailOptions{}, clock, log);
        tail->start();
    }
    ~Stream() { tail->stop(); }

    [[nodiscard]] db::ConnectOptions options() const { return options_; }
    [[nodiscard]] consumers::RunnerParts parts() {
        return {*pool, *tail, catalog, {}, clock, log, std::chrono::seconds{10}};
    }
    [[nodiscard]] consumers::WorkersParts workers() {
        return {*pool, *tail, catalog, {}, clock, random, log};
    }

    db::ConnectOptions options_;
    RealClock clock;
    RealRandom random;
    KeptLog log;
    outbox::Catalog catalog;
    std::unique_ptr<db::Pool> pool;
    std::unique_ptr<outbox::Tail> tail;
};

/// Writes a row that only one handling of the event can write.
constexpr Sql insert_done = "INSERT INTO done (consumer, event_id) VALUES ($1, $2)";

constexpr Sql append_events = R"sql(
    WITH rows AS (
        INSERT INTO radd.events (event_type, entity_type, entity_id, silent)
        SELECT $1, 'item', n::text, $2 FROM generate_series(1, $3::bigint) n
        RETURNING id)
    SELECT max(id) AS last FROM rows)sql";

struct Bench {
    TestDatabase database;
    Stream stream{database.url()};
    consumers::ConsumerStore store{database.session()};
    consumers::ConsumerOperations operations{database.session()};
    const std::string me = "this:1:1";

    /// Appends `count` events of `type` and waits until the tail has them; the last id.
    std::int64_t append(int count,
                        const std::string& type = "probe.happened",
                        bool silent = false) {
        const Rows rows = database.session().query(append_events, type, silent, count);
        const std::int64_t id = rows[0].integer("last");
        stream.tail->wake();
        REQUIRE(eventually([&] { return stream.tail->position() >= id; }));
        return id;
    }

    std::unique_ptr<consumers::ConsumerRunner> runner(Consumer& consumer,
                                                      const std::string& name = "probe.one",
                                                      std::size_t batch = 100) {
        const consumers::Declaration declaration{.name = name,
                                                 .plugin = "probe",
                                                 .plugin_version = "1.2.3",
                                                 .first_start = consumer.traits().first_start};
        store.declare(declaration, stream.tail->position());
        auto made = std::make_unique<consumers::ConsumerRunner>(
            consumers::ConsumerSetup{
                .declaration = declaration, .batch = batch, .consumer = &consumer},
            stream.parts());
        acquire(*made);
        return made;
    }

    bool acquire(consumers::ConsumerRunner& runner, const std::string& owner = "this:1:1") {
        const std::vector<std::string> names{runner.declaration().name};
        const auto taken = store.acquire(names, owner, std::chrono::seconds{10});
        if (!taken.empty()) runner.position().take(taken.front());
        return !taken.empty();
    }

    /// Ticks until nothing is left; how often that was.
    int settle(consumers::ConsumerRunner& runner) {
        int ticks = 0;
        while (runner.tick() == consumers::Tick::progressed && ticks < 1000) ++ticks;
        return ticks;
    }

    /// What the keeper does ten times a second.
    void flush(consumers::ConsumerRunner& runner) {
        const auto move = runner.position().unwritten();
        if (!move) return;
        const std::vector<consumers::Move> moves{*move};
        REQUIRE(store.advance_many(moves).size() == 1);
        runner.position().persist({move->epoch, move->new_cursor, move->receipt});
    }

    std::int64_t cursor(const std::string& name = "probe.one") {
        return std::stoll(
            database.value("SELECT cursor FROM radd.consumers WHERE name = '" + name + "'"));
    }
    std::int64_t number(const std::string& query) { return std::stoll(database.value(query)); }

    std::string state(const std::string& name = "probe.one") {
        for (const auto& one :
             consumers::consumer_overview(database.session(), {.head = stream.tail->position()})) {
            if (one.name == name) return one.state;
        }
        return "(absent)";
    }

    /// The work of a consumer that leaves one row per event.
    static Work leaves_a_row(const std::string& name) {
        return [name](Transaction& tx, const Event& event) {
            tx.execute(insert_done, name, event.id);
        };
    }
};

inline std::vector<std::int64_t> ids(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
}

}  // namespace radd::testing
