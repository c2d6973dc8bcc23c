#pragma once

/// Writing rows, and the events that describe them, so that both land or neither does.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <radd/event.hpp>
#include <radd/sql.hpp>

namespace radd {

/// A transaction that somebody else will end.
///
/// It belongs to the host, which alone commits or rolls back; that is why there is no commit()
/// here. A plugin that could commit half a batch would break the promise that planning writes
/// and the cursor land together.
///
/// After any SqlError PostgreSQL refuses every further statement until the enclosing savepoint
/// is rolled back: let the exception pass, or wrap what may fail in in_savepoint(). An error
/// that was swallowed is noticed by the host, which treats the event as failed.
///
/// Isolation is READ COMMITTED. Threads: whichever one it was lent to. Never kept past the call.
class RADD_EXPORT Transaction {
public:
    Transaction() = default;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    virtual ~Transaction();

    /// Appends `event` to the outbox, in this transaction. Consumers see it after the commit and
    /// never before; on rollback it never was.
    ///
    /// Refs are resolved now; the row is buffered and written as the last statement before the
    /// commit, so a query in this transaction does not see it unless flush_events() was called.
    /// Emit after the write it describes: the entity's row lock is then what makes the order of
    /// its events the order of its commits.
    ///
    /// @throws InvalidInput if a limit of event.hpp is passed, the payload is no JSON object, is
    ///         not UTF-8 or holds a NUL, a payload key collides with a subject, or `changes` is
    ///         missing where the type's spec says `has_changes`. Names the field.
    /// @throws ConfigError if no loaded plugin declares the type.
    /// @throws Unavailable, SqlError as query() does, while a ref is read.
    void emit(const NewEvent& event) { do_emit({&event, 1}); }

    /// The same for many, with one query per entity type for all their refs.
    void emit(std::span<const NewEvent> events) { do_emit(events); }

    /// Writes the events emitted so far. Needed before reading one's own events, and before
    /// calling radd.emit() in SQL when the order between both matters.
    virtual void flush_events() = 0;

    /// Runs `sql` with `params` bound in order.
    ///
    /// @throws SqlError if PostgreSQL rejects it, Contention if another attempt may succeed.
    /// @throws InvalidInput if a text parameter holds a NUL byte, which PostgreSQL cannot keep.
    /// @throws Unavailable if the connection is lost: the whole unit of work is abandoned.
    /// Waits as long as the session's `statement_timeout`: 30 s unless configured.
    template <typename... Params>
    Rows query(Sql sql, const Params&... params) {
        const std::array<Param, sizeof...(params)> bound{Param{params}...};
        return do_query(sql, bound);
    }

    /// The same where only the run of the program knows how many there are.
    Rows query(Sql sql, std::span<const Param> params) { return do_query(sql, params); }

    /// The only row, if any: `if (auto row = tx.query_one(…)) row->text("email")`.
    /// @throws SchemaError if there is more than one; otherwise as query().
    template <typename... Params>
    [[nodiscard]] OnlyRow query_one(Sql sql, const Params&... params) {
        Rows rows = query(sql, params...);
        if (rows.size() > 1)
            throw SchemaError{"one row expected, got " + std::to_string(rows.size())};
        return OnlyRow{std::move(rows)};
    }

    /// Runs a statement for its effect and returns how many rows it touched.
    template <typename... Params>
    std::int64_t execute(Sql sql, const Params&... params) {
        return query(sql, params...).affected();
    }

    /// Runs `work` in a savepoint: when it throws, its rows and its events are undone, the
    /// transaction goes on, and the exception passes to the caller. Nests up to 16 deep.
    template <typename Work>
    auto in_savepoint(Work&& work) {
        Savepoint savepoint{*this};
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            savepoint.release();
        } else {
            auto result = work();
            savepoint.release();
            return result;
        }
    }

private:
    class Savepoint {
    public:
        explicit Savepoint(Transaction& tx) : tx_{tx} { tx_.do_savepoint(); }
        Savepoint(const Savepoint&) = delete;
        Savepoint& operator=(const Savepoint&) = delete;
        ~Savepoint() {
            if (open_) tx_.do_rollback_to_savepoint();
        }
        void release() {
            tx_.do_release_savepoint();
            open_ = false;
        }

    private:
        Transaction& tx_;
        bool open_ = true;
    };

    virtual void do_emit(std::span<const NewEvent> events) = 0;
    virtual Rows do_query(Sql sql, std::span<const Param> params) = 0;
    virtual void do_savepoint() = 0;
    virtual void do_release_savepoint() = 0;
    virtual void do_rollback_to_savepoint() noexcept = 0;
};

/// Transactions of one's own, outside any consumer: a command, a periodic task, a service.
class RADD_EXPORT Database {
public:
    virtual ~Database();

    /// Runs `work` in one transaction and commits it, events included. When `work` throws, all is
    /// rolled back and the exception passes on; nothing is repeated.
    ///
    /// @throws Error inside a transaction, a consumer's plan or another transact() of this thread:
    ///         use the one that was lent, or do it in deliver(). A second one would commit on its
    ///         own, and threads that wait for their second session would wait for each other.
    /// @throws Unavailable if no session was free within 10 s, or the connection was lost. When it
    ///         was lost during COMMIT the outcome is unknown, and the message says so.
    template <typename Work>
    auto transact(Work&& work) {
        using Result = std::invoke_result_t<Work&, Transaction&>;
        if constexpr (std::is_void_v<Result>) {
            do_transact([&work](Transaction& tx) { work(tx); });
        } else {
            std::optional<Result> result;
            do_transact([&work, &result](Transaction& tx) { result.emplace(work(tx)); });
            return *std::move(result);
        }
    }

private:
    virtual void do_transact(const std::function<void(Transaction&)>& work) = 0;
};

}  // namespace radd
