// SOCI opens, owns and closes the connection, and begins and rolls back its transactions. The
// statements in between run on its PGconn with libpq, because SOCI 4.0.3 loses what we promise:
// its dynamic rows drop microseconds and time zones, its strings end at a NUL byte without a
// word, the text of its errors repeats the bound values, and its commit of a transaction that
// has failed returns as if it had landed.

#include <charconv>
#include <utility>

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include <fcntl.h>
#include <host/db/connect_string.hpp>
#include <host/db/errors.hpp>
#include <host/db/failpoint.hpp>
#include <host/db/session.hpp>
#include <host/db/session_state.hpp>
#include <host/db/statement_text.hpp>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

namespace radd::db {
namespace {

soci::session open(const ConnectOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    try {
        return soci::session{soci::postgresql, connect_string(options)};
    } catch (const soci::soci_error& error) {
        raise_connect_failure(
            options, error.get_error_message(), std::chrono::steady_clock::now() - started);
    }
}

}  // namespace

Session::State::State(const ConnectOptions& options)
    : soci{open(options)},
      // SOCI hides its typeinfo, so a dynamic_cast does not link.
      connection{static_cast<soci::postgresql_session_backend*>(soci.get_backend())->conn_},
      end{fcntl(PQsocket(connection), F_DUPFD_CLOEXEC, 0)},
      canceller{PQgetCancel(connection), &PQfreeCancel},
      on_notice{options.on_notice},
      may_prepare{options.prepared_statements} {
    const auto notice = [](void* self, const PGresult* result) {
        static_cast<State*>(self)->hear(result);
    };
    PQsetNoticeReceiver(connection, notice, this);
    if (may_prepare) return;

    after_begin =
        "SET LOCAL statement_timeout = " + std::to_string(options.statement_timeout.count()) +
        "; SET LOCAL idle_in_transaction_session_timeout = " +
        std::to_string(options.idle_in_transaction_timeout.count()) +
        "; SET LOCAL lock_timeout = 0; SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
    // Poolers keep track of these two for each of their clients.
    run_script("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'");
}

/// A message that answers nothing. The server's reason for leaving is one, when nothing ran.
void Session::State::hear(const PGresult* result) {
    const std::string severity = error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity == "FATAL" || severity == "PANIC") is_leaving = true;
    if (on_notice) on_notice(PQresultErrorMessage(result));
}

void Session::State::require_usable() const {
    if (dead)
        throw Unavailable{"database: this connection was lost before; the work on it is abandoned"};
}

void Session::State::refuse_control(std::string_view sql) {
    if (!controls_session(sql)) return;
    throw InvalidInput{"sql",
                       std::string{first_line(sql)} +
                           " would change the transaction or the session behind the host's "
                           "back; leave both to the host, or use SET LOCAL or a savepoint"};
}

