#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <host/db/errors.hpp>
#include <host/outbox/emitter.hpp>
#include <host/outbox/insert_rows.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/rehearsal.hpp>
#include <radd/scopes.hpp>

namespace radd::outbox {
namespace {

// For triggers and radd.emit(), which know nothing of this thread's scopes.
constexpr Sql set_marks = R"sql(
    SELECT set_config('radd.silent', $1, true), set_config('radd.automated', $2, true))sql";

/// The marks that column defaults see in this transaction.
struct Marks {
    bool silent = false;
    std::string cause{};

    friend bool operator==(const Marks&, const Marks&) = default;
};

Marks marks_of_thread() {
    return {.silent = Quiet::active(), .cause = Automated::cause().value_or("")};
}

/// A savepoint that was asked for; PostgreSQL hears of it with the first statement inside it.
struct Frame {
    bool is_event = false;
    std::size_t rows = 0;     ///< Buffered when it opened.
    std::size_t flushed = 0;  ///< Of them, written when it was set.
    Marks marks{};            ///< In force when it was set.
    bool is_set = false;
};

/// A statement without the white space and comments in front of it.
std::string_view without_preamble(std::string_view sql) {
    while (true) {
        sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n\f\v;"), sql.size()));
        const bool is_line = sql.starts_with("--");
        if (!is_line && !sql.starts_with("/*")) return sql;
        const auto end = is_line ? sql.find('\n') : sql.find("*/");
        sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + (is_line ? 1 : 2));
    }
}

/// The first word of a statement, in upper case.
std::string first_word(std::string_view sql) {
    std::string word;
    for (const char c : without_preamble(sql)) {
        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) break;
        word += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return word;
}

/// What ends the transaction is refused by the session; this is what would cut across our frames.
void refuse_savepoint_statements(std::string_view sql) {
    const std::string word = first_word(sql);
    if (word == "SAVEPOINT" || word == "RELEASE" || word == "ROLLBACK")
        throw InvalidInput{"sql", word + " is the host's business; use in_savepoint()"};
}

}  // namespace

struct OutboxTransaction::State {
    State(db::Pool& pool_to_use, Emitter emitter_to_use, std::string purpose_of_lease)
        : pool{pool_to_use}, emitter{emitter_to_use}, purpose{std::move(purpose_of_lease)} {}

    db::Session& session();
    db::Session& open_session();
    void before_statement();
    void place_savepoints();
    void write_loose(std::size_t upto);
    void write(std::size_t upto);
    void forget_written();
    void pop_to(std::size_t depth);
    void undo_frame();
    void commit_alone();
    void reset() noexcept;
    [[nodiscard]] std::string savepoint_name(const Frame& frame) const;

    db::Pool& pool;
    Emitter emitter;
    std::string purpose;

    std::optional<db::Lease> lease{};  ///< Held from the first statement to the end.
    std::vector<EventRow> rows{};      ///< In order of emit; the first `written` are in the table.
    std::size_t written = 0;
    std::size_t unwritten_bytes = 0;
    std::vector<Frame> frames{};
    Marks marks{};
    std::int64_t emitted = 0;
    std::size_t loose_events = 0;  ///< Units of work whose rows wait without a savepoint.
    std::string refusal{};         ///< Why PostgreSQL refused loose rows; the batch is lost.
    bool is_rehearsal = false;     ///< Events were dropped: it must not be committed.
    bool is_broken = false;        ///< A savepoint could not be rolled back.
    bool is_lost = false;          ///< A statement found no database, whoever noticed.
};

db::Session& OutboxTransaction::State::session() {
    try {
        return open_session();
    } catch (const Unavailable&) {
        is_lost = true;
        throw;
    }
}

db::Session& OutboxTransaction::State::open_session() {
    if (is_broken)
        throw Unavailable{"transaction: a savepoint could not be rolled back; it is abandoned"};
    if (!lease) {
        auto fresh = pool.lease(purpose);
        fresh->begin();
        lease.emplace(std::move(fresh));
    }
    return **lease;
}

std::string OutboxTransaction::State::savepoint_name(const Frame& frame) const {
    return "radd_" + std::to_string(&frame - frames.data());
}

void OutboxTransaction::State::place_savepoints() {
    for (Frame& frame : frames) {
        if (frame.is_set) continue;
        // Rows of earlier work go first: inside this savepoint they would share this work's fate,
        // and after it they would get higher ids than events that were emitted later.
        if (frame.is_event) write_loose(frame.rows);
        session().send_ahead("SAVEPOINT " + savepoint_name(frame));
        frame.flushed = written;
        frame.marks = marks;
        frame.is_set = true;
    }
}

