#pragma once

/// A host without a database: an outbox in memory, driving what a plugin's manifest declares.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/abi.hpp>
#include <radd/manifest.hpp>
#include <radd/testing/cascades.hpp>
#include <radd/testing/commands.hpp>
#include <radd/testing/events.hpp>
#include <radd/testing/routes.hpp>
#include <radd/testing/services.hpp>
#include <radd/testing/streams.hpp>

namespace radd::testing {

/// The manifest of the plugin whose objects this executable links: in CMake,
/// `$<TARGET_OBJECTS:csat>` among the sources of the test. One plugin per executable, because
/// each defines the same entry.
[[nodiscard]] inline Manifest linked_manifest() {
    Manifest manifest{};
    radd_error error{};
    if (radd_plugin_entry_v1()->manifest(&manifest, &error) != 0)
        throw ConfigError{std::string{"manifest: "} + error.text};
    return manifest;
}

/// Runs one plugin as the host would, on the caller's thread and only when told.
///
/// What it keeps of the host's promises:
///   - a consumer met for the first time starts where its shape says: a head-seeded one at the
///     head, with nothing offered of what was there before; a projection at the beginning, where a
///     bootstrapping one is told that it is backlog;
///   - events are offered in order of id, each in a savepoint; silent events and types that are
///     not listened to are passed, and the cursor moves over them;
///   - plans are delivered after the commit, never before, and each at most once;
///   - a throw while planning undoes that event's work alone, is kept in skipped(), and the cursor
///     passes; Contention is tried 3 times more first; Unavailable abandons the batch, the cursor
///     stays, and nothing of it is delivered;
///   - an SqlError that the plugin swallowed counts as a throw;
///   - a throw while delivering is kept in lost(), and the other plans are delivered;
///   - a relay is handed each event, alone, before the cursor passes it;
///   - cascades are swept by the consumer `events.cascade.<plugin>`, see FixtureCascades;
///   - what a committed transaction emitted is appended to the stream, and consumers meet it.
///
/// What it leaves out: refs in payloads, payload schemas, leases, deadlines and the quarantine.
/// SQL is answered by the script in tx(). One thread.
class FixtureHost {
public:
    /// An event that a consumer failed to plan.
    struct Skipped {
        std::string consumer;
        std::int64_t event_id;
        std::string error;
    };
    /// A plan that was committed and then failed to be delivered.
    using Lost = Skipped;

    enum class Step : std::uint8_t {
        idle,       ///< At the head: there was nothing to read.
        committed,  ///< A batch was planned, the cursor has moved, its plans were delivered.
        abandoned,  ///< Unavailable: nothing of the batch happened; the next step reads it again.
    };

    /// Where a process dies.
    enum class Death : std::uint8_t { before_commit, before_delivery };

    static constexpr int contention_retries_max = 3;

    explicit FixtureHost(Manifest manifest) : manifest_{std::move(manifest)} {
        if (!manifest_.cascades.empty())
            manifest_.consumers.push_back(FixtureCascades::spec(manifest_));
        services_.values = FakeSettings{manifest_.settings};
        for (const auto& spec : manifest_.services) services_.offer(spec);
        services_.kinds = manifest_.notification_kinds;
        services_.storage.on_commit = [this](const std::vector<NewEvent>& events) {
            for (const auto& event : events) append(stored(event, 0));
        };
    }
    FixtureHost(const FixtureHost&) = delete;
    FixtureHost& operator=(const FixtureHost&) = delete;

    /// Settings, clock and the services of other plugins: to be arranged before start().
    [[nodiscard]] FakeServices& services() noexcept { return services_; }
    /// The script that answers every statement, of consumers, tasks and commands alike.
    [[nodiscard]] FakeTransaction& tx() noexcept { return services_.storage.tx(); }
    [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }

    /// Appends `event` to the stream, as a transaction of somebody else would, under the next id,
    /// which it returns. Times that were not given are now.
    std::int64_t append(Event event) {
        event.id = ++last_id_;
        if (event.occurred_at == Timestamp{}) event.occurred_at = services_.time.now();
        if (event.recorded_at == Timestamp{}) event.recorded_at = services_.time.now();
        stream_.push_back(event);
        services_.history.rows.push_back(event);
        return event.id;
    }
    /// Uses up an id without a row, as a transaction does that emits and rolls back.
    void append_hole() noexcept { ++last_id_; }

    [[nodiscard]] const std::deque<Event>& stream() const noexcept { return stream_; }
    /// Id of the last row; 0 if there is none.
    [[nodiscard]] std::int64_t head() const noexcept {
        return stream_.empty() ? 0 : stream_.back().id;
    }

