// Rows as they arrive. libpq would keep a result whole, and a thousand events may be 200 MiB.

#include <exception>

#include <host/db/errors.hpp>
#include <host/db/session_state.hpp>

namespace radd::db {
namespace {

constexpr std::string_view query_canceled = "57014";

}  // namespace

bool Session::State::read(std::string_view sql,
                          std::span<const Param> params,
                          bool keep_prepared,
                          const RowTaker& take) {
    require_usable();
    refuse_control(sql);
    if (in_transaction) throw Error{"database: read() inside a transaction; use query()"};
    const BoundParams bound{params};
    discard_dropped();

    bool whole = true;
    Result last = stream(sql, bound, keep_prepared && may_prepare, take, whole);
    if (is_stale_plan(last.get())) {
        // Found before the first row.
        statements.forget(sql);
        last = stream(sql, bound, false, take, whole);
    }
    const bool stopped = !whole && error_field(last.get(), PG_DIAG_SQLSTATE) == query_canceled;
    if (!stopped) check(last.get(), bound);
    return whole;
}

Result Session::State::stream(std::string_view sql,
                              const BoundParams& bound,
                              bool keep_prepared,
                              const RowTaker& take,
                              bool& whole) {
    StatementCache::Entry* entry = keep_prepared ? &statements.use(sql) : nullptr;
    const bool is_known = entry && entry->seen;
    if (is_known && !entry->prepared) prepare(*entry);
    constexpr int as_binary = 1;
    ++sent;
    const int is_sent = is_known ? PQsendQueryPrepared(connection,
                                                       entry->name.c_str(),
                                                       bound.size(),
                                                       bound.data(),
                                                       nullptr,
                                                       nullptr,
                                                       as_binary)
                                 : PQsendQueryParams(connection,
                                                     std::string{sql}.c_str(),
                                                     bound.size(),
                                                     nullptr,
                                                     bound.data(),
                                                     nullptr,
                                                     nullptr,
                                                     as_binary);
    if (is_sent != 1) die(std::string{first_line(PQerrorMessage(connection))});
    PQsetSingleRowMode(connection);
    return take_rows(take, whole);
}

/// Reads to the end whatever happens, or the next statement would find rows of this one.
Result Session::State::take_rows(const RowTaker& take, bool& whole) {
    Result last = own(nullptr);
    std::exception_ptr thrown;
    while (Result result = own(PQgetResult(connection))) {
        if (PQresultStatus(result.get()) != PGRES_SINGLE_TUPLE) {
            if (is_copy(result.get()))
                die("COPY was sent as a query, and the stream is out of step");
            last = std::move(result);
            continue;
        }
        if (!whole) continue;
        try {
            whole = take(RowView{result.get()});
        } catch (...) {
            thrown = std::current_exception();
            whole = false;
        }
        if (!whole) stop_sending();
    }
    if (thrown) std::rethrow_exception(thrown);
    return last;
}

/// PQcancel() returns when the signal is on its way to a process that ignores it between two
/// statements. A pooler gives no such promise: there a late cancel would hit somebody's next one,
/// so what still comes is read and dropped.
void Session::State::stop_sending() noexcept {
    if (may_prepare) cancel();
}

bool Session::read(Sql sql, std::span<const Param> params, const RowTaker& take) {
    return state_->read(sql.text(), params, true, take);
}

bool Session::read_text(std::string_view sql,
                        std::span<const Param> params,
                        bool keep_prepared,
                        const RowTaker& take) {
    return state_->read(sql, params, keep_prepared, take);
}

}  // namespace radd::db
