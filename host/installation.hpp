#pragma once

/// One installation of radd on disk and in the environment, opened as far as a command needs.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <host/config/host_settings.hpp>
#include <host/config/manifest_file.hpp>
#include <host/config/problem.hpp>
#include <host/db/embedded_postgres.hpp>
#include <host/db/migrate.hpp>
#include <host/db/pool.hpp>
#include <host/log/logging.hpp>
#include <host/outbox/transaction.hpp>
#include <host/plugins/plugin_set.hpp>
#include <host/services.hpp>
#include <host/system.hpp>

namespace radd::host {

/// What the operator or a plugin's author gave us is wrong; nothing was started.
class Refused : public Error {
public:
    explicit Refused(config::Problems problems);
    [[nodiscard]] const config::Problems& problems() const noexcept { return problems_; }

private:
    config::Problems problems_;
};

/// Whoever runs the process wants it to end before it has opened what it needs.
class Interrupted : public Error {
public:
    Interrupted() : Error{"stopped before it was ready"} {}
};

/// Settings at once; plugins, database and services when they are asked for, in this order. What
/// was opened is closed in reverse. One thread, but for what the members say of themselves.
class Installation {
public:
    /// Reads settings and manifests. @throws Refused with every problem of host.yaml, environment
    /// and command line, and then those of plugins' manifests with them; these alone wait for
    /// load_plugins().
    explicit Installation(const config::CommandLine& command_line);
    Installation(const Installation&) = delete;
    Installation& operator=(const Installation&) = delete;
    ~Installation();

    [[nodiscard]] const config::HostConfig& config() const noexcept { return config_; }
    [[nodiscard]] const config::HostSettings& settings() const noexcept { return config_.settings; }
    /// As they stand in manifests_dir, sound or not.
    [[nodiscard]] const std::vector<config::PluginFile>& plugin_files() const noexcept {
        return manifests_.plugins;
    }
    [[nodiscard]] log::Logging& logging() noexcept { return *logging_; }
    [[nodiscard]] Log& log() noexcept { return *log_; }
    [[nodiscard]] SystemClock& clock() noexcept { return clock_; }
    [[nodiscard]] SystemRandom& random() noexcept { return random_; }

    /// Loads and validates every enabled plugin; touches no database. The set keeps what was
    /// refused and why. Once.
    loader::PluginSet& load_plugins();
    /// What is wrong with the manifests' files and with the plugins, together.
    [[nodiscard]] config::Problems plugin_problems();
    /// load_plugins() from private copies in data_dir, for whoever runs plugins and not only looks
    /// at them. New builds are tried in a child first, unless there are more threads than this one
    /// and `idle_threads` that hold no lock. @throws Refused if any required plugin was refused,
    /// ConfigError if data_dir cannot be used.
    loader::PluginSet& require_plugins(std::size_t idle_threads = 0);
    /// Where is kept what is known of plugins' builds, beside their private copies.
    [[nodiscard]] std::filesystem::path plugin_memory() const;

    /// Finds the database: the one at `database.url`, else the private one, which it starts.
    /// Waits at most `startup_timeout` for a server that is not there yet, and then checks that
    /// it is one we can work with. @throws Unavailable, ConfigError, each with the remedy, and
    /// Interrupted soon after the answer of interrupt_when() has become true.
    db::Pool& connect(const std::string& purpose);
    void interrupt_when(std::function<bool()> wanted) { interrupt_wanted_ = std::move(wanted); }
    void require_wanted() const;  ///< @throws Interrupted by the answer of interrupt_when().
    [[nodiscard]] db::ConnectOptions connect_options(const std::string& purpose);

    /// Starts the private server again if it has died; logs it, and what keeps it from starting.
    void revive_database() noexcept;

    /// The schema of core and of every loaded plugin, in start order. After load_plugins().
    [[nodiscard]] std::vector<db::MigrationSet> migration_sets();
    /// The tables of their declared entities, likewise; they come after.
    [[nodiscard]] std::vector<db::PlannedMigrations> entity_migrations();
    /// Applies what is pending and returns it. @throws ConfigError as db::migrate(), Refused with
    /// every change of a declared entity that cannot be made.
    std::vector<db::MigrationStatus> apply_migrations();
    void migrate();  ///< The same, and logs each.
    /// All of them, applied or not, and in `problems` what keeps an entity's from being found.
    [[nodiscard]] std::vector<db::MigrationStatus> migration_status(config::Problems& problems);
    /// @throws ConfigError naming the command if anything is pending, Refused as migrate().
    void require_migrated();

    /// Makes the services of every loaded plugin. After load_plugins() and connect().
    /// `committed` is called after each commit of theirs that carried events.
    void make_services(std::function<void()> committed);
    [[nodiscard]] PluginServices& services_of(const std::string& plugin);
    /// Destroys the services, closes every connection and gives the private server back, which
    /// may take as long as that takes to stop; after everything that uses them.
    void close_database() noexcept;
    /// For a process that ends without destroying anything: a private server that nobody else
    /// uses is told to stop, and waited for only a moment. [any-thread]
    void leave_database() noexcept;
    [[nodiscard]] Database& database();
    /// Of the loaded plugins. After make_services().
    [[nodiscard]] delivery::Queues& queues();
    [[nodiscard]] EventLog& event_log();
    [[nodiscard]] const outbox::Catalog& catalog();
    [[nodiscard]] outbox::EmitPolicy emit_policy() const;

    /// Where people reach this host: `public_url`, else `http.listen`. Without a slash at the end.
    [[nodiscard]] const std::string& public_url() const noexcept { return public_url_; }

    /// Where it listens, which is where people reach it unless `public_url` says otherwise. Before
    /// make_services(): http.listen may have left the port to the system.
    void listens_at(const std::string& url);

    void request_stop() noexcept { stop_requested_ = true; }
    [[nodiscard]] const std::atomic<bool>& stop_requested() const noexcept {
        return stop_requested_;
    }

private:
    struct Opened;
    [[nodiscard]] const loader::PluginSet* loaded()
        const noexcept;  ///< Null before load_plugins().
    void sleep(std::chrono::milliseconds time) const;
    loader::PluginSet& load_plugins_from(const std::filesystem::path& runtime_dir,
                                         std::size_t idle_threads);

    config::Environment environment_;
    config::Manifests manifests_;
    config::HostConfig config_;
    std::unique_ptr<log::Logging> logging_;
    std::unique_ptr<Log> log_;
    SystemClock clock_;
    SystemRandom random_;
    std::string public_url_;
    std::string revive_failure_;  ///< As last logged.
    std::function<bool()> interrupt_wanted_;
    std::atomic<db::EmbeddedPostgres*> embedded_{nullptr};  ///< For leave_database().
    std::atomic<bool> stop_requested_{false};
    std::unique_ptr<Opened> opened_;
};

}  // namespace radd::host
