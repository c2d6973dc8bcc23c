// Statements that travel in front of another one: a round trip for all of them together.

#include <utility>

#include <host/db/session_state.hpp>

namespace radd::db {

void Session::State::send_ahead(std::string_view sql) {
    require_usable();
    if (!in_transaction) throw Error{"database: send_ahead() outside a transaction"};
    ahead.emplace_back(sql);
}

/// What waits, as the beginning of a script. Without a line of its own, so that an error in what
/// follows still names the line it is in.
std::string Session::State::take_ahead() {
    std::string script;
    for (const std::string& sql : std::exchange(ahead, {})) script += sql + "; ";
    return script;
}

/// What waits and then the statement itself. The answer is that of the first that failed, else
/// that of the statement; behind a failure the server runs nothing.
Result Session::State::send_behind(std::string_view sql,
                                   const BoundParams& bound,
                                   const StatementCache::Entry* prepared) {
    constexpr int as_text = 0;
    ++sent;
    bool is_sent = PQenterPipelineMode(connection) == 1;
    for (const std::string& one : std::exchange(ahead, {})) {
        is_sent = is_sent &&
                  PQsendQueryParams(
                      connection, one.c_str(), 0, nullptr, nullptr, nullptr, nullptr, as_text) == 1;
    }
    if (is_sent && prepared) {
        is_sent = PQsendQueryPrepared(connection,
                                      prepared->name.c_str(),
                                      bound.size(),
                                      bound.data(),
                                      nullptr,
                                      nullptr,
                                      as_text) == 1;
    } else if (is_sent) {
        is_sent = PQsendQueryParams(connection,
                                    std::string{sql}.c_str(),
                                    bound.size(),
                                    nullptr,
                                    bound.data(),
                                    nullptr,
                                    nullptr,
                                    as_text) == 1;
    }
    if (!is_sent || PQpipelineSync(connection) != 1)
        die(std::string{first_line(PQerrorMessage(connection))});
    return take_answer();
}

/// Reads to the end of the pipeline, or the next statement would find answers of this one.
Result Session::State::take_answer() {
    Result answer = own(nullptr);
    // Each statement's results end with nothing, and two such ends are a connection that is lost.
    for (int ends = 0; ends < 2;) {
        Result result = own(PQgetResult(connection));
        if (!result) {
            ++ends;
            continue;
        }
        ends = 0;
        if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) break;
        if (!answer || is_success(answer.get())) answer = std::move(result);
        // It would come again and again; the caller gives the session up.
        if (is_copy(answer.get())) return answer;
    }
    if (PQstatus(connection) != CONNECTION_BAD && PQexitPipelineMode(connection) != 1)
        die(std::string{first_line(PQerrorMessage(connection))});
    return answer;
}

void Session::send_ahead(std::string_view sql) {
    state_->send_ahead(sql);
}

}  // namespace radd::db
