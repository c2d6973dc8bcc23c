#include <array>
#include <optional>
#include <utility>

#include <host/accounts/identities.hpp>
#include <host/accounts/secret.hpp>
#include <host/accounts/sign_in.hpp>
#include <host/api/account_routes.hpp>
#include <host/api/delivery_routes.hpp>
#include <host/api/routes.hpp>
#include <host/config/address_range.hpp>
#include <host/entities/declared_route.hpp>
#include <host/monitoring/monitor.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/event_time.hpp>
#include <host/web/cookies.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/kernel_routes.hpp>
#include <host/web/listener.hpp>
#include <host/web/openapi.hpp>
#include <host/web/router.hpp>
#include <host/web/server.hpp>
#include <host/web/session_routes.hpp>
#include <host/web/static_pages.hpp>
#include <host/web_front.hpp>
#include <unistd.h>

namespace radd::host {
namespace {

/// What kernel handlers are lent and do not use: they were made with what they need.
class KernelServices final : public Services {
public:
    KernelServices(Installation& installation, Log& log) : installation_{installation}, log_{log} {}

    [[nodiscard]] const Settings& settings() const override {
        throw ConfigError{"the kernel has no plugin settings"};
    }
    [[nodiscard]] Log& log() override { return log_; }
    [[nodiscard]] Clock& clock() override { return installation_.clock(); }
    [[nodiscard]] Random& random() override { return installation_.random(); }
    [[nodiscard]] Database& database() override { return installation_.database(); }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view queue) override {
        return installation_.queues().find(queue);
    }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        return installation_.settings().webhook_retry_schedule;
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        throw ConfigError{"the kernel tells nobody"};
    }
    [[nodiscard]] HttpClient& http_client() override {
        throw ConfigError{"the kernel calls nobody"};
    }
    [[nodiscard]] Secrets& secrets() override { throw ConfigError{"the kernel seals nothing"}; }
    [[nodiscard]] EventLog& event_log() override { return installation_.event_log(); }
    [[nodiscard]] const Catalog& catalog() const override {
        throw ConfigError{"the kernel reads what it has loaded"};
    }
    [[nodiscard]] const std::string& public_url() const override {
        return installation_.public_url();
    }
    [[nodiscard]] bool stop_requested() const noexcept override {
        return installation_.stop_requested();
    }

private:
    [[nodiscard]] Service& find(std::string_view name) override {
        throw ConfigError{"the kernel asks for no service, and not for '" + std::string{name} +
                          "'"};
    }

    Installation& installation_;
    Log& log_;
};

/// Tokens and sessions, as accounts know them.
class KnownAccounts final : public web::Authenticator {
public:
    explicit KnownAccounts(accounts::Identities& identities) : identities_{identities} {}

    std::optional<web::Identity> by_token(std::string_view token) override {
        auto principal = identities_.by_token(token);
        if (!principal) return std::nullopt;
        return web::Identity{.principal = *std::move(principal)};
    }
    std::optional<web::Identity> by_session(std::string_view cookie) override {
        auto principal = identities_.by_session(cookie);
        if (!principal) return std::nullopt;
        return web::Identity{.principal = *std::move(principal),
                             .by_session = true,
                             .csrf_token = accounts::csrf_token_of(cookie)};
    }

private:
    accounts::Identities& identities_;
};

web::ServerOptions options_of(const config::HostSettings& settings) {
    return {.threads = settings.http_threads,
            .header_timeout = settings.http_header_timeout,
            .idle_timeout = settings.http_idle_timeout,
            .request_timeout = settings.http_request_timeout,
            .connections_max = settings.http_connections_max,
            .streams_of_caller_max = settings.http_streams_of_caller_max};
}

std::string host_name() {
    constexpr std::size_t size_max = 256;
    std::array<char, size_max> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '?';
    return name.data();
}

