#pragma once

/// What a session is made of. Private to this folder: nobody else's headers know libpq or SOCI.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <soci/soci.h>

#include <host/db/bound_params.hpp>
#include <host/db/descriptor.hpp>
#include <host/db/result.hpp>
#include <host/db/session.hpp>
#include <host/db/statement_cache.hpp>
#include <libpq-fe.h>

namespace radd::db {

struct Session::State {
    explicit State(const ConnectOptions& options);

    Rows run(std::string_view sql, std::span<const Param> params, bool keep_prepared);
    bool read(std::string_view sql,
              std::span<const Param> params,
              bool keep_prepared,
              const RowTaker& take);
    void send_ahead(std::string_view sql);
    void run_script(const std::string& text);
    void begin();
    void commit();
    [[nodiscard]] PGresult* send_commit();
    void rollback();
    void cancel() const noexcept;

    void hear(const PGresult* result);
    void require_usable() const;
    static void refuse_control(std::string_view sql);
    [[nodiscard]] bool was_closed_by_server() const;
    [[noreturn]] void die(const std::string& why);
    [[noreturn]] void fail(const PGresult* result, const std::string& message);
    void check(const PGresult* result, const BoundParams& bound);

    Result send(std::string_view sql, const BoundParams& bound, bool keep_prepared);
    Result send_behind(std::string_view sql,
                       const BoundParams& bound,
                       const StatementCache::Entry* prepared);
    Result take_answer();
    std::string take_ahead();
    Result stream(std::string_view sql,
                  const BoundParams& bound,
                  bool keep_prepared,
                  const RowTaker& take,
                  bool& whole);
    Result take_rows(const RowTaker& take, bool& whole);
    void stop_sending() noexcept;
    void prepare(StatementCache::Entry& entry);
    void discard_dropped();
    bool is_stale_plan(const PGresult* result) const;
    std::string finish_script(const std::string& script, Result& failed);

    soci::session soci;
    PGconn* connection;  // Owned by soci.
    // Ours: libpq closes its own when it finds the connection lost, and by the time another thread
    // wants to cut it, that number may belong to somebody else's file.
    Descriptor end;
    std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> canceller{nullptr, &PQfreeCancel};
    std::function<void(std::string_view)> on_notice;
    StatementCache statements;
    bool may_prepare;
    std::string after_begin;           // What a pooler makes us repeat in each transaction.
    std::vector<std::string> ahead{};  // Goes out with the next statement.
    bool in_transaction = false;
    bool is_leaving = false;  // The server has said that it ends this connection.
    bool dead = false;
    std::int64_t sent = 0;
};

}  // namespace radd::db
