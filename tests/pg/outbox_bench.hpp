#pragma once

/// A migrated database, a small catalogue, and both ends of the outbox on it.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <host/db/migrate.hpp>
#include <host/outbox/tail.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/manifest.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

enum class ProbeEvent { happened, changed, undeclared };
consteval auto event_names(ProbeEvent) {
    return std::array{
        Named{ProbeEvent::happened, "probe.happened"},
        Named{ProbeEvent::changed, "probe.changed"},
        Named{ProbeEvent::undeclared, "probe.undeclared"},
    };
}

/// `note` has no ref, `thing` has one, nobody describes `ghost`.
enum class ProbeEntity { thing, note, ghost };
consteval auto entity_names(ProbeEntity) {
    return std::array{
        Named{ProbeEntity::thing, "thing"},
        Named{ProbeEntity::note, "note"},
        Named{ProbeEntity::ghost, "ghost"},
    };
}

class SteadyClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const override {
        return std::chrono::time_point_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now());
    }
    [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override {
        return std::chrono::steady_clock::now();
    }
};

class LogBook final : public Log {
public:
    void write(LogLevel level, std::string_view message) noexcept override {
        const std::scoped_lock lock{mutex_};
        lines_.emplace_back(level, message);
    }
    /// Lines of `level` that contain `part`.
    [[nodiscard]] std::size_t count(LogLevel level, std::string_view part) const {
        const std::scoped_lock lock{mutex_};
        std::size_t found = 0;
        for (const auto& [at, text] : lines_) {
            if (at == level && text.find(part) != std::string::npos) ++found;
        }
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<LogLevel, std::string>> lines_;
};

/// Everything a test of the outbox starts from.
struct OutboxBench {
    OutboxBench() {
        db::migrate(database.session(), {{.owner = "core", .migrations = db::core_migrations()}});
        database.execute("CREATE TABLE things (id bigint PRIMARY KEY, title text NOT NULL)");
        for (const auto& spec : event_specs) catalog.add(spec, "probe");
        for (const auto& spec : entity_specs) catalog.add(spec, "probe");
    }

    /// The ref of a thing: one query for all ids, counted.
    std::vector<std::optional<JsonText>> thing_refs(Transaction& tx,
                                                    std::span<const std::string> ids) {
        ++ref_queries;
        constexpr Sql select_refs = R"sql(
            SELECT (SELECT jsonb_build_object('id', t.id, 'title', t.title)
                      FROM things t WHERE t.id::text = wanted.id) AS ref
              FROM unnest($1::text[]) WITH ORDINALITY wanted(id, place) ORDER BY place)sql";
        std::vector<std::optional<JsonText>> refs;
        for (const Row row : tx.query(select_refs, text_array(ids))) {
            const auto& text = row.optional_text("ref");
            refs.push_back(text ? std::optional<JsonText>{*text} : std::nullopt);
        }
        return refs;
    }

    [[nodiscard]] NewEvent note(const EntityId& id) const {
        return {.type = ProbeEvent::happened, .entity = ProbeEntity::note, .entity_id = id};
    }

    /// Ids in the table, in order, as text: `1,2,4`.
    std::string stored_ids() {
        return database.value(
            "SELECT coalesce(string_agg(id::text, ',' ORDER BY id), '') FROM radd.events");
    }
    std::string last(const std::string& column) {
        return database.value("SELECT " + column + " FROM radd.events ORDER BY id DESC LIMIT 1");
    }

    [[nodiscard]] std::unique_ptr<outbox::Tail> started_tail(outbox::TailOptions options = {}) {
        auto tail = std::make_unique<outbox::Tail>(database.options(), options, clock, log);
        tail->start();
        return tail;
    }
    [[nodiscard]] outbox::OutboxTransaction transaction(outbox::EmitPolicy policy = {}) {
        return outbox::OutboxTransaction{pool, catalog, policy, log, "test"};
    }

    TestDatabase database;
    SteadyClock clock;
    LogBook log;
    int ref_queries = 0;
    std::vector<EventTypeSpec> event_specs{
        {.type = ProbeEvent::happened, .label = "Happened"},
        {.type = ProbeEvent::changed, .label = "Changed", .has_changes = true},
    };
    std::vector<EntityRefSpec> entity_specs{
        {.entity_type = ProbeEntity::thing,
         .label = "Thing",
         .ref = [this](Transaction& tx, auto ids) { return thing_refs(tx, ids); }},
    };
    outbox::Catalog catalog;
    db::Pool pool{database.options(), 8};
    int commits_with_events = 0;
    outbox::OutboxDatabase db{pool, catalog, {}, log, "test", [this] { ++commits_with_events; }};
};

/// Reads a tail on from `cursor` and appends the ids it hands out.
inline void read_on(outbox::Tail& tail,
                    db::Session& session,
                    std::vector<std::int64_t>& ids,
                    std::size_t rows = 100) {
    const auto cursor = ids.empty() ? 0 : ids.back();
    for (const auto& event : tail.read(session, cursor, rows).events) ids.push_back(event->id);
}

inline std::string joined(const std::vector<std::int64_t>& ids) {
    std::string text;
    for (const auto id : ids) text.append(text.empty() ? "" : ",").append(std::to_string(id));
    return text;
}

}  // namespace radd::testing
