#pragma once

/// A transaction without a database: the test says what each statement answers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <radd/scopes.hpp>
#include <radd/transaction.hpp>

namespace radd::testing {

/// A statement that was run, its parameters as PostgreSQL would get them; no value is NULL.
struct Statement {
    std::string sql;
    std::vector<std::optional<std::string>> params;

    [[nodiscard]] bool contains(std::string_view fragment) const {
        return sql.find(fragment) != std::string::npos;
    }
};

/// `rows({"id", "email"}, {{"42", "ada@example.org"}})`. No rows: `rows({"id"}, {})`.
[[nodiscard]] inline Rows rows(
    std::vector<std::string> names,
    std::initializer_list<std::initializer_list<std::optional<std::string>>> cells) {
    std::vector<std::optional<std::string>> flat;
    for (const auto& row : cells) {
        if (row.size() != names.size())
            throw std::logic_error{"rows: a row has " + std::to_string(row.size()) + " cells for " +
                                   std::to_string(names.size()) + " columns"};
        flat.insert(flat.end(), row.begin(), row.end());
    }
    return {std::move(names), std::move(flat)};
}

/// A statement was run that the test has no answer for. Not a radd::Error: the fault is the
/// test's, so no plugin handles it and the fixture host does not skip it.
class UnscriptedStatement : public std::logic_error {
public:
    explicit UnscriptedStatement(const std::string& sql)
        : std::logic_error{"fake transaction: no answer scripted for: " + sql} {}
};

/// Answers statements from a script and records them, and what was emitted.
///
/// Strict: a statement that nothing answers throws UnscriptedStatement, instead of answering
/// nothing and letting the test pass for the wrong reason. A handler of when() comes before the
/// answers of answer() and fail(), which are used up in order.
///
/// As PostgreSQL does: after an SqlError every statement fails with 25P02 until the enclosing
/// savepoint is rolled back, and a savepoint that is rolled back takes its events along. Rows are
/// the test's own: what a handler wrote somewhere is not undone. Refs are not resolved. Limits of
/// a payload are checked as emit() promises, its schema is not. One thread.
class FakeTransaction final : public Transaction {
public:
    using Handler = std::function<Rows(const Statement&)>;

    /// The next unhandled statement gets `rows`; or, without a result, touched that many.
    void answer(Rows rows) { answers_.emplace_back(std::move(rows)); }
    void answer(std::int64_t affected) { answers_.emplace_back(Rows{affected}); }

    /// The next unhandled statement throws `error`.
    template <typename Error>
    void fail(Error error) {
        answers_.emplace_back(std::make_exception_ptr(std::move(error)));
    }

    /// Answers every statement whose text contains `fragment`, until the end of the test. A later
    /// handler comes before an earlier one. The handler may throw.
    void when(std::string fragment, Handler handler) {
        handlers_.emplace_front(std::move(fragment), std::move(handler));
    }

    /// Every statement since the beginning, failed ones included.
    [[nodiscard]] const std::vector<Statement>& statements() const noexcept { return statements_; }
    /// Statements whose text contains `fragment`.
    [[nodiscard]] std::size_t count(std::string_view fragment) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            statements_, [&](const Statement& statement) { return statement.contains(fragment); }));
    }
    /// Scripted answers that no statement has asked for. A test that wants none left checks it.
    [[nodiscard]] std::size_t answers_left() const noexcept { return answers_.size(); }

    /// Events that stand, in order. `silent` and `automated_cause` are filled in from the scopes.
    [[nodiscard]] const std::vector<NewEvent>& emitted() const noexcept { return emitted_; }
    /// Takes them away, as the commit does.
    [[nodiscard]] std::vector<NewEvent> take_emitted() { return std::exchange(emitted_, {}); }

    /// A plugin swallowed an SqlError: the host would roll this work back. True until it does.
    [[nodiscard]] bool failed() const noexcept { return failed_at_.has_value(); }
    [[nodiscard]] std::size_t savepoints_open() const noexcept { return savepoints_.size(); }

    /// As the end of the transaction without a commit.
    void roll_back() noexcept {
        emitted_.clear();
        savepoints_.clear();
        failed_at_.reset();
    }

    void flush_events() override { refuse_if_failed(); }