/// Costs a system call and no round trip.
bool Session::State::was_closed_by_server() const {
    // The server says why before it closes, so the end is not the first thing to be read.
    constexpr int reads_max = 8;
    for (int read = 0; read < reads_max; ++read) {
        pollfd readable{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
        if (poll(&readable, 1, 0) != 1) return is_leaving;
        if (PQconsumeInput(connection) != 1) return true;
        PQisBusy(connection);  // Makes libpq look at what it has read, and hear() gets it.
        if (is_leaving) return true;
    }
    return is_leaving;
}

void Session::State::die(const std::string& why) {
    dead = true;
    in_transaction = false;
    throw Unavailable{"database: connection lost: " + why + "; the work on it is abandoned"};
}

void Session::State::fail(const PGresult* result, const std::string& message) {
    const std::string sqlstate = error_field(result, PG_DIAG_SQLSTATE);
    if (PQstatus(connection) == CONNECTION_BAD || sqlstate.empty())
        die(message.empty() ? std::string{first_line(PQerrorMessage(connection))} : message);
    if (means_unavailable(sqlstate)) {
        dead = true;
        in_transaction = false;
    }
    raise_sql_error(sqlstate, message);
}

void Session::State::check(const PGresult* result, const BoundParams& bound) {
    if (is_success(result)) return;
    if (is_copy(result)) die("COPY was sent as a query, and the stream is out of step");
    const std::string message = error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    const bool quotes_input = error_field(result, PG_DIAG_SQLSTATE).starts_with("22");
    fail(result, quotes_input ? bound.without_values(message) : message);
}

Rows Session::State::run(std::string_view sql, std::span<const Param> params, bool keep_prepared) {
    require_usable();
    refuse_control(sql);
    const BoundParams bound{params};
    if (!in_transaction) discard_dropped();

    Result result = send(sql, bound, keep_prepared && may_prepare);
    if (is_stale_plan(result.get())) {
        statements.forget(sql);
        if (in_transaction)
            throw Contention{error_field(result.get(), PG_DIAG_SQLSTATE),
                             "a change of the schema made a prepared statement stale"};
        result = send(sql, bound, false);
    }
    check(result.get(), bound);
    return to_rows(result.get());
}

Result Session::State::send(std::string_view sql, const BoundParams& bound, bool keep_prepared) {
    StatementCache::Entry* entry = keep_prepared ? &statements.use(sql) : nullptr;
    constexpr int as_text = 0;
    const bool is_known = entry && entry->seen;
    if (is_known && !entry->prepared) prepare(*entry);
    if (!ahead.empty()) return send_behind(sql, bound, is_known ? entry : nullptr);
    if (!is_known) {
        ++sent;
        return own(PQexecParams(connection,
                                std::string{sql}.c_str(),
                                bound.size(),
                                nullptr,
                                bound.data(),
                                nullptr,
                                nullptr,
                                as_text));
    }
    ++sent;
    return own(PQexecPrepared(
        connection, entry->name.c_str(), bound.size(), bound.data(), nullptr, nullptr, as_text));
}

void Session::State::prepare(StatementCache::Entry& entry) {
    // If it is refused, then inside the savepoint that waits.
    if (!ahead.empty()) run_script("");
    ++sent;
    const Result result =
        own(PQprepare(connection, entry.name.c_str(), entry.sql.c_str(), 0, nullptr));
    check(result.get(), BoundParams{{}});
    entry.prepared = true;
}

void Session::State::discard_dropped() {
    if (!statements.has_dropped()) return;
    for (const std::string& name : statements.take_dropped()) {
        ++sent;
        // It may be gone already, which is as good; a lost connection shows in what follows.
        const Result ignored = own(PQexec(connection, ("DEALLOCATE " + name).c_str()));
    }
}

/// After DDL a plan is refused for good, under a code that also means other things; and somebody
/// may have run DEALLOCATE ALL.
bool Session::State::is_stale_plan(const PGresult* result) const {
    const std::string sqlstate = error_field(result, PG_DIAG_SQLSTATE);
    return sqlstate == "26000" ||
           (sqlstate == "0A000" &&
            error_field(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery");
}

void Session::State::run_script(const std::string& text) {
    require_usable();
    const std::string script = take_ahead() + text;
    ++sent;
    Result failed = own(nullptr);
    if (PQsendQuery(connection, script.c_str()) != 1)
        die(std::string{first_line(PQerrorMessage(connection))});
    const std::string message = finish_script(script, failed);
    if (failed) fail(failed.get(), message);
    if (PQstatus(connection) == CONNECTION_BAD)
        die(std::string{first_line(PQerrorMessage(connection))});
}

/// Reads all results, keeps the one that failed, and returns what to say about it.
std::string Session::State::finish_script(const std::string& script, Result& failed) {
    std::size_t statement = 0;
    std::string message;
    while (Result result = own(PQgetResult(connection))) {
        if (is_copy(result.get())) die("a script used COPY, which needs a client that feeds it");
        if (is_success(result.get())) {
            ++statement;
            continue;
        }
        if (failed) continue;
        const std::string position = error_field(result.get(), PG_DIAG_STATEMENT_POSITION);
        std::size_t character = 0;
        std::from_chars(position.data(), position.data() + position.size(), character);
        const int line =
            character > 0 ? line_at(script, character) : statement_line(script, statement);
        message = "line " + std::to_string(line) + ": " +
                  error_field(result.get(), PG_DIAG_MESSAGE_PRIMARY);
        failed = std::move(result);
    }
    return message;
}

void Session::State::begin() {
    require_usable();
    if (in_transaction) throw Error{"database: begin() inside a transaction; use a savepoint"};
    discard_dropped();
    ++sent;
    try {
        soci.begin();
    } catch (const soci::soci_error&) {
        die(std::string{first_line(PQerrorMessage(connection))});
    }
    in_transaction = true;
    if (!after_begin.empty()) run_script(after_begin);
}

/// As PQexec(), with a place between question and answer.
PGresult* Session::State::send_commit() {
    if (PQsendQuery(connection, "COMMIT") != 1) return nullptr;
    RADD_FAILPOINT("db.commit_sent", "");
    PGresult* last = nullptr;
    while (PGresult* next = PQgetResult(connection)) {
        PQclear(std::exchange(last, next));
    }
    return last;
}

void Session::State::commit() {
    require_usable();
    if (!in_transaction) throw Error{"database: commit() without begin()"};
    if (PQtransactionStatus(connection) == PQTRANS_INERROR) {
        rollback();
        throw CommitFailed{
            "database: nothing was committed, because an earlier error in the transaction had "
            "been swallowed"};
    }
    // What was closed before COMMIT left us is no doubt, and saves the caller from finding out.
    if (was_closed_by_server()) die("the server had closed it before COMMIT was sent");

    ++sent;
    in_transaction = false;
    ahead.clear();
    RADD_FAILPOINT("db.committing", "");
    const Result result = own(send_commit());
    const std::string sqlstate = error_field(result.get(), PG_DIAG_SQLSTATE);
    if (PQstatus(connection) == CONNECTION_BAD || sqlstate.starts_with("57P")) {
        dead = true;
        throw CommitInDoubt{
            "database: connection lost during COMMIT: whether it landed is unknown; read a row it "
            "wrote before doing the work again"};
    }
    check(result.get(), BoundParams{{}});
    if (std::string_view{PQcmdStatus(result.get())} != "COMMIT") {
        throw CommitFailed{"database: nothing was committed: PostgreSQL answered " +
                           std::string{PQcmdStatus(result.get())}};
    }
}

void Session::State::rollback() {
    ahead.clear();
    if (dead || !in_transaction) return;
    in_transaction = false;
    ++sent;
    try {
        soci.rollback();
    } catch (const soci::soci_error&) {
        dead = true;  // Closing the connection rolls back as well.
    }
    if (PQtransactionStatus(connection) != PQTRANS_IDLE) dead = true;
}

void Session::State::cancel() const noexcept {
    // What it reports is that no connection could be made; then nothing runs for us either.
    constexpr int problem_size = 256;
    std::array<char, problem_size> problem{};
    PQcancel(canceller.get(), problem.data(), problem_size);
}

Session::Session(const ConnectOptions& options) : state_{std::make_unique<State>(options)} {}
Session::~Session() = default;

Rows Session::query(Sql sql, std::span<const Param> params) {
    return state_->run(sql.text(), params, true);
}

Rows Session::query_text(std::string_view sql, std::span<const Param> params, bool keep_prepared) {
    return state_->run(sql, params, keep_prepared);
}

void Session::run_script(std::string_view sql) {
    state_->run_script(std::string{sql});
}

void Session::begin() {
    state_->begin();
}
void Session::commit() {
    state_->commit();
}
void Session::rollback() noexcept {
    state_->rollback();
}

bool Session::in_transaction() const noexcept {
    return state_->in_transaction;
}

bool Session::transaction_failed() const noexcept {
    return PQtransactionStatus(state_->connection) == PQTRANS_INERROR;
}

bool Session::usable() const noexcept {
    if (state_->dead) return false;
    if (state_->was_closed_by_server()) state_->dead = true;
    return !state_->dead;
}

int Session::server_version() const noexcept {
    return PQserverVersion(state_->connection);
}
int Session::backend_pid() const noexcept {
    return PQbackendPID(state_->connection);
}
std::int64_t Session::statements_sent() const noexcept {
    return state_->sent;
}

void Session::cut() noexcept {
    shutdown(state_->end.get(), SHUT_RDWR);
}

}  // namespace radd::db
