#pragma once

/// One connection to PostgreSQL.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <host/db/row_view.hpp>
#include <radd/sql.hpp>

namespace radd::db {

/// What every session of this host is opened with.
struct ConnectOptions {
    std::string url;  ///< libpq keywords or a postgresql:// URI.
    std::string application_name = "radd";
    std::chrono::milliseconds connect_timeout{std::chrono::seconds{5}};
    std::chrono::milliseconds statement_timeout{std::chrono::seconds{30}};
    /// An open transaction holds back every reader of the stream; 0 means no limit.
    std::chrono::milliseconds idle_in_transaction_timeout{std::chrono::seconds{60}};
    /// False behind a pooler that hands out a server per transaction: then nothing is prepared,
    /// and the timeouts above are set by each begin() and by nothing else.
    bool prepared_statements = true;
    /// Hears NOTICE and WARNING; silence unless given. [thread: the session's]
    std::function<void(std::string_view)> on_notice{};
};

/// A connection, its prepared statements and its transaction state.
///
/// After Unavailable the session is dead and answers every call with Unavailable; it never
/// reconnects by itself, because a statement that ran on a new connection would run outside the
/// transaction its caller believes in. Discard it (Pool does). One thread at a time.
class Session {
public:
    /// @throws Unavailable if the server cannot be reached or is starting up or shutting down;
    ///         ConfigError if it refuses us for good (password, database, role), with the remedy.
    explicit Session(const ConnectOptions& options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Runs one statement, prepared at its second use and kept. Inside begin() … commit(), or in
    /// a transaction of its own. @throws as radd::Transaction::query(); InvalidInput also for what
    /// would end the transaction or change the session behind its back: see controls_session().
    /// Contention also when a change of the schema made a prepared statement stale in mid-
    /// transaction: the same work, done again, prepares it anew.
    Rows query(Sql sql, std::span<const Param> params);
    template <typename... Params>
    Rows query(Sql sql, const Params&... params) {
        const std::array<Param, sizeof...(params)> bound{Param{params}...};
        return query(sql, std::span<const Param>{bound});
    }

    /// The same for text that was put together by the host itself (a multi-row INSERT): never
    /// with a value in it. Prepared and kept when `keep_prepared`.
    Rows query_text(std::string_view sql, std::span<const Param> params, bool keep_prepared);

    /// Runs one statement as query() does, and lends its rows to `take` one by one as they arrive:
    /// none is kept, so a result may be larger than memory. Columns come in PostgreSQL's binary
    /// format. When `take` answers false the server is told to stop, and this returns false; true
    /// if `take` saw every row. What it throws is thrown on, and the session stays usable. Not
    /// inside begin() … commit(), which an early end would abort. @throws as query().
    bool read(Sql sql, std::span<const Param> params, const RowTaker& take);
    bool read_text(std::string_view sql,
                   std::span<const Param> params,
                   bool keep_prepared,
                   const RowTaker& take);

    /// Sends `sql` in front of the next statement of this transaction, without a round trip of its
    /// own: for what does not fail by itself, a savepoint and its release. Should it fail all the
    /// same, the statement behind it is not run and fails in its place. What still waits at
    /// commit() or rollback() is dropped: no savepoint outlives its transaction. Only inside
    /// begin() … commit(). @throws Unavailable.
    void send_ahead(std::string_view sql);

    /// Runs a script of any number of statements, without parameters: a migration. Unless inside
    /// begin() … commit(), one transaction of its own. @throws as query(); the message of an
    /// SqlError begins with "line N: ", counted in the script.
    void run_script(std::string_view sql);

    /// READ COMMITTED, whatever the server's default. One round trip.
    void begin();
    /// @throws CommitFailed if PostgreSQL answered ROLLBACK; CommitInDoubt if the connection died
    ///         before the answer; SqlError if a deferred constraint refused it.
    void commit();
    void rollback() noexcept;

    [[nodiscard]] bool in_transaction() const noexcept;      ///< Between begin() and its end.
    [[nodiscard]] bool transaction_failed() const noexcept;  ///< An error waits for a rollback.
    /// False once the connection died; notices, without a round trip, that the server has closed
    /// it while nobody used it.
    [[nodiscard]] bool usable() const noexcept;
    [[nodiscard]] int server_version() const noexcept;  ///< 150018
    [[nodiscard]] int backend_pid() const noexcept;
    [[nodiscard]] std::int64_t statements_sent() const noexcept;  ///< Round trips so far.

    /// Ends the connection from our side, whatever the server does: who waits for an answer finds
    /// it lost at once. Never waits itself, as asking the server to cancel would if it hangs; a
    /// statement that is under way may still finish there. [any-thread]
    void cut() noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace radd::db