    /// Starts the plugin: on_startup, then its consumers and tasks. Offers nothing yet.
    void start() {
        if (manifest_.on_startup) manifest_.on_startup(services_);
        for (const auto& spec : manifest_.consumers) {
            auto consumer = spec.make(services_);
            const bool from_head = consumer->traits().first_start == FirstStart::head;
            cursors_.try_emplace(spec.name, from_head ? head() : 0);
            backlogs_.try_emplace(spec.name, head());
            consumers_.insert_or_assign(spec.name, Running{&spec, std::move(consumer)});
        }
        for (const auto& spec : manifest_.periodic_tasks)
            tasks_.insert_or_assign(spec.name, spec.make(services_));
        listeners_.start(manifest_, services_, head());
    }

    /// Stops the plugin in order: consumers and tasks first, then on_shutdown.
    void stop() {
        listeners_.stop();
        consumers_.clear();
        tasks_.clear();
        if (manifest_.on_shutdown) manifest_.on_shutdown(services_);
    }

    /// One batch of one consumer. @throws std::out_of_range if there is none of that name.
    Step step(std::string_view consumer) {
        Running& running = find(consumer);
        const Step planned = plan_batch(running);
        if (planned == Step::committed) deliver(running);
        return planned;
    }

    /// Steps every consumer until each is at the head or its batch was abandoned.
    void run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (const auto& spec : manifest_.consumers)
                moved = step(spec.name) == Step::committed || moved;
        }
    }

    /// Begins a batch, dies at that point of it as if by SIGKILL, and starts again: what was
    /// committed stays, and everything in memory is gone.
    void die(std::string_view consumer, Death at) {
        Running& running = find(consumer);
        if (at == Death::before_delivery) {
            (void)plan_batch(running);
        } else {
            for (const Event* event : next_batch(running)) plan_event(running, *event);
            roll_back();
        }
        consumers_.clear();
        tasks_.clear();
        start();
    }

    /// Plans a skipped or a lost event again, outside the cursor, and delivers its plan: `radd
    /// consumers retry`. True if it was planned, and its record is gone, though a delivery that
    /// throws makes one in lost(); else the record has the new error.
    /// @throws Unavailable, with the record as it was.
    bool retry(std::string_view consumer, std::int64_t event_id) {
        Running& running = find(consumer);
        const auto is_wanted = [&](const Skipped& skipped) {
            return skipped.consumer == consumer && skipped.event_id == event_id;
        };
        const bool was_lost = std::ranges::none_of(skipped_, is_wanted);
        auto& records = was_lost ? lost_ : skipped_;
        const auto record = std::ranges::find_if(records, is_wanted);
        const auto event = std::ranges::find(stream_, event_id, &Event::id);
        if (record == records.end() || event == stream_.end())
            throw std::out_of_range{"no skipped or lost event " + std::to_string(event_id)};

        const auto position = record - records.begin();
        try {
            const bool worked = plan_event(running, *event);
            records.erase(records.begin() + position);
            if (!worked && was_lost) {
                lost_.push_back(std::move(skipped_.back()));
                skipped_.pop_back();
            }
            commit();
            deliver(running);
            return worked;
        } catch (const Unavailable&) {
            roll_back();
            running.consumer->forget();
            throw;
        }
    }

    /// Offers tail subscribers what they have not heard; or passes it as too much for them.
    void listen() { listeners_.listen(stream_); }
    void overflow() { listeners_.overflow(head()); }

    /// Opens a stream as a client does; see open_stream().
    [[nodiscard]] FakeStream open(std::string_view target,
                                  std::optional<Principal> principal = std::nullopt,
                                  std::vector<HttpField> headers = {}) {
        return open_stream(manifest_, services_, target, std::move(principal), std::move(headers));
    }

    [[nodiscard]] std::int64_t cursor(std::string_view consumer) const {
        return cursors_.at(std::string{consumer});
    }
    /// How many events lie between the cursor and the head.
    [[nodiscard]] std::int64_t lag(std::string_view consumer) const {
        return std::ranges::count_if(
            stream_, [at = cursor(consumer)](const Event& event) { return event.id > at; });
    }
    [[nodiscard]] const std::vector<Skipped>& skipped() const noexcept { return skipped_; }
    [[nodiscard]] const std::vector<Lost>& lost() const noexcept { return lost_; }

    /// One tick of a periodic task, if it is enabled: what it returned, or false.
    bool tick(std::string_view task) {
        PeriodicTask& found = *tasks_.at(std::string{task});
        return found.enabled() && found.tick();
    }

    /// Answers a request as the server would; see RouteCaller, also for what it leaves out.
    HttpResponse call(HttpMethod method,
                      std::string_view target,
                      std::string body = {},
                      std::optional<Principal> principal = std::nullopt,
                      std::vector<HttpField> headers = {}) {
        return RouteCaller{manifest_.routes, services_}.call(
            method, target, std::move(body), std::move(principal), std::move(headers));
    }

    /// Runs a command as `radd WORDS ARGUMENTS…` would; see run_command().
    CommandResult command(std::string_view words,
                          const std::vector<std::string>& arguments = {},
                          bool as_json = false) {
        return run_command(manifest_, services_, words, arguments, as_json);
    }

