#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include <host/config/environment.hpp>
#include <host/config/scalars.hpp>
#include <host/db/backoff.hpp>
#include <host/db/server_checks.hpp>
#include <host/db/server_process.hpp>
#include <host/declared_catalog.hpp>
#include <host/delivery/key_ring.hpp>
#include <host/delivery/outbound.hpp>
#include <host/installation.hpp>
#include <host/outbox/stored_events.hpp>

namespace radd::host {
namespace {

std::string listed(const config::Problems& problems) {
    std::string text;
    for (const auto& problem : problems) text += config::to_text(problem) + "\n";
    return text;
}

LogLevel level_of(const config::HostConfig& config) {
    return config.settings.log_level;
}

log::Format format_of(const config::HostConfig& config) {
    return config.settings.log_format == config::LogFormat::json ? log::Format::json
                                                                 : log::Format::human;
}

std::string default_public_url(const config::Endpoint& listen) {
    return "http://" +
           (listen.host.find(':') == std::string::npos ? listen.host : "[" + listen.host + "]") +
           ":" + std::to_string(listen.port);
}

/// Where this installation keeps its plugins: beside the executable, as `cmake --install` and as
/// the build tree lay them out. Empty: neither is there.
std::filesystem::path own_plugins_dir() {
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const auto prefix = executable.parent_path().parent_path();
    for (const char* place : {"lib/radd/plugins", "plugins"}) {
        auto folder = prefix / place;
        if (std::filesystem::is_directory(folder, error)) return folder;
    }
    return {};
}

/// Made here, so that there is one complaint about it and not one for each plugin that is copied.
void make_data_dir(const config::HostSettings& settings) {
    namespace fs = std::filesystem;
    const fs::path& data_dir = settings.data_dir;
    std::error_code problem;
    const bool is_new = fs::create_directories(data_dir, problem);
    if (!problem) fs::create_directory(data_dir / "plugins", problem);
    if (problem) {
        throw ConfigError{data_dir.string() + ": cannot be used: " + problem.message() +
                          "; choose another folder with --data-dir"};
    }
    // The private PostgreSQL of a root runs as another user, who must pass through.
    if (is_new && !settings.database_url && db::server_user())
        fs::permissions(data_dir,
                        fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
}

/// A key beside a private database protects its dumps; one beside a server's would be a guess.
delivery::KeyRing::Source key_source(const config::HostSettings& settings) {
    if (settings.secrets_key_file) return {.file = *settings.secrets_key_file};
    if (settings.database_url) return {};
    return {.file = settings.data_dir / "secrets.keys", .make_if_missing = true};
}

}  // namespace

Refused::Refused(config::Problems problems)
    : Error{listed(problems)}, problems_{std::move(problems)} {}

/// Members in the order of opening; destroyed in reverse.
struct Installation::Opened {
    std::optional<db::EmbeddedPostgres> embedded;
    std::string url;
    std::optional<loader::PluginSet> plugins;
    outbox::Catalog catalog;
    std::unique_ptr<db::Pool> pool;
    std::unique_ptr<Log> outbox_log;
    std::unique_ptr<outbox::OutboxDatabase> database;
    std::unique_ptr<outbox::StoredEvents> event_log;
    std::unique_ptr<DeclaredCatalog> declared;
    std::map<std::string, std::unique_ptr<PluginServices>, std::less<>> services;
    ServiceRegistry registry;
    std::vector<NotificationKindSpec> notification_kinds;
    delivery::Queues queues;
    std::unique_ptr<delivery::OutboundClient> http_client;
    std::unique_ptr<delivery::KeyRing> secrets;
};

Installation::Installation(const config::CommandLine& command_line)
    : environment_{config::process_environment()},
      manifests_{config::load_manifests(config::find_manifests_dir(environment_, command_line))},
      opened_{std::make_unique<Opened>()} {
    const auto& host = manifests_.host;
    config_ = config::resolve_host_settings(
        host ? &host->root : nullptr, host ? host->file : "", environment_, command_line);
    if (config::has_errors(config_.problems)) {
        config::Problems all = config_.problems;
        all.insert(all.end(), manifests_.problems.begin(), manifests_.problems.end());
        throw Refused{std::move(all)};
    }

    auto& plugins_dir_origin = config_.origins["plugins_dir"];
    if (plugins_dir_origin.kind == config::Origin::Kind::built_in) {
        if (auto own = own_plugins_dir(); !own.empty()) {
            config_.settings.plugins_dir = std::move(own);
            plugins_dir_origin.text = "default, beside the executable";
        }
    }

    logging_ = std::make_unique<log::Logging>(
        log::Options{.level = level_of(config_), .format = format_of(config_)});
    log_ = logging_->logger("radd");
    for (const auto& problem : config_.problems) log_->warn(config::to_text(problem));
    public_url_ = settings().public_url.value_or(default_public_url(settings().http_listen));
    while (public_url_.ends_with('/')) public_url_.pop_back();
}

Installation::~Installation() = default;

loader::PluginSet& Installation::load_plugins() {
    return load_plugins_from({}, 0);
}

std::filesystem::path Installation::plugin_memory() const {
    return settings().data_dir / "plugins";
}

loader::PluginSet& Installation::load_plugins_from(const std::filesystem::path& runtime_dir,
                                                   std::size_t idle_threads) {
    if (opened_->plugins) return *opened_->plugins;
    opened_->plugins.emplace(loader::load({.plugins_dir = settings().plugins_dir,
                                           .manifests = manifests_.plugins,
                                           .runtime_dir = runtime_dir,
                                           .memory_dir = plugin_memory(),
                                           .idle_threads = idle_threads,
                                           .now = clock_.now(),
                                           .safe_mode = settings().safe_mode,
                                           .environment = config::lookup_in(environment_)}));
    opened_->plugins->fill(opened_->catalog);
    return *opened_->plugins;
}

config::Problems Installation::plugin_problems() {
    config::Problems all = manifests_.problems;
    const auto& loaded = load_plugins().problems();
    all.insert(all.end(), loaded.begin(), loaded.end());
    return all;
}

loader::PluginSet& Installation::require_plugins(std::size_t idle_threads) {
    // Private copies: a library that is overwritten while it is mapped takes the process with it.
    make_data_dir(settings());
    auto& set = load_plugins_from(plugin_memory(), idle_threads);
    const auto problems = plugin_problems();
    if (!set.may_start() || config::has_errors(manifests_.problems)) throw Refused{problems};
    for (const auto& problem : problems) log_->warn(config::to_text(problem));
    return set;
}

db::ConnectOptions Installation::connect_options(const std::string& purpose) {
    if (opened_->url.empty()) {
        if (settings().database_url) {
            opened_->url = *settings().database_url;
        } else {
            opened_->embedded.emplace(db::EmbeddedPostgres::attach_or_start(
                settings().data_dir,
                [this](const std::string& line) { log_->info(line); },
                [this] { require_wanted(); }));
            embedded_ = &*opened_->embedded;
            opened_->url = opened_->embedded->url();
        }
    }
    return {.url = opened_->url,
            .application_name = "radd " + purpose,
            .statement_timeout = settings().database_statement_timeout,
            .prepared_statements = settings().database_prepared_statements};
}

void Installation::listens_at(const std::string& url) {
    if (!settings().public_url) public_url_ = url;
}

void Installation::require_wanted() const {
    if (interrupt_wanted_ && interrupt_wanted_()) throw Interrupted{};
}

void Installation::sleep(std::chrono::milliseconds time) const {
    constexpr std::chrono::milliseconds slice{20};
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        require_wanted();
        std::this_thread::sleep_for(slice);
    }
}

db::Pool& Installation::connect(const std::string& purpose) {
    if (opened_->pool) return *opened_->pool;
    const auto options = connect_options(purpose);
    const auto deadline = std::chrono::steady_clock::now() + settings().startup_timeout;
    const db::Backoff backoff{random_, std::chrono::milliseconds{100}, std::chrono::seconds{2}};
    for (std::int64_t failures = 1;; ++failures) {
        try {
            db::Session session{options};
            db::check_server(session);
            break;
        } catch (const Unavailable& failure) {
            if (std::chrono::steady_clock::now() >= deadline) throw;
            if (failures == 1) {
                log_->warn(std::string{failure.what()} + "; trying for up to " +
                           config::shown(settings().startup_timeout));
            }
            sleep(backoff.after(failures));
        }
    }
    opened_->pool = std::make_unique<db::Pool>(options, settings().database_pool_size);
    return *opened_->pool;
}

void Installation::revive_database() noexcept {
    if (!opened_->embedded) return;
    try {
        const auto progress = [this](const std::string& line) { log_->info(line); };
        if (opened_->embedded->revive(progress, [this] { require_wanted(); }))
            log_->error("private PostgreSQL: the server had died and was started again; see " +
                        (settings().data_dir / "postgres.log").string());
        revive_failure_.clear();
    } catch (const Interrupted&) {
        // Whoever stops the host stops the server as well.
    } catch (const std::exception& failure) {
        // Once: it is tried every second, and the tail tells of the outage meanwhile.
        if (revive_failure_ != failure.what()) log_->error(failure.what());
        revive_failure_ = failure.what();
    }
}

const loader::PluginSet* Installation::loaded() const noexcept {
    return opened_->plugins ? &*opened_->plugins : nullptr;
}

void Installation::make_services(std::function<void()> committed) {
    auto& pool = connect("services");
    opened_->outbox_log = logging_->logger("outbox");
    opened_->database = std::make_unique<outbox::OutboxDatabase>(pool,
                                                                 opened_->catalog,
                                                                 emit_policy(),
                                                                 *opened_->outbox_log,
                                                                 "plugin",
                                                                 std::move(committed));
    opened_->http_client =
        std::make_unique<delivery::OutboundClient>(settings().outbound_allow, "radd/" RADD_VERSION);
    opened_->secrets = std::make_unique<delivery::KeyRing>(key_source(settings()), random_);
    opened_->event_log = std::make_unique<outbox::StoredEvents>(pool, opened_->catalog);
    for (const auto& plugin : load_plugins().plugins()) {
        const auto& kinds = plugin->manifest.notification_kinds;
        opened_->notification_kinds.insert(
            opened_->notification_kinds.end(), kinds.begin(), kinds.end());
    }
    opened_->declared = std::make_unique<DeclaredCatalog>(
        opened_->catalog,
        [this](const std::string& plugin) -> Services& { return services_of(plugin); });
    const SharedServices shared{.clock = clock_,
                                .random = random_,
                                .database = *opened_->database,
                                .event_log = *opened_->event_log,
                                .catalog = *opened_->declared,
                                .registry = opened_->registry,
                                .queues = opened_->queues,
                                .http_client = *opened_->http_client,
                                .secrets = *opened_->secrets,
                                .retry_schedule = settings().webhook_retry_schedule,
                                .notification_kinds = opened_->notification_kinds,
                                .public_url = public_url_,
                                .stop_requested = stop_requested_};
    for (const auto& plugin : load_plugins().plugins()) {
        auto log = plugin->config.log_level
                       ? logging_->logger(plugin->id, *plugin->config.log_level)
                       : logging_->logger(plugin->id);
        auto services = std::make_unique<PluginServices>(shared, *plugin->settings, std::move(log));
        for (const auto& spec : plugin->manifest.services) opened_->registry.add(spec, *services);
        for (const auto& spec : plugin->manifest.delivery_queues) opened_->queues.add(spec.name);
        opened_->services.emplace(plugin->id, std::move(services));
    }
}

void Installation::close_database() noexcept {
    opened_->registry.clear();
    opened_->services.clear();
    opened_->event_log.reset();
    opened_->database.reset();
    opened_->pool.reset();
    if (!opened_->embedded) return;
    try {
        opened_->embedded->release();
    } catch (const std::exception& failure) {
        log_->error(failure.what());
    }
}

void Installation::leave_database() noexcept {
    constexpr std::chrono::milliseconds patience{500};
    if (auto* embedded = embedded_.load()) embedded->leave(patience);
}

PluginServices& Installation::services_of(const std::string& plugin) {
    return *opened_->services.at(plugin);
}

EventLog& Installation::event_log() {
    return *opened_->event_log;
}

Database& Installation::database() {
    return *opened_->database;
}

delivery::Queues& Installation::queues() {
    return opened_->queues;
}

const outbox::Catalog& Installation::catalog() {
    return opened_->catalog;
}

outbox::EmitPolicy Installation::emit_policy() const {
    return {.undeclared_subject_is_error = settings().emit_strict,
            .check_payload_schema = settings().emit_check_payload_schema,
            .strict = settings().emit_strict};
}

}  // namespace radd::host