void OutboxTransaction::State::before_statement() {
    session();
    place_savepoints();
    if (auto wanted = marks_of_thread(); wanted != marks) {
        session().query(set_marks, wanted.silent ? "on" : "off", wanted.cause);
        marks = std::move(wanted);
    }
}

/// Writes rows that stand outside every savepoint, where a refusal costs the whole transaction.
void OutboxTransaction::State::write_loose(std::size_t upto) {
    try {
        write(upto);
    } catch (const SqlError& error) {
        if (loose_events == 0) throw;
        refusal = error.what();
        throw;
    }
    loose_events = 0;
}

void OutboxTransaction::State::write(std::size_t upto) {
    if (written >= upto) return;
    const auto pending = std::span{rows}.subspan(written, upto - written);
    insert_rows(session(), pending);
    for (const EventRow& row : pending) unwritten_bytes -= size_of(row);
    written = upto;
    forget_written();
}

/// Frees what can never be written again. Rows from before an open savepoint may have to be: if
/// it set in before they were written, its rollback takes them along.
void OutboxTransaction::State::forget_written() {
    if (frames.empty() && written == rows.size()) {
        rows.clear();
        written = 0;
    }
}

/// Rolls back the innermost frame, rows and events.
void OutboxTransaction::State::undo_frame() {
    const Frame frame = frames.back();
    for (std::size_t i = std::max(written, frame.rows); i < rows.size(); ++i)
        unwritten_bytes -= size_of(rows[i]);
    emitted -= static_cast<std::int64_t>(rows.size() - frame.rows);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(frame.rows), rows.end());
    const std::string name = savepoint_name(frames.back());
    frames.pop_back();
    if (frame.is_set) {
        // Rows from before the savepoint that were written inside it are gone with it.
        for (std::size_t i = frame.flushed; i < std::min(written, rows.size()); ++i)
            unwritten_bytes += size_of(rows[i]);
        written = std::min(written, frame.flushed);
        marks = frame.marks;
        session().run_script("ROLLBACK TO SAVEPOINT " + name + "; RELEASE SAVEPOINT " + name);
    }
    forget_written();
}

void OutboxTransaction::State::pop_to(std::size_t depth) {
    while (frames.size() > depth) undo_frame();
}

/// The rows are all there is, and one INSERT is a transaction: one round trip instead of three.
void OutboxTransaction::State::commit_alone() {
    auto fresh = pool.lease(purpose);
    if (!fresh->usable())
        throw Unavailable{"database: the connection was lost before the events were sent"};
    try {
        insert_rows(*fresh, rows);
    } catch (const Unavailable& error) {
        throw CommitInDoubt{std::string{error.what()} + "; whether its events landed is unknown"};
    }
}

void OutboxTransaction::State::reset() noexcept {
    lease.reset();  // The pool rolls back what is still open.
    rows.clear();
    written = 0;
    unwritten_bytes = 0;
    frames.clear();
    marks = {};
    emitted = 0;
    loose_events = 0;
    refusal.clear();
    is_rehearsal = false;
    is_broken = false;
    is_lost = false;
}

OutboxTransaction::OutboxTransaction(
    db::Pool& pool, const Catalog& catalog, EmitPolicy policy, Log& log, std::string purpose)
    : state_{std::make_unique<State>(pool, Emitter{catalog, policy, log}, std::move(purpose))} {}

OutboxTransaction::~OutboxTransaction() = default;

void OutboxTransaction::begin_event() {
    if (!state_->frames.empty()) throw Error{"transaction: begin_event() inside an event's work"};
    state_->frames.push_back({.is_event = true, .rows = state_->rows.size()});
}

void OutboxTransaction::end_event() {
    auto& state = *state_;
    if (state.frames.size() != 1) throw Error{"transaction: end_event() does not match"};
    if (!state.refusal.empty())
        throw BufferedFlushFailed{"events of this batch were refused: " + state.refusal};
    Frame& frame = state.frames.back();
    if (!frame.is_set) {
        if (state.rows.size() > frame.rows) ++state.loose_events;
        state.frames.pop_back();
        return;
    }
    if (failed()) throw SqlError{"25P02", "an earlier error in this work had been swallowed"};
    state.write(state.rows.size());
    state.session().send_ahead("RELEASE SAVEPOINT " + state.savepoint_name(frame));
    state.frames.pop_back();
    state.forget_written();
}

