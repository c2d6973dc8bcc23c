#include "clock.hpp"

#include <algorithm>

namespace sla {
namespace {

bool pauses(const State& state, const std::vector<std::string>& pause_states) {
    return std::ranges::find(pause_states, state.name) != pause_states.end();
}

void enter(Life& life, radd::Timestamp at, const State& state, bool is_pause) {
    if (!life.counted.empty() && !life.counted.back().end) life.counted.back().end = at;
    life.paused = is_pause && !state.done;
    if (state.done) life.done_at = at;
    if (!state.done && !is_pause) life.counted.push_back({.begin = at});
}

/// When `work` has been worked in the stretches of `life`.
std::optional<radd::Timestamp> reached(const Life& life,
                                       const Calendar& calendar,
                                       std::chrono::microseconds work) {
    for (const auto& stretch : life.counted) {
        const bool is_last = &stretch == &life.counted.back();
        // Done from a pause: nothing ran then, and nothing would have run on.
        const bool goes_on = !stretch.end || (is_last && life.done_at == stretch.end);
        if (goes_on) return calendar.after(stretch.begin, work);
        const auto worked = calendar.worked(stretch.begin, *stretch.end);
        if (worked >= work) return calendar.after(stretch.begin, work);
        work -= worked;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Life> last_life(const History& history,
                              const std::vector<std::string>& pause_states) {
    const State first = history.changes.empty() ? history.now : history.changes.front().from;
    std::optional<Life> life;
    const auto begin = [&](std::int64_t id, radd::Timestamp at, const State& state) {
        life = Life{.id = id, .began_at = at};
        enter(*life, at, state, pauses(state, pause_states));
    };
    if (!first.done) begin(0, history.created_at, first);
    for (const StateChange& change : history.changes) {
        // Imported histories may begin before the item does.
        const auto at = std::max(change.at, history.created_at);
        const bool is_over = !life || life->done_at;
        if (is_over && change.to.done) continue;
        if (is_over)
            begin(change.event_id, at, change.to);
        else
            enter(*life, at, change.to, pauses(change.to, pause_states));
    }
    return life;
}

Clock clock_of(const Life& life,
               const Promise& promise,
               const Calendar& calendar,
               std::optional<radd::Timestamp> met_at) {
    Clock clock{.due_at = reached(life, calendar, promise.within), .met_at = met_at};
    if (promise.due_soon)
        clock.due_soon_at = reached(life, calendar, promise.within - *promise.due_soon);
    if (!life.paused || clock.due_at || met_at) return clock;
    std::chrono::microseconds worked{};
    for (const auto& stretch : life.counted) worked += calendar.worked(stretch.begin, *stretch.end);
    clock.remaining = std::chrono::floor<std::chrono::milliseconds>(promise.within - worked);
    return clock;
}

}  // namespace sla
