#include <algorithm>
#include <mutex>
#include <utility>

#include <host/monitoring/database_probe.hpp>
#include <host/monitoring/sql.hpp>

namespace radd::monitoring {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// 150018 → "15.18"
std::string version_text(int number) {
    constexpr int major = 10000;
    return std::to_string(number / major) + '.' + std::to_string(number % major);
}

db::ConnectOptions short_of_patience(db::ConnectOptions connect) {
    connect.connect_timeout = DatabaseProbe::connect_timeout;
    connect.statement_timeout = DatabaseProbe::statement_timeout;
    return connect;
}

}  // namespace

struct DatabaseProbe::State final : Lookout {
    State(Clock& with_clock, Log& with_log)
        : clock{with_clock}, log{with_log}, answered_at{with_clock.steady_now()} {}

    void begin() noexcept override {
        const std::scoped_lock lock{mutex};
        if (!asked_at) asked_at = clock.steady_now();
    }

    void look(db::Session& session) override {
        const Rows rows = session.query(sql::database_facts);
        const Row row = rows[0];
        DatabaseFacts found{.server_version = version_text(session.server_version()),
                            .time = row.text("time"),
                            .unix_s = row.integer("unix_s"),
                            .position = {.last_drawn = row.integer("last_drawn"),
                                         .settled = row.integer("settled"),
                                         .head = row.integer("head"),
                                         .ids_left = row.integer("ids_left")}};
        const std::scoped_lock lock{mutex};
        if (has_failed) log.info("database probe: the database answers again");
        facts = std::move(found);
        answered_at = clock.steady_now();
        has_failed = false;
        asked_at.reset();
    }

    void failed(const std::string& reason) noexcept override {
        const std::scoped_lock lock{mutex};
        // The tail and the keeper say it as well; once an outage is enough from here.
        if (!has_failed) log.warn("database probe: " + reason);
        has_failed = true;
    }

    Clock& clock;
    Log& log;
    mutable std::mutex mutex;
    std::optional<DatabaseFacts> facts{};
    SteadyTime answered_at;
    std::optional<SteadyTime> asked_at{};  ///< Set while an answer is awaited.
    bool has_failed = false;
};

DatabaseProbe::DatabaseProbe(db::ConnectOptions connect, Clock& clock, Log& log)
    : clock_{clock},
      state_{std::make_shared<State>(clock, log)},
      thread_{{.connect = short_of_patience(std::move(connect)),
               .clock = clock,
               .log = log,
               .name = "database probe",
               .every = look_every},
              state_} {}

void DatabaseProbe::start() {
    thread_.start();
}

bool DatabaseProbe::stop() {
    return thread_.stop();
}

std::chrono::milliseconds DatabaseProbe::away_for() const {
    using std::chrono::milliseconds;
    const auto now = clock_.steady_now();
    const std::scoped_lock lock{state_->mutex};
    const bool is_overdue = state_->asked_at && now - *state_->asked_at > answer_expected_within;
    if (state_->facts && !state_->has_failed && !is_overdue) return milliseconds{0};
    const auto away = std::chrono::duration_cast<milliseconds>(now - state_->answered_at);
    return std::max(away, milliseconds{1});
}

std::optional<std::int64_t> DatabaseProbe::unix_s() const {
    const auto now = clock_.steady_now();
    const std::scoped_lock lock{state_->mutex};
    if (!state_->facts) return std::nullopt;
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(now - state_->answered_at);
    return state_->facts->unix_s + since.count();
}

std::optional<DatabaseFacts> DatabaseProbe::facts() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->facts;
}

}  // namespace radd::monitoring