/// Who may read /metrics: what is set, else anyone on a loopback address and administrators where
/// strangers may come by.
Access metrics_access(const config::HostSettings& settings) {
    const auto& given = settings.http_metrics_access;
    if (given) return *given == "admin" ? Access::admin : Access::anyone;
    const auto address = config::parse_address(settings.http_listen.host);
    const bool is_loopback =
        settings.http_listen.host == "localhost" ||
        (address && (config::AddressRange::parse("127.0.0.0/8")->contains(*address) ||
                     config::AddressRange::parse("::1")->contains(*address)));
    return is_loopback ? Access::anyone : Access::admin;
}

/// From then on nothing is asked that needs the database: whoever asks would only wait.
constexpr std::chrono::milliseconds away_from{1000};

}  // namespace

/// Members in the order of making; destroyed in reverse.
struct WebFront::Served {
    explicit Served(Installation& installation)
        : listener{installation.settings().http_listen.host,
                   installation.settings().http_listen.port},
          log{installation.logging().logger("web")},
          access_log{installation.logging().field_logger("access")},
          services{installation, *log} {}

    web::Listener listener;
    std::unique_ptr<db::Pool> pool;
    std::optional<accounts::Identities> identities;
    std::optional<KnownAccounts> known_accounts;
    std::optional<accounts::Passwords> passwords;
    std::optional<accounts::SignIn> sign_in;
    std::optional<monitoring::Monitor> monitor;
    std::unique_ptr<Log> log;
    std::unique_ptr<log::FieldLog> access_log;
    KernelServices services;
    web::StaticPages pages{web::embedded_pages()};
    std::optional<web::Router> router;
    std::optional<web::Dispatcher> dispatcher;
    std::optional<web::Server> server;
};

WebFront::WebFront(Installation& installation) : installation_{installation} {
    served_ = std::make_unique<Served>(installation);
    url_ = served_->listener.url();
    installation.listens_at(url_);
}

WebFront::~WebFront() = default;

void WebFront::watch(const WebFrontParts& parts) {
    const auto& settings = installation_.settings();
    auto connect = installation_.connect_options("web");
    connect.connect_timeout = std::chrono::milliseconds{1000};
    // One each for whoever works on a request, and none for whoever waits.
    served_->pool = std::make_unique<db::Pool>(connect, settings.http_threads);
    served_->identities.emplace(*served_->pool, installation_.clock());
    served_->known_accounts.emplace(*served_->identities);
    served_->passwords.emplace(installation_.random());
    served_->sign_in.emplace(
        *served_->pool, *served_->passwords, installation_.random(), *served_->log);
    served_->monitor.emplace(monitoring::MonitorParts{
        .connect = installation_.connect_options("monitoring"),
        .tail = parts.tail,
        .workers = parts.workers,
        .pools = {{"plugins", &installation_.connect("serve")}, {"web", served_->pool.get()}},
        .loaded = parts.loaded,
        .queues = installation_.queues().names(),
        .lease = settings.consumers_lease,
        .process = {.host_name = host_name(),
                    .version = RADD_VERSION,
                    .started_at = outbox::time_text(installation_.clock().now()),
                    .run_workers = settings.run_workers,
                    .private_database = !settings.database_url},
        .clock = installation_.clock(),
        .log = *served_->log});
    served_->monitor->metrics().watch_deliveries(
        [&deliveries = parts.deliveries] { return deliveries.totals(); });
    served_->monitor->start();
}