private:
    struct Running {
        const ConsumerSpec* spec;
        std::unique_ptr<Consumer> consumer;
    };

    Running& find(std::string_view name) { return consumers_.at(std::string{name}); }

    [[nodiscard]] std::vector<const Event*> next_batch(const Running& running) const {
        const auto size = running.consumer->traits().transaction_per_event
                              ? std::size_t{1}
                              : static_cast<std::size_t>(running.spec->batch);
        std::vector<const Event*> batch;
        for (const Event& event : stream_) {
            if (event.id > cursor(running.spec->name) && batch.size() < size)
                batch.push_back(&event);
        }
        return batch;
    }

    [[nodiscard]] static bool is_offered(const Running& running, const Event& event) {
        if (event.silent && !running.consumer->traits().sees_silent) return false;
        const auto& types = running.spec->listens_to;
        return types.empty() ||
               std::ranges::any_of(types, [&](EventType type) { return event.is(type); });
    }

    Step plan_batch(Running& running) {
        const auto batch = next_batch(running);
        if (batch.empty()) return Step::idle;
        try {
            for (const Event* event : batch) plan_event(running, *event);
        } catch (const Unavailable&) {
            roll_back();
            running.consumer->forget();
            return Step::abandoned;
        }
        cursors_.at(running.spec->name) = batch.back()->id;
        commit();
        return Step::committed;
    }

    void commit() {
        skipped_uncommitted_ = 0;
        services_.storage.commit();
    }

    void roll_back() {
        skipped_.resize(skipped_.size() - std::exchange(skipped_uncommitted_, 0));
        services_.storage.roll_back();
    }

    /// True unless the event was skipped. @throws Unavailable, UnscriptedStatement.
    bool plan_event(Running& running, const Event& event) {
        if (!is_offered(running, event)) return true;
        for (int retries_left = contention_retries_max;; --retries_left) {
            try {
                offer(running, event);
                return true;
            } catch (const Unavailable&) {
                throw;
            } catch (const UnscriptedStatement&) {
                throw;
            } catch (const Contention& error) {
                if (retries_left > 0) continue;
                return skip(running, event, error.what());
            } catch (const std::exception& error) {
                return skip(running, event, error.what());
            } catch (...) {
                return skip(running, event, "an exception that is no std::exception");
            }
        }
    }

    /// Keeps what the event's work planned, or drops it and throws.
    void offer(Running& running, const Event& event) {
        try {
            tx().in_savepoint([&] {
                const bool is_backlog = running.consumer->traits().bootstraps &&
                                        event.id <= backlogs_.at(running.spec->name);
                is_backlog ? running.consumer->offer_backlog(tx(), event)
                           : running.consumer->offer(tx(), event);
                if (tx().failed()) throw SqlError{"25P02", "the plugin swallowed an SQL error"};
            });
        } catch (...) {
            running.consumer->drop();
            throw;
        }
        running.consumer->keep();
        try {
            running.consumer->hand_over();
        } catch (...) {
            running.consumer->forget();
            throw;
        }
    }

    bool skip(const Running& running, const Event& event, std::string error) {
        skipped_.push_back({running.spec->name, event.id, std::move(error)});
        ++skipped_uncommitted_;
        return false;
    }

    void deliver(Running& running) {
        while (const auto event_id = running.consumer->next_delivery()) {
            try {
                running.consumer->deliver_next();
            } catch (const std::exception& error) {
                lost_.push_back({running.spec->name, *event_id, error.what()});
            } catch (...) {
                lost_.push_back({running.spec->name, *event_id, "no std::exception"});
            }
        }
    }

    Manifest manifest_;
    FakeServices services_;
    std::deque<Event> stream_;  // References stay good while a commit appends.
    std::int64_t last_id_ = 0;
    std::map<std::string, std::int64_t> cursors_;
    std::map<std::string, std::int64_t> backlogs_;  // Where each had its first start.
    std::map<std::string, Running> consumers_;
    std::map<std::string, std::unique_ptr<PeriodicTask>> tasks_;
    FakeListeners listeners_;
    std::vector<Skipped> skipped_;
    std::size_t skipped_uncommitted_ = 0;  // The last records, as long as their batch is open.
    std::vector<Lost> lost_;
};

}  // namespace radd::testing