private:
    using Answer = std::variant<Rows, std::exception_ptr>;

    void do_emit(std::span<const NewEvent> events) override {
        for (const NewEvent& event : events) {
            check(event);
            NewEvent kept = event;
            if (!kept.silent) kept.silent = Quiet::active();
            if (!kept.automated_cause) kept.automated_cause = Automated::cause();
            emitted_.push_back(std::move(kept));
        }
    }

    Rows do_query(Sql sql, std::span<const Param> params) override {
        Statement statement{.sql = std::string{sql.text()}, .params = {}};
        for (const Param& param : params) statement.params.push_back(as_text(param));
        statements_.push_back(statement);
        refuse_if_failed();
        try {
            return reply(statement);
        } catch (const SqlError&) {
            failed_at_ = savepoints_.size();
            throw;
        }
    }

    void do_savepoint() override {
        refuse_if_failed();
        savepoints_.push_back(emitted_.size());
    }
    void do_release_savepoint() override {
        refuse_if_failed();
        savepoints_.pop_back();
    }
    void do_rollback_to_savepoint() noexcept override {
        emitted_.erase(emitted_.begin() + static_cast<std::ptrdiff_t>(savepoints_.back()),
                       emitted_.end());
        // An error outside of this savepoint is not undone with it.
        if (failed_at_ && *failed_at_ >= savepoints_.size()) failed_at_.reset();
        savepoints_.pop_back();
    }

    Rows reply(const Statement& statement) {
        for (const auto& [fragment, handler] : handlers_) {
            if (statement.contains(fragment)) return handler(statement);
        }
        if (answers_.empty()) throw UnscriptedStatement{statement.sql};
        const Answer next = std::move(answers_.front());
        answers_.pop_front();
        if (const auto* error = std::get_if<std::exception_ptr>(&next))
            std::rethrow_exception(*error);
        return std::get<Rows>(next);
    }

    void refuse_if_failed() const {
        if (failed_at_)
            throw SqlError{"25P02",
                           "current transaction is aborted, commands ignored until end of "
                           "transaction block"};
    }

    static void check(const NewEvent& event) {
        const auto& text = event.payload.text();
        if (text.size() > payload_bytes_max)
            throw InvalidInput{"payload", "has " + std::to_string(text.size()) + " bytes"};
        const json payload = json::parse(text, nullptr, false);
        if (!payload.is_object()) throw InvalidInput{"payload", "is no JSON object"};
        if (payload.contains(event.entity.name())) throw collision(event.entity);
        for (const Subject& subject : event.subjects) {
            if (payload.contains(subject.entity.name())) throw collision(subject.entity);
        }
    }
    static InvalidInput collision(EntityType entity) {
        return {"payload", "has a key '" + std::string{entity.name()} + "', which is a subject's"};
    }

    static std::optional<std::string> as_text(const Param& param) {
        return std::visit(
            [](const auto& value) -> std::optional<std::string> {
                using T = std::remove_cvref_t<decltype(value)>;
                if constexpr (std::is_same_v<T, std::nullptr_t>)
                    return std::nullopt;
                else if constexpr (std::is_same_v<T, bool>)
                    return value ? "t" : "f";
                else if constexpr (std::is_same_v<T, std::string_view>)
                    return std::string{value};
                else
                    return json(value).dump();
            },
            param.value());
    }

    std::deque<std::pair<std::string, Handler>> handlers_;
    std::deque<Answer> answers_;
    std::vector<Statement> statements_;
    std::vector<NewEvent> emitted_;
    std::vector<std::size_t> savepoints_;   // How many events stood when each was set.
    std::optional<std::size_t> failed_at_;  // How many savepoints were open at the SqlError.
};

/// Runs each piece of work in one FakeTransaction, which stays at hand for script and checks.
class FakeDatabase final : public Database {
public:
    /// What a commit hands on; the default drops it.
    std::function<void(std::vector<NewEvent>)> on_commit{};

    [[nodiscard]] FakeTransaction& tx() noexcept { return tx_; }
    [[nodiscard]] std::size_t commits() const noexcept { return commits_; }
    [[nodiscard]] std::size_t rollbacks() const noexcept { return rollbacks_; }
    /// Every event of every transaction that was committed.
    [[nodiscard]] const std::vector<NewEvent>& committed() const noexcept { return committed_; }

    /// Ends a transaction that somebody drove through tx() by hand.
    void commit() {
        ++commits_;
        auto events = tx_.take_emitted();
        committed_.insert(committed_.end(), events.begin(), events.end());
        if (on_commit) on_commit(std::move(events));
    }
    void roll_back() noexcept {
        tx_.roll_back();
        ++rollbacks_;
    }

private:
    void do_transact(const std::function<void(Transaction&)>& work) override {
        try {
            work(tx_);
            // PostgreSQL answers ROLLBACK to the COMMIT of a transaction that has failed.
            if (tx_.failed()) throw SqlError{"25P02", "COMMIT was answered with ROLLBACK"};
        } catch (...) {
            roll_back();
            throw;
        }
        commit();
    }

    FakeTransaction tx_;
    std::vector<NewEvent> committed_;
    std::size_t commits_ = 0;
    std::size_t rollbacks_ = 0;
};

}  // namespace radd::testing
