#pragma once

/// Whether the database answers, known without asking it.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <host/db/session.hpp>
#include <host/monitoring/session_thread.hpp>
#include <host/outbox/event_queries.hpp>
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace radd::monitoring {

/// What the database has said of itself, in one look.
struct DatabaseFacts {
    std::string server_version;  ///< "15.18"
    std::string time;            ///< By its own clock, UTC: `2026-11-30T12:00:00.000000Z`.
    std::int64_t unix_s;         ///< The same, in seconds since 1970.
    outbox::StreamPosition position;
};

/// Looks all the time on a thread and a session of its own. A server that is stopped, frozen or
/// cut off is noticed alike: by the answer that does not come. [any-thread] but for start(),
/// stop().
class DatabaseProbe {
public:
    /// With what follows, an outage is known within 1.25 s; more often costs an idle database more.
    static constexpr std::chrono::milliseconds look_every{750};
    /// A look that takes longer counts as unanswered from its beginning on.
    static constexpr std::chrono::milliseconds answer_expected_within{500};
    static constexpr std::chrono::milliseconds connect_timeout{1000};
    static constexpr std::chrono::milliseconds statement_timeout{2000};

    DatabaseProbe(db::ConnectOptions connect, Clock& clock, Log& log);

    void start();  ///< Returns at once. Until the first answer the database counts as away.
    bool stop();   ///< As SessionThread::stop().

    /// How long ago it last answered, if a look since then has failed or is overdue; else 0.
    /// Takes no lock that a look could hold.
    [[nodiscard]] std::chrono::milliseconds away_for() const;

    /// As of the last answer; empty before the first.
    [[nodiscard]] std::optional<DatabaseFacts> facts() const;

    /// Seconds since 1970 by the database's clock, also while it is away: as of its last answer
    /// and the time that has passed here since. Empty before the first answer.
    [[nodiscard]] std::optional<std::int64_t> unix_s() const;

private:
    struct State;
    Clock& clock_;
    std::shared_ptr<State> state_;
    SessionThread thread_;
};

}  // namespace radd::monitoring
