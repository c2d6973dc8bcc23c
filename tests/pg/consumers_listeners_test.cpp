// Tail subscribers on a real tail: what they hear, and what they are told when they do not.

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/listeners.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

/// Writes down what it is told, in order; stands still and throws when it shall.
class Scribe final : public TailSubscriber {
public:
    void began(std::int64_t head) override { write("began " + std::to_string(head)); }
    void heard(const Event& event) override {
        std::unique_lock lock{mutex_};
        is_waiting_ = true;
        open_.wait(lock, [this] { return !is_held_; });
        is_waiting_ = false;
        if (event.entity_id == "bad") throw std::runtime_error{"no good"};
        book_.append(std::to_string(event.id)).append(";");
    }
    void missed(std::int64_t after, std::int64_t through) override {
        write("missed " + std::to_string(after) + "-" + std::to_string(through));
    }

    void hold(bool is_held) {
        const std::scoped_lock lock{mutex_};
        is_held_ = is_held;
        open_.notify_all();
    }
    [[nodiscard]] bool is_waiting() const {
        const std::scoped_lock lock{mutex_};
        return is_waiting_ && is_held_;
    }
    [[nodiscard]] std::string book() const {
        const std::scoped_lock lock{mutex_};
        return book_;
    }

private:
    void write(const std::string& line) {
        const std::scoped_lock lock{mutex_};
        book_.append(line).append(";");
    }

    mutable std::mutex mutex_;
    std::condition_variable open_;
    bool is_held_ = false;
    bool is_waiting_ = false;
    std::string book_;
};

struct Scene : OutboxBench {
    void append(const std::string& entity_id = "a", bool silent = false, int payload_bytes = 1) {
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload, silent) VALUES "
            "('probe.happened', 'note', '" +
            entity_id + "', jsonb_build_object('a', repeat('x', " + std::to_string(payload_bytes) +
            ")), " + (silent ? "true" : "false") + ")");
    }
    void listen(outbox::TailOptions options = {}) {
        tail = started_tail(options);
        listeners.emplace(
            std::vector<consumers::ListenerSetup>{{.name = "probe.scribe", .subscriber = &scribe}},
            *tail,
            clock,
            log);
        REQUIRE(writes("began"));
    }
    [[nodiscard]] bool writes(const std::string& part) {
        return eventually([&] { return scribe.book().find(part) != std::string::npos; });
    }

    Scribe scribe;
    std::unique_ptr<outbox::Tail> tail;
    std::optional<consumers::Listeners> listeners;
};

}  // namespace

TEST_SUITE("tail subscriber") {
    TEST_CASE_FIXTURE(Scene, "begins at the head and hears in order what is not silent") {
        append();
        listen();
        append();
        append("quiet", true);
        append();
        CHECK(writes("4;"));
        CHECK(scribe.book() == "began 1;2;4;");
        CHECK(listeners->stop(10s).empty());
        append();
        CHECK(tail->wait(4, 10s));
        CHECK(scribe.book() == "began 1;2;4;");
    }

    TEST_CASE_FIXTURE(Scene, "one that throws loses that event and one line tells of it") {
        listen();
        append("bad");
        append("bad");
        append();
        CHECK(writes("3;"));
        CHECK(scribe.book() == "began 0;3;");
        CHECK(log.count(LogLevel::error, "tail subscriber probe.scribe: event 1: no good") == 1);
        CHECK(log.count(LogLevel::error, "probe.scribe") == 1);
    }

    TEST_CASE_FIXTURE(Scene, "one that is too slow is told which events it does not get") {
        constexpr std::size_t small = 64 * 1024;
        listen({.buffer_bytes_max = small});
        scribe.hold(true);
        append();
        REQUIRE(eventually([&] { return scribe.is_waiting(); }));
        for (int i = 0; i < 20; ++i) append("b", false, 20'000);
        REQUIRE(eventually([&] { return tail->position() == 21; }));
        scribe.hold(false);
        CHECK(writes("missed 1-21"));
        append();
        CHECK(writes("22;"));
        CHECK(scribe.book() == "began 0;1;missed 1-21;22;");
    }

    TEST_CASE_FIXTURE(Scene, "a stream that went back begins anew") {
        for (int i = 0; i < 5; ++i) append();
        listen();
        // At once, as a restored backup comes: the tail publishes its mark in between otherwise.
        database.execute(
            "DELETE FROM radd.events WHERE id > 2; "
            "UPDATE radd.stream SET settled = 2, head = 2; "
            "SELECT setval('radd.events_id_seq', 2)");
        REQUIRE(eventually([&] { return log.count(LogLevel::error, "was set back to 2") == 1; }));
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()");
        CHECK(writes("began 2;"));
        append();
        CHECK(writes("3;"));
    }

    TEST_CASE_FIXTURE(Scene, "one that hangs is named and holds nobody up") {
        listen();
        scribe.hold(true);
        append();
        REQUIRE(eventually([&] { return scribe.is_waiting(); }));
        CHECK(listeners->stop(50ms) == std::vector<std::string>{"probe.scribe"});
        scribe.hold(false);
        CHECK(writes("1;"));
    }
}