void OutboxTransaction::undo_event() {
    auto& state = *state_;
    if (!state.refusal.empty())
        throw BufferedFlushFailed{"events of this batch were refused: " + state.refusal};
    state.pop_to(0);
    if (state.lease && !(*state.lease)->usable())
        throw Unavailable{"database: connection lost; the batch is abandoned"};
}

void OutboxTransaction::commit() {
    auto& state = *state_;
    const auto refused = [&state](const std::string& why) {
        const bool is_shared = state.loose_events > 1;
        state.reset();
        if (is_shared) throw BufferedFlushFailed{"events of this batch were refused: " + why};
    };
    if (!state.frames.empty()) throw Error{"transaction: commit() inside an event's work"};
    if (state.is_lost) {
        state.reset();
        throw Unavailable{"database: it was away for a statement; nothing is committed"};
    }
    if (state.is_rehearsal) {
        state.reset();
        throw Error{"transaction: it was a rehearsal; end it by an exception"};
    }
    if (!state.refusal.empty()) {
        const std::string why = state.refusal;
        state.reset();
        throw BufferedFlushFailed{"events of this batch were refused: " + why};
    }
    try {
        if (state.lease) {
            // A swallowed error is for commit() to report; here it would look like a bad event.
            if (!failed()) state.write(state.rows.size());
        } else if (!state.rows.empty() && rows_of_one_insert(state.rows) < state.rows.size()) {
            state.write(state.rows.size());
        } else if (!state.rows.empty()) {
            state.commit_alone();
        }
    } catch (const SqlError& error) {
        refused(error.what());
        throw;
    } catch (...) {
        state.reset();
        throw;
    }
    try {
        if (state.lease) (*state.lease)->commit();
    } catch (...) {
        state.reset();
        throw;
    }
    state.reset();
}

void OutboxTransaction::rollback() noexcept {
    if (state_->lease) (*state_->lease)->rollback();
    state_->reset();
}

Rows OutboxTransaction::host_query(Sql sql, std::span<const Param> params) {
    return state_->session().query(sql, params);
}

bool OutboxTransaction::touched_sql() const noexcept {
    return state_->lease.has_value() || !state_->rows.empty();
}
bool OutboxTransaction::failed() const noexcept {
    return state_->lease && (*state_->lease)->transaction_failed();
}
bool OutboxTransaction::lost() const noexcept {
    return state_->is_lost || (state_->lease && !(*state_->lease)->usable());
}
std::int64_t OutboxTransaction::events_emitted() const noexcept {
    return state_->emitted;
}

void OutboxTransaction::flush_events() {
    if (state_->written == state_->rows.size()) return;
    state_->session();
    state_->place_savepoints();
    state_->write(state_->rows.size());
}

void OutboxTransaction::do_emit(std::span<const NewEvent> events) {
    auto& state = *state_;
    auto prepared = state.emitter.prepare(*this, events);
    if (Rehearsal::active()) {
        state.is_rehearsal = true;
        return;
    }
    state.emitted += static_cast<std::int64_t>(prepared.size());
    for (EventRow& row : prepared) {
        state.unwritten_bytes += size_of(row);
        state.rows.push_back(std::move(row));
    }
    if (state.unwritten_bytes > buffer_bytes_max) flush_events();
}

Rows OutboxTransaction::do_query(Sql sql, std::span<const Param> params) {
    refuse_savepoint_statements(sql.text());
    state_->before_statement();
    return state_->session().query(sql, params);
}

void OutboxTransaction::do_savepoint() {
    auto& frames = state_->frames;
    const auto open = static_cast<std::size_t>(
        std::ranges::count_if(frames, [](const Frame& frame) { return !frame.is_event; }));
    if (open == savepoints_max) {
        throw InvalidInput{"savepoint",
                           "is nested deeper than " + std::to_string(savepoints_max) + " levels"};
    }
    frames.push_back({.is_event = false, .rows = state_->rows.size()});
}

void OutboxTransaction::do_release_savepoint() {
    auto& state = *state_;
    const Frame& frame = state.frames.back();
    if (frame.is_set) {
        if (failed()) throw SqlError{"25P02", "an earlier error in the savepoint was swallowed"};
        state.session().send_ahead("RELEASE SAVEPOINT " + state.savepoint_name(frame));
    }
    state.frames.pop_back();
    state.forget_written();
}

void OutboxTransaction::do_rollback_to_savepoint() noexcept {
    try {
        state_->undo_frame();
    } catch (...) {
        // The connection is gone, or PostgreSQL and we disagree: nothing may run after this.
        state_->is_broken = true;
    }
}

}  // namespace radd::outbox
