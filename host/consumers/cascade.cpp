#include <set>
#include <utility>

#include <host/consumers/cascade.hpp>
#include <host/consumers/cascade_sql.hpp>
#include <host/consumers/cursors.hpp>
#include <host/consumers/failure.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/sql.hpp>
#include <radd/scopes.hpp>

namespace radd::consumers {
namespace {

/// Of one sweep in a line of the log; the record has room for several.
constexpr std::size_t logged_bytes_max = 2000;

/// What the sweep failed with, undone. @throws Unavailable.
std::optional<std::string> sweep(Transaction& tx, const Cascade& cascade, std::string_view parent) {
    for (int again = ConsumerRunner::contention_retries;; --again) {
        try {
            tx.in_savepoint([&] { cascade.spec->sweep(tx, parent); });
            return std::nullopt;
        } catch (const Unavailable&) {
            throw;
        } catch (const Contention&) {
            if (again == 0) return describe_current_exception();
        } catch (...) {
            return describe_current_exception();
        }
    }
}

template <typename List>
std::string joined(const List& failed) {
    std::string text;
    for (const auto& one : failed)
        text += (text.empty() ? "" : "; ") + one.cascade->spec->name + ": " + one.error;
    return single_line(text);
}

void log_failed(const Swept& swept, Log& log) {
    for (const auto& [cascade, error] : swept.failed) {
        log.error("cascade " + cascade->spec->name + " of plugin " + cascade->plugin + " " +
                  cascade->plugin_version + ": " + single_line(swept.event_type, 200) + " " +
                  single_line(swept.parent_id, 200) + ": " + single_line(error, logged_bytes_max) +
                  "; undone alone, `radd consumers retry " + std::string{cascade_consumer} +
                  " --event " + std::to_string(swept.event_id) + "` sweeps again");
    }
}

}  // namespace

Swept sweep_all(Transaction& tx, const std::vector<Cascade>& cascades, Swept event) {
    const Quiet quiet{event.is_silent};
    for (const Cascade& cascade : cascades) {
        if (cascade.spec->parent_event.name() != event.event_type) continue;
        if (auto error = sweep(tx, cascade, event.parent_id))
            event.failed.push_back({&cascade, *std::move(error)});
        else
            event.done.push_back(&cascade);
    }
    if (!event.failed.empty()) {
        const Cascade& first = *event.failed.front().cascade;
        tx.execute(sql::record_skipped,
                   cascade_consumer,
                   event.event_id,
                   to_text(SkipPhase::sweep),
                   joined(event.failed),
                   first.plugin,
                   first.plugin_version);
    }
    return event;
}

void finish_swept(const Swept& swept, Log& log) {
    log_failed(swept, log);
    std::vector<Swept::Failed> failed;
    for (const Cascade* cascade : swept.done) {
        try {
            if (cascade->spec->after_commit) cascade->spec->after_commit(swept.parent_id);
        } catch (...) {
            failed.push_back({cascade, describe_current_exception()});
        }
    }
    if (!failed.empty()) throw Error{"after_commit of " + joined(failed)};
}

std::string parents_of(const std::vector<Cascade>& cascades, std::string_view plugin) {
    std::vector<std::string> names;
    for (const Cascade& cascade : cascades) {
        if (cascade.plugin == plugin) names.emplace_back(cascade.spec->parent_event.name());
    }
    return text_array(names);
}

CascadeConsumer::CascadeConsumer(std::vector<Cascade> cascades, Log& log)
    : cascades_{std::move(cascades)}, log_{log} {}

void CascadeConsumer::offer(Transaction& tx, const Event& event) {
    staged_.reset();
    follow(tx, event);
    Swept swept = sweep_all(tx,
                            cascades_,
                            {.event_id = event.id,
                             .event_type = event.type,
                             .parent_id = event.entity_id,
                             .is_silent = event.silent});
    if (!swept.is_empty()) staged_ = std::move(swept);
}

/// Before the sweeps, so that who makes good for a plugin what it has missed is waited for with
/// none of its rows in hand.
void CascadeConsumer::follow(Transaction& tx, const Event& event) {
    std::set<std::string_view> plugins;
    for (const Cascade& cascade : cascades_) {
        if (!event.is(cascade.spec->parent_event)) continue;
        if (!plugins.insert(cascade.plugin).second) continue;
        tx.execute(sql::follow_cascade_position,
                   cascade.plugin,
                   event.id,
                   parents_of(cascades_, cascade.plugin));
    }
}

void CascadeConsumer::keep() noexcept {
    if (staged_) swept_.push_back(*std::move(staged_));
    staged_.reset();
}

void CascadeConsumer::forget() noexcept {
    staged_.reset();
    swept_.clear();
}

std::optional<std::int64_t> CascadeConsumer::next_delivery() const noexcept {
    return swept_.empty() ? std::nullopt : std::optional{swept_.front().event_id};
}

void CascadeConsumer::deliver_next() {
    const Swept swept = std::move(swept_.front());
    swept_.pop_front();
    finish_swept(swept, log_);
}

}  // namespace radd::consumers
