#include <stdexcept>

#include <tests/bench/raw.hpp>

namespace radd::bench {
namespace {

constexpr int columns = 11;

std::string insert_of(int rows) {
    std::string sql =
        "INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, changes, "
        "project_id, silent, automated_cause, traceparent, occurred_at) VALUES ";
    for (int row = 0; row < rows; ++row) {
        sql += row == 0 ? "(" : ", (";
        for (int column = 1; column < columns; ++column)
            sql.append("$").append(std::to_string(row * columns + column)).append(", ");
        sql.append("coalesce($").append(std::to_string(row * columns + columns));
        sql += "::timestamptz, clock_timestamp()))";
    }
    return sql;
}

}  // namespace

Raw::Raw(const std::string& url) : connection_{PQconnectdb(url.c_str()), &PQfinish} {
    prepare("one", insert_of(1));
    prepare("many", insert_of(100));
    prepare("read",
            "SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes, "
            "project_id, silent, automated_cause, traceparent, occurred_at, recorded_at "
            "FROM radd.events WHERE id > $1 ORDER BY id LIMIT 1000");
}

void Raw::emit(int rows) {
    run("BEGIN");
    insert(rows);
    run("COMMIT");
}

void Raw::emit_alone() {
    insert(1);
}

void Raw::insert(int rows) {
    const std::string id = std::to_string(++emitted_);
    std::vector<const char*> params;
    for (int i = 0; i < rows; ++i) {
        params.insert(params.end(),
                      {"probe.happened",
                       "note",
                       id.c_str(),
                       nullptr,
                       payload.c_str(),
                       nullptr,
                       nullptr,
                       "f",
                       nullptr,
                       nullptr,
                       nullptr});
    }
    execute(rows == 1 ? "one" : "many", params);
}

std::size_t Raw::drain() {
    // Without statistics a LIMIT would sort the whole backlog each time.
    run("SET enable_bitmapscan = off; SET enable_sort = off");
    std::string cursor = "0";
    std::size_t seen = 0;
    while (true) {
        const Result rows = execute("read", {cursor.c_str()});
        const int count = PQntuples(rows.get());
        if (count == 0) return seen;
        for (int i = 0; i < count; ++i) bytes_ += std::string{PQgetvalue(rows.get(), i, 5)}.size();
        cursor = PQgetvalue(rows.get(), count - 1, 0);
        seen += static_cast<std::size_t>(count);
    }
}

std::vector<std::pair<std::int64_t, std::size_t>> Raw::rows_after(std::int64_t id) {
    constexpr int number = 3;
    const std::string cursor = std::to_string(id);
    const Result rows = execute("read", {cursor.c_str()});
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    for (int i = 0; i < PQntuples(rows.get()); ++i) {
        found.emplace_back(std::stoll(PQgetvalue(rows.get(), i, 0)),
                           std::stoul(PQgetvalue(rows.get(), i, number)));
    }
    return found;
}

void Raw::run(const std::string& sql) {
    checked(PQexec(connection_.get(), sql.c_str()));
}

Raw::Result Raw::checked(PGresult* result) const {
    Result owned{result, &PQclear};
    const auto status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw std::runtime_error{PQerrorMessage(connection_.get())};
    return owned;
}

void Raw::prepare(const char* name, const std::string& sql) {
    checked(PQprepare(connection_.get(), name, sql.c_str(), 0, nullptr));
}

Raw::Result Raw::execute(const char* name, const std::vector<const char*>& params) {
    return checked(PQexecPrepared(connection_.get(),
                                  name,
                                  static_cast<int>(params.size()),
                                  params.data(),
                                  nullptr,
                                  nullptr,
                                  0));
}

}  // namespace radd::bench
