#include <set>
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
std::optional<std::string> sweep(Transaction& tx,
                                 const CascadeSpec& cascade,
                                 std::string_view parent) {
    for (int again = ConsumerRunner::contention_retries;; --again) {
        try {
            tx.in_savepoint([&] { cascade.sweep(tx, parent); });
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
        text += (text.empty() ? "" : "; ") + one.cascade->name + ": " + one.error;
    return single_line(text);
}

}  // namespace

std::string cascade_consumer(std::string_view plugin) {
    return std::string{cascades_before} + '.' + std::string{plugin};
}

CascadeConsumer::CascadeConsumer(std::string plugin,
                                 std::string plugin_version,
                                 std::span<const CascadeSpec> cascades,
                                 Log& log)
    : name_{cascade_consumer(plugin)},
      plugin_{std::move(plugin)},
      plugin_version_{std::move(plugin_version)},
      cascades_{cascades},
      log_{log} {}

std::vector<EventType> CascadeConsumer::listens_to() const {
    std::set<std::string_view> seen;
    std::vector<EventType> types;
    for (const CascadeSpec& cascade : cascades_) {
        if (seen.insert(cascade.parent_event.name()).second) types.push_back(cascade.parent_event);
    }
    return types;
}

void CascadeConsumer::offer(Transaction& tx, const Event& event) {
    staged_.reset();
    Swept swept{event.id, event.type, event.entity_id};
    const Quiet quiet{event.silent};
    for (const CascadeSpec& cascade : cascades_) {
        if (!event.is(cascade.parent_event)) continue;
        if (auto error = sweep(tx, cascade, swept.parent_id))
            swept.failed.push_back({&cascade, *std::move(error)});
        else
            swept.done.push_back(&cascade);
    }
    if (!swept.failed.empty()) {
        tx.execute(sql::record_skipped,
                   name_,
                   event.id,
                   to_text(SkipPhase::sweep),
                   joined(swept.failed),
                   plugin_,
                   plugin_version_);
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
    for (const CascadeSpec* cascade : swept.done) {
        try {
            if (cascade->after_commit) cascade->after_commit(swept.parent_id);
        } catch (...) {
            failed.push_back({cascade, describe_current_exception()});
        }
    }
    if (!failed.empty()) throw Error{"after_commit of " + joined(failed)};
}

void CascadeConsumer::log_failed(const Swept& swept) {
    for (const auto& [cascade, error] : swept.failed) {
        log_.error("cascade " + cascade->name + " of plugin " + plugin_ + " " + plugin_version_ +
                   ": " + single_line(swept.event_type, 200) + " " +
                   single_line(swept.parent_id, 200) + ": " + single_line(error, logged_bytes_max) +
                   "; undone alone, `radd consumers retry " + name_ + " --event " +
                   std::to_string(swept.event_id) + "` sweeps again");
    }
}

}  // namespace radd::consumers
