#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>
#include <variant>

#include <host/cli/opened.hpp>
#include <host/config/scalars.hpp>
#include <host/outbox/event_queries.hpp>
#include <signal.h>

namespace radd::cli {
namespace {

constexpr Sql settle = "SELECT radd.settle()";

/// The oldest transaction that has emitted and not ended, if ids above the settled mark were drawn.
constexpr Sql select_holder = R"sql(
    SELECT s.settled + 1 AS hole_id, b.pid, coalesce(b.gid, '') AS gid,
           (extract(epoch FROM b.age) * 1000)::bigint AS age_ms,
           coalesce(b.application_name, '') AS application_name,
           coalesce(b.state, '') AS state, coalesce(b.query, '') AS query
      FROM radd.blockers b, radd.stream s
     WHERE b.age > interval '1 second' AND s.head > s.settled
     ORDER BY b.since LIMIT 1)sql";

}  // namespace

Opened::Opened(Invocation& invocation, const std::string& purpose)
    : installation_{invocation.settings}, lease_{installation_.connect(purpose).lease(purpose)} {
    installation_.require_migrated();
}

std::int64_t Opened::head() {
    // One look may come while a host is at it, which then has the word, or just before an emitter's
    // lock goes: what was committed before we were asked should count. An open emitter costs this
    // much time and no more.
    constexpr int looks_max = 20;
    constexpr std::chrono::milliseconds between{5};
    for (int look = 1; look < looks_max; ++look) {
        session().query(settle);
        const auto position = outbox::stream_position(session());
        if (position.settled >= position.last_drawn) return position.head;
        std::this_thread::sleep_for(between);
    }
    return outbox::stream_position(session()).head;
}

std::optional<outbox::StreamHolder> Opened::waiting_on() {
    const Rows rows = session().query(select_holder);
    if (rows.empty()) return std::nullopt;
    const Row row = rows[0];
    outbox::StreamHolder holder{.hole_id = row.integer("hole_id"),
                                .pid = std::nullopt,
                                .gid = row.text("gid"),
                                .age = std::chrono::milliseconds{row.integer("age_ms")},
                                .application_name = row.text("application_name"),
                                .state = row.text("state"),
                                .query = row.text("query")};
    if (const auto pid = row.optional_integer("pid")) holder.pid = static_cast<int>(*pid);
    return holder;
}

std::optional<db::ConnectOptions> running_database(host::Installation& installation,
                                                   const std::string& purpose) {
    const auto& settings = installation.settings();
    if (!settings.database_url) {
        std::ifstream file{settings.data_dir / "postgres" / "postmaster.pid"};
        pid_t pid = 0;
        if (!(file >> pid) || pid <= 0) return std::nullopt;
        if (kill(pid, 0) != 0 && errno == ESRCH) return std::nullopt;
    }
    return installation.connect_options(purpose);
}

std::chrono::milliseconds parse_duration(const std::string& field, std::string_view text) {
    constexpr Range range{1, 10LL * 365 * 24 * 3600 * 1000};
    const auto parsed = config::parse_duration(text, range);
    if (const auto* complaint = std::get_if<config::Complaint>(&parsed))
        throw InvalidInput{field, complaint->message};
    return std::get<std::chrono::milliseconds>(parsed);
}

}  // namespace radd::cli
