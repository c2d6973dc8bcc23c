#include <host/config/scalars.hpp>
#include <host/entities/table_refusals.hpp>

namespace radd::entities {
namespace {

constexpr const char* shown_max = "5";

std::string counted(std::int64_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

Obstacle rows_where(db::Session& session, const std::string& table, const std::string& condition) {
    const std::string where = " FROM " + table + " WHERE " + condition;
    const auto row =
        session.query_text("SELECT (SELECT count(*)" + where +
                               ") AS rows, coalesce((SELECT string_agg(id::text, ', ')"
                               " FROM (SELECT id" +
                               where + " ORDER BY id LIMIT " + shown_max + ") listed), '') AS ids",
                           {},
                           false);
    Obstacle obstacle{.rows = row[0].integer("rows"), .shown = {}};
    obstacle.shown = "no row";
    if (!obstacle) return obstacle;
    obstacle.shown = counted(obstacle.rows, "row") + " (id " + row[0].text("ids") +
                     (obstacle.rows > 5 ? ", …)" : ")");
    return obstacle;
}

Obstacle values_twice(db::Session& session, const std::string& table, const std::string& column) {
    const std::string groups = "SELECT " + column +
                               "::text AS value, count(*) AS rows,"
                               " array_to_string((array_agg(id ORDER BY id))[1:" +
                               shown_max + "], ', ') AS ids FROM " + table + " WHERE " + column +
                               " IS NOT NULL GROUP BY " + column + " HAVING count(*) > 1";
    const Rows rows = session.query_text("SELECT value, ids, count(*) OVER () AS groups FROM (" +
                                             groups + ") doubled ORDER BY value LIMIT " + shown_max,
                                         {},
                                         false);
    Obstacle obstacle;
    for (const auto row : rows) {
        obstacle.rows = row.integer("groups");
        obstacle.shown += (obstacle.shown.empty() ? "" : "; ") + config::shown(row.text("value")) +
                          " in id " + row.text("ids");
    }
    if (obstacle) obstacle.shown = counted(obstacle.rows, "value") + " (" + obstacle.shown + ')';
    return obstacle;
}

}  // namespace radd::entities