std::vector<web::Route> WebFront::routes(const WebFrontParts& parts) {
    Services& kernel = served_->services;
    auto& monitor = *served_->monitor;
    const auto& plugins = installation_.load_plugins();
    std::vector<web::Route> all;
    const auto add = [&](std::vector<RouteSpec> specs, bool needs_database) {
        for (auto& route : web::kernel_routes(std::move(specs), kernel, needs_database))
            all.push_back(std::move(route));
    };
    add(api::vital_routes(monitor, metrics_access(installation_.settings())), false);
    add(api::monitoring_routes({.monitor = monitor, .plugins = plugins}), true);
    add(api::consumer_routes(
            {.monitor = monitor, .pool = *served_->pool, .tail = parts.tail, .log = *served_->log}),
        true);
    outbox::Catalog catalog;
    plugins.fill(catalog);
    add(api::delivery_routes({.pool = *served_->pool,
                              .declared = installation_.queues().names(),
                              .log = *served_->log}),
        true);
    add(api::event_routes({.pool = *served_->pool, .catalog = catalog}), true);
    add(api::catalog_routes(plugins), true);
    add({entities::declared_route(plugins.entities())}, true);
    const api::AccountRoutesParts people{.pool = *served_->pool,
                                         .random = installation_.random(),
                                         .identities = *served_->identities,
                                         .log = *served_->log};
    add(api::account_routes(people), true);
    add(api::token_routes(people), true);
    for (const auto& plugin : plugins.plugins()) {
        for (const RouteSpec& spec : plugin->manifest.routes) {
            all.push_back({.spec = spec,
                           .owner = plugin->id,
                           .host = &installation_.services_of(plugin->id)});
        }
        for (const StreamSpec& stream : plugin->manifest.streams) {
            all.push_back({.spec = route_of(stream),
                           .owner = plugin->id,
                           .host = &installation_.services_of(plugin->id),
                           .stream = stream});
        }
    }
    std::vector<std::string> loaded;
    for (const auto& plugin : plugins.plugins()) loaded.push_back(plugin->id);
    const bool https = installation_.public_url().starts_with("https://");
    for (auto& route : web::session_routes({.sign_in = *served_->sign_in,
                       .identities = *served_->identities,
                       .public_https = https,
                       .plugins = std::move(loaded)}))
        all.push_back(std::move(route));
    web::add_openapi_route(all,
                           kernel,
                           {.version = RADD_VERSION,
                            .public_url = installation_.public_url(),
                            .session_cookie = std::string{web::session_cookie_name(https)}});
    return all;
}

void WebFront::start(const WebFrontParts& parts) {
    watch(parts);
    auto& served = *served_;
    served.router.emplace(routes(parts));
    served.dispatcher.emplace(
        web::DispatcherParts{
            .router = *served.router,
            .pages = served.pages,
            .authenticator = &*served.known_accounts,
            .database_away =
                [&probe = served.monitor->probe()] { return probe.away_for() >= away_from; },
            .clock = installation_.clock(),
            .random = installation_.random(),
            .log = *served.log},
        web::DispatcherOptions{.public_https = installation_.public_url().starts_with("https://"),
                               .trusted_proxies = installation_.settings().http_trusted_proxies});
    served.server.emplace(served.listener,
                          *served.dispatcher,
                          options_of(installation_.settings()),
                          *served.log,
                          *served.access_log,
                          [&metrics = served.monitor->metrics()](auto&&... request) {
                              metrics.observe_http(request...);
                          });
    served.monitor->metrics().watch_streams([&server = *served.server] {
        const auto counts = server.streams();
        return monitoring::StreamNumbers{.open = counts.open,
                                         .opened = counts.opened,
                                         .stalled = counts.stalled,
                                         .refused = counts.refused,
                                         .messages = counts.messages};
    });
    served.monitor->health().note_started();
}

std::chrono::milliseconds WebFront::database_away_for() const {
    return served_->monitor->probe().away_for();
}

void WebFront::drain(std::chrono::milliseconds grace) {
    if (served_->monitor) served_->monitor->health().note_stopping();
    if (served_->server) served_->server->drain(grace);
}

void WebFront::cut_grace() noexcept {
    if (served_->server) served_->server->cut_grace();
}

bool WebFront::stop(std::chrono::milliseconds patience) {
    const bool served = !served_->server || served_->server->stop(patience);
    const bool watched = !served_->monitor || served_->monitor->stop();
    // Its connections end with those of everybody else: a private server is about to stop.
    if (served) served_->pool.reset();
    return served && watched;
}

}  // namespace radd::host
