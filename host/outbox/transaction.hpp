#pragma once

/// The transaction that plugins see: statements, savepoints, and events buffered until the end.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <host/db/pool.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/emit_policy.hpp>
#include <radd/transaction.hpp>

namespace radd::outbox {

/// A transaction that starts with its first statement: work that touches no SQL costs none.
///
/// Life: any number of begin_event() … end_event() / undo_event(), then commit() or rollback();
/// afterwards it can be used again. Without begin_event() it is one plain transaction. When only
/// events were emitted and they fit in one INSERT, that statement is the whole transaction.
///
/// Events are buffered up to `buffer_bytes_max`; more are written early, and their ids are then
/// in flight until the commit. One thread at a time.
class OutboxTransaction final : public Transaction {
public:
    static constexpr std::size_t buffer_bytes_max = 8U << 20U;
    static constexpr std::size_t savepoints_max = 16;

    OutboxTransaction(
        db::Pool& pool, const Catalog& catalog, EmitPolicy policy, Log& log, std::string purpose);
    ~OutboxTransaction() override;

    /// Marks the start of one event's work. The savepoint is only set when the work runs its
    /// first statement (`lazily`); buffered events of the work are undone with it.
    void begin_event();

    /// The event's work stands: its events are flushed inside its savepoint if there is one, else
    /// stay buffered. @throws SqlError when the flush fails; call undo_event() then.
    void end_event();

    /// Rolls this event's work back; the transaction goes on. @throws Unavailable;
    /// BufferedFlushFailed if it was the buffered events of earlier work that PostgreSQL refused,
    /// when this work's first statement had them written: roll back, nothing landed.
    void undo_event();

    /// Writes what is buffered and commits. Does nothing when no statement ran and nothing is
    /// buffered. @throws BufferedFlushFailed if events of more than one begin_event() were
    /// buffered without a savepoint and PostgreSQL refused one: nothing landed, run the events
    /// one at a time; CommitFailed, CommitInDoubt, SqlError, Unavailable as Session::commit().
    void commit();
    void rollback() noexcept;

    /// Runs a statement of the host itself in this transaction (the cursor).
    Rows host_query(Sql sql, std::span<const Param> params);

    [[nodiscard]] bool touched_sql() const noexcept;  ///< A statement ran, or events wait.
    [[nodiscard]] bool failed() const noexcept;       ///< A plugin swallowed an SQL error.
    [[nodiscard]] bool lost() const noexcept;         ///< A statement met an Unavailable.
    [[nodiscard]] std::int64_t events_emitted() const noexcept;  ///< Since begin or commit.

    void flush_events() override;

private:
    void do_emit(std::span<const NewEvent> events) override;
    Rows do_query(Sql sql, std::span<const Param> params) override;
    void do_savepoint() override;
    void do_release_savepoint() override;
    void do_rollback_to_savepoint() noexcept override;

    struct State;
    std::unique_ptr<State> state_;
};

/// See OutboxTransaction::commit().
class BufferedFlushFailed : public Error {
public:
    using Error::Error;
};

/// Transactions for commands, tasks and services. [any-thread]
class OutboxDatabase final : public Database {
public:
    /// `committed` is called after each commit that carried events: it wakes the tail.
    OutboxDatabase(db::Pool& pool,
                   const Catalog& catalog,
                   EmitPolicy policy,
                   Log& log,
                   std::string purpose,
                   std::function<void()> committed);
    ~OutboxDatabase() override;

private:
    void do_transact(const std::function<void(Transaction&)>& work) override;

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace radd::outbox
