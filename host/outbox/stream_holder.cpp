#include <host/outbox/stream_holder.hpp>

namespace radd::outbox {
namespace {

constexpr Sql select_blocker = R"sql(
    SELECT pid, coalesce(gid, '') AS gid, (extract(epoch FROM age) * 1000)::bigint AS age_ms,
           coalesce(application_name, '') AS application_name, coalesce(state, '') AS state,
           coalesce(query, '') AS query
      FROM radd.blockers WHERE virtualtransaction = $1)sql";

}  // namespace

StreamHolder find_holder(db::Session& session,
                         const std::string& virtualtransaction,
                         std::int64_t hole_id,
                         std::chrono::milliseconds age) {
    StreamHolder found{.hole_id = hole_id,
                       .pid = std::nullopt,
                       .gid = {},
                       .age = age,
                       .application_name = {},
                       .state = {},
                       .query = {}};
    const Rows rows = session.query(select_blocker, virtualtransaction);
    if (rows.empty()) return found;
    const Row row = rows[0];
    if (const auto pid = row.optional_integer("pid")) found.pid = static_cast<int>(*pid);
    if (const auto its_age = row.optional_integer("age_ms"))
        found.age = std::chrono::milliseconds{*its_age};
    found.gid = row.text("gid");
    found.application_name = row.text("application_name");
    found.state = row.text("state");
    found.query = row.text("query");
    return found;
}

}  // namespace radd::outbox
