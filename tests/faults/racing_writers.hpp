#pragma once

/// Applications that write all the while, by every way there is, and keep what they were promised.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <host/db/pool.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/transaction.hpp>
#include <tests/faults/probe_events.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

/// One thread of its own for each way: plain INSERT, radd.emit() and the SDK. Each event is written
/// with the row of its entity locked and counted, so that its order is that of the commits. A
/// writer that finds no database tries again.
class RacingWriters {
public:
    static constexpr int entities = 20;

    /// Makes the table of entities.
    explicit RacingWriters(std::string url, int threads_per_way = 1) : url_{std::move(url)} {
        db::Session{{.url = url_}}.run_script(
            "CREATE TABLE IF NOT EXISTS entities (id text PRIMARY KEY, n bigint NOT NULL DEFAULT "
            "0);"
            "INSERT INTO entities (id) SELECT n::text FROM generate_series(0, " +
            std::to_string(entities - 1) + ") n ON CONFLICT DO NOTHING");
        catalog_.add(happened_, "probe");
        for (int i = 0; i < threads_per_way; ++i) {
            const auto token = [i](const char* way) { return way + std::to_string(i) + '/'; };
            threads_.emplace_back([this, token] { write(insert, token("insert")); });
            threads_.emplace_back([this, token] { write(emit, token("emit")); });
            threads_.emplace_back([this, token] { write_by_sdk(token("sdk")); });
        }
    }
    RacingWriters(const RacingWriters&) = delete;
    RacingWriters& operator=(const RacingWriters&) = delete;
    ~RacingWriters() { stop(); }

    void stop() {
        is_over_ = true;
        for (auto& thread : threads_) thread.join();
        threads_.clear();
    }
    /// What has begun is written; the rest waits for go_on().
    void hold() { is_held_ = true; }
    void go_on() { is_held_ = false; }
    [[nodiscard]] std::int64_t committed() const noexcept { return committed_; }
    /// What was answered with success and is not in the stream. After stop().
    [[nodiscard]] std::int64_t lost() {
        db::Session session{{.url = url_}};
        return session.query(count_lost, text_array(promised_))[0].integer("lost");
    }

private:
    static constexpr Sql touch_entity = "UPDATE entities SET n = n + 1 WHERE id = $1 RETURNING n";
    static constexpr Sql insert = R"sql(
        INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
        VALUES ('probe.happened', 'thing', $1,
                jsonb_build_object('n', $2::bigint, 'token', $3::text)))sql";
    static constexpr Sql emit = R"sql(
        SELECT radd.emit('probe.happened', 'thing', $1, payload =>
                         jsonb_build_object('n', $2::bigint, 'token', $3::text)))sql";
    static constexpr Sql count_lost = R"sql(
        SELECT count(*) AS lost FROM unnest($1::text[]) AS p (token)
         WHERE NOT EXISTS (SELECT FROM radd.events e
                            WHERE e.event_type = 'probe.happened'
                              AND e.payload ->> 'token' = p.token))sql";

    class Silence final : public Log {
    public:
        void write(LogLevel, std::string_view) noexcept override {}
    };

    void promise(std::string token) {
        ++committed_;
        const std::scoped_lock lock{mutex_};
        promised_.push_back(std::move(token));
    }
    template <typename Work>
    void until_over(Work&& work) {
        for (std::int64_t n = 0; !is_over_; ++n) {
            while (is_held_ && !is_over_) let_pass(std::chrono::milliseconds{20});
            try {
                work(n);
            } catch (const std::exception&) {
                let_pass(std::chrono::milliseconds{20});
            }
        }
    }
    void write(Sql way, const std::string& prefix) {
        std::unique_ptr<db::Session> session;
        until_over([&](std::int64_t n) {
            if (!session || !session->usable())
                session = std::make_unique<db::Session>(db::ConnectOptions{.url = url_});
            if (session->in_transaction()) session->rollback();
            const auto entity = std::to_string(n % entities);
            const auto token = prefix + std::to_string(n);
            session->begin();
            const auto row = session->query(touch_entity, entity);
            session->query(way, entity, row[0].integer("n"), token);
            if (n % 13 == 0) return session->rollback();
            session->commit();
            promise(token);
        });
    }
    void write_by_sdk(const std::string& prefix) {
        db::Pool pool{{.url = url_}, 1};
        Silence log;
        until_over([&](std::int64_t n) {
            outbox::OutboxTransaction tx{pool, catalog_, {}, log, "writer"};
            const auto entity = std::to_string(n % entities);
            const auto token = prefix + std::to_string(n);
            const auto row = tx.query_one(touch_entity, entity);
            tx.emit({.type = ProbeEvent::happened,
                     .entity = ProbeEntity::thing,
                     .entity_id = entity,
                     .payload = json{{"n", row->integer("n")}, {"token", token}}});
            tx.commit();
            promise(token);
        });
    }

    std::string url_;
    EventTypeSpec happened_{.type = ProbeEvent::happened, .label = "Happened"};
    outbox::Catalog catalog_;
    std::atomic<bool> is_over_{false};
    std::atomic<bool> is_held_{false};
    std::atomic<std::int64_t> committed_{0};
    std::mutex mutex_;
    std::vector<std::string> promised_;
    std::vector<std::thread> threads_;
};

}  // namespace radd::testing
