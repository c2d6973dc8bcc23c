#include <utility>

#include <host/consumers/cascade.hpp>
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

}  // namespace

CascadeConsumer::CascadeConsumer(std::vector<Cascade> cascades, Log& log)
    : cascades_{std::move(cascades)}, log_{log} {}

void CascadeConsumer::offer(Transaction& tx, const Event& event) {
    staged_.reset();
    Swept swept{event.id, event.type, event.entity_id};
    const Quiet quiet{event.silent};
    for (const Cascade& cascade : cascades_) {
        if (!event.is(cascade.spec->parent_event)) continue;
        if (auto error = sweep(tx, cascade, swept.parent_id))
            swept.failed.push_back({&cascade, *std::move(error)});
        else
            swept.done.push_back(&cascade);
    }
    if (!swept.failed.empty()) {
        const Cascade& first = *swept.failed.front().cascade;
        tx.execute(sql::record_skipped,
                   cascade_consumer,
                   event.id,
                   to_text(SkipPhase::sweep),
                   joined(swept.failed),
                   first.plugin,
                   first.plugin_version);
    }
    if (!swept.failed.empty() || !swept.done.empty()) staged_ = std::move(swept);
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
    log_failed(swept);
    std::vector<Failed> failed;
    for (const Cascade* cascade : swept.done) {
        try {
            if (cascade->spec->after_commit) cascade->spec->after_commit(swept.parent_id);
        } catch (...) {
            failed.push_back({cascade, describe_current_exception()});
        }
    }
    if (!failed.empty()) throw Error{"after_commit of " + joined(failed)};
}

void CascadeConsumer::log_failed(const Swept& swept) {
    for (const auto& [cascade, error] : swept.failed) {
        log_.error("cascade " + cascade->spec->name + " of plugin " + cascade->plugin + " " +
                   cascade->plugin_version + ": " + single_line(swept.event_type, 200) + " " +
                   single_line(swept.parent_id, 200) + ": " + single_line(error, logged_bytes_max) +
                   "; undone alone, `radd consumers retry " + std::string{cascade_consumer} +
                   " --event " + std::to_string(swept.event_id) + "` sweeps again");
    }
}

}  // namespace radd::consumers
