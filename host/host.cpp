#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <host/consumers/cascade.hpp>
#include <host/consumers/listeners.hpp>
#include <host/consumers/retention_task.hpp>
#include <host/consumers/skipped_retention_task.hpp>
#include <host/consumers/supervisor.hpp>
#include <host/delivery_front.hpp>
#include <host/host.hpp>
#include <host/objects.hpp>
#include <host/outbox/partitions_task.hpp>
#include <host/outbox/startup_checks.hpp>
#include <host/outbox/tail.hpp>
#include <host/plugins/crash_watch.hpp>
#include <host/signals.hpp>
#include <host/web_front.hpp>
#include <unistd.h>

namespace radd::host {
namespace {

constexpr std::string_view partitions_task = "radd.partitions";

/// Who we are to other hosts of the database, the same after a restart with the same manifests.
std::string installation_name(const config::HostSettings& settings) {
    if (settings.installation_name) return *settings.installation_name;
    constexpr std::size_t size_max = 256;
    std::array<char, size_max> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    return std::string{host.data()} + ':' +
           std::filesystem::absolute(settings.manifests_dir).string();
}

/// What is not here because it is broken, or because of safe mode, and not because somebody
/// disabled it.
std::vector<std::string> unloaded(const loader::PluginSet& plugins, bool safe_mode) {
    std::vector<std::string> ids;
    for (const auto& plugin : plugins.refused()) ids.push_back(plugin.id);
    if (!safe_mode) return ids;
    for (const auto& plugin : plugins.disabled()) ids.push_back(plugin.id);
    return ids;
}

}  // namespace

/// Members in the order of starting; destroyed in reverse.
struct Host::Parts {
    explicit Parts(Installation& installation)
        : signals{installation.settings().shutdown_grace,
                  [&installation](const std::string& why) {
                      installation.log().error(why);
                      installation.leave_database();
                  }},
          deliveries{installation},
          web{installation} {}

    Signals signals;
    DeliveryFront deliveries;
    WebFront web;
    std::unique_ptr<Log> tail_log;
    std::unique_ptr<Log> workers_log;
    std::unique_ptr<Log> listeners_log;
    std::unique_ptr<outbox::Tail> tail;
    Objects objects;
    std::unique_ptr<consumers::Listeners> listeners;
    std::unique_ptr<consumers::Workers> workers;
    loader::PluginSet* plugins = nullptr;
    std::optional<loader::CrashWatch> crash_watch;
    bool stopped = false;
    bool ended = false;  ///< And nothing of it is left.
};

Host::Host(Installation& installation)
    : installation_{installation}, parts_{std::make_unique<Parts>(installation)} {}

Host::~Host() {
    if (!stop()) end_now(EXIT_FAILURE);
}

void Host::start() {
    constexpr std::size_t signals_thread = 1;  // Which sleeps until there is one.
    auto& plugins = installation_.require_plugins(signals_thread);
    parts_->crash_watch.emplace(loader::crash_file(installation_.plugin_memory()), plugins);
    installation_.interrupt_when([signals = &parts_->signals] { return signals->has_come(); });
    installation_.connect("serve");
    installation_.migrate();
    {
        auto lease = installation_.connect("serve").lease("start-up checks");
        outbox::check_stream(*lease, installation_.log());
    }
    start_tail();
    installation_.make_services([tail = parts_->tail.get()] { tail->wake(); });
    parts_->plugins = &plugins;  // Before: stop() must hear of a hook that does not return.
    plugins.start([this](const loader::LoadedPlugin& plugin) -> Services& {
        return installation_.services_of(plugin.id);
    });
    // A web process makes them all the same: a plugin that cannot must be found there too.
    make_objects();
    start_workers();
    start_listeners();
    start_web();
    parts_->crash_watch->has_started();
}

void Host::start_tail() {
    const auto& settings = installation_.settings();
    parts_->tail_log = installation_.logging().logger("tail");
    parts_->tail = std::make_unique<outbox::Tail>(
        installation_.connect_options("tail"),
        outbox::TailOptions{.poll_busy = settings.consumers_poll_busy,
                            .poll_idle = settings.consumers_poll_idle,
                            .buffer_bytes_max = settings.consumers_buffer_bytes,
                            .random = &installation_.random()},
        installation_.clock(),
        *parts_->tail_log);
    parts_->tail->start(settings.startup_timeout, [this] { installation_.require_wanted(); });
}

void Host::start_workers() {
    const auto& settings = installation_.settings();
    parts_->workers_log = installation_.logging().logger("workers");
    parts_->workers = std::make_unique<consumers::Workers>(
        consumers::WorkersParts{.pool = installation_.connect("serve"),
                                .tail = *parts_->tail,
                                .catalog = installation_.catalog(),
                                .policy = installation_.emit_policy(),
                                .clock = installation_.clock(),
                                .random = installation_.random(),
                                .log = *parts_->workers_log},
        consumers::WorkersOptions{
            .run_workers = settings.run_workers,
            .lease = settings.consumers_lease,
            .installation = installation_name(settings),
            .unloaded_plugins = unloaded(*parts_->plugins, settings.safe_mode)},
        std::move(parts_->objects.consumer_setups),
        std::move(parts_->objects.task_setups));
    parts_->workers->start();
    parts_->deliveries.start();
}

void Host::start_listeners() {
    parts_->listeners_log = installation_.logging().logger("listeners");
    parts_->listeners =
        std::make_unique<consumers::Listeners>(std::move(parts_->objects.listener_setups),
                                               *parts_->tail,
                                               installation_.clock(),
                                               *parts_->listeners_log);
}

void Host::start_web() {
    std::vector<std::string> loaded;
    for (const auto& plugin : parts_->plugins->plugins()) {
        for (const auto& spec : plugin->manifest.consumers) loaded.push_back(spec.name);
        for (const auto& spec : plugin->manifest.periodic_tasks) loaded.push_back(spec.name);
        if (!plugin->manifest.cascades.empty())
            loaded.push_back(consumers::cascade_consumer(plugin->id));
    }
    loaded.emplace_back(partitions_task);
    loaded.emplace_back(DeliveryFront::retention_name);
    loaded.emplace_back(consumers::RetentionTask::name);
    loaded.emplace_back(consumers::SkippedRetentionTask::name);
    parts_->web.start({.tail = *parts_->tail,
                       .workers = *parts_->workers,
                       .deliveries = parts_->deliveries,
                       .loaded = std::move(loaded)});
}

void Host::make_objects() {
    Objects& objects = parts_->objects;
    // The start-up check has just done its work.
    objects.add_task(
        partitions_task,
        std::make_unique<outbox::PartitionsTask>(installation_.database(), installation_.log()),
        true);
    make_retention();
    config::Problems problems;
    parts_->deliveries.make(*parts_->plugins, problems);
    objects.task_setups.push_back(parts_->deliveries.retention());
    for (const auto& plugin : parts_->plugins->plugins())
        objects.make(*plugin, installation_, problems);
    if (config::has_errors(problems)) throw Refused{std::move(problems)};
}

void Host::make_retention() {
    const auto add = [&](std::string_view name, std::unique_ptr<PeriodicTask> task) {
        // Nobody asked for it: not even a row of radd.consumers.
        if (task->enabled()) parts_->objects.add_task(name, std::move(task), false);
    };
    const auto& settings = installation_.settings();
    add(consumers::RetentionTask::name,
        std::make_unique<consumers::RetentionTask>(
            installation_.connect("serve"),
            static_cast<std::int64_t>(settings.retention_events_keep_days),
            installation_.log()));
    add(consumers::SkippedRetentionTask::name,
        std::make_unique<consumers::SkippedRetentionTask>(
            installation_.database(),
            static_cast<std::int64_t>(settings.retention_skipped_keep_days)));
}

const std::string& Host::url() const noexcept {
    return parts_->web.url();
}

void Host::wait_for_signal(const std::function<void()>& each_second) {
    constexpr std::chrono::seconds look_every{1};
    while (!parts_->signals.wait_for(look_every)) {
        installation_.revive_database();
        if (each_second) each_second();
    }
}

Host::Condition Host::condition() const {
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    const auto outage = parts_->tail->outage();
    if (parts_->web.database_away_for() > milliseconds{0})
        return {.silent_for = milliseconds{0},
                .text = "the database is away" + (outage ? ": " + outage->reason : std::string{})};

    const auto polled_at = parts_->tail->counts().polled_at;
    const auto silent_for =
        polled_at ? duration_cast<milliseconds>(installation_.clock().steady_now() - *polled_at)
                  : milliseconds{0};
    if (outage) return {.silent_for = silent_for, .text = "cannot read: " + outage->reason};
    std::string text = "at event " + std::to_string(parts_->tail->position()) + "; ";
    if (!installation_.settings().run_workers) {
        text += "workers are off";
    } else {
        text += std::to_string(parts_->workers->owned_count()) + " consumers and tasks run here";
    }
    if (const auto holder = parts_->tail->waiting_on())
        text += "; an open transaction holds event " + std::to_string(holder->hole_id);
    return {.silent_for = silent_for, .text = text};
}

bool Host::stop() {
    if (std::exchange(parts_->stopped, true)) return parts_->ended;
    parts_->signals.begin();
    installation_.request_stop();
    installation_.interrupt_when({});
    const auto grace_ends =
        installation_.clock().steady_now() + installation_.settings().shutdown_grace;
    // At once: a request that is waited for may take as long as the grace.
    if (parts_->workers) parts_->workers->request_stop();
    drain_web();
    bool clean = stop_workers(grace_ends);
    clean = stop_web() && clean;
    clean = stop_listeners() && clean;
    if (parts_->plugins != nullptr) {
        for (const auto& problem : parts_->plugins->stop())
            installation_.log().warn(config::to_text(problem));
        clean = clean && !parts_->plugins->left_behind();
    }
    if (parts_->tail) clean = parts_->tail->stop() && clean;
    if (!clean) return false;
    parts_->workers.reset();
    parts_->deliveries.clear();
    parts_->listeners.reset();
    parts_->objects.clear();
    installation_.close_database();
    return parts_->ended = !parts_->signals.has_come_twice();
}

void Host::drain_web() {
    parts_->signals.at_second([this] { parts_->web.cut_grace(); });
    parts_->web.drain(installation_.settings().shutdown_grace);
    parts_->signals.at_second({});
}

bool Host::stop_web() {
    // Whoever still runs was waited for in drain_web(): this is for returning, not for working.
    constexpr std::chrono::milliseconds patience{500};
    if (parts_->web.stop(patience)) return true;
    installation_.log().error("a request's handler did not end in time; left behind");
    return false;
}

bool Host::stop_listeners() {
    if (!parts_->listeners) return true;
    constexpr std::chrono::milliseconds patience{500};
    const auto left = parts_->listeners->stop(patience);
    for (const auto& name : left)
        installation_.log().error(name + ": did not end in time; left behind");
    return left.empty();
}

bool Host::stop_workers(std::chrono::steady_clock::time_point grace_ends) {
    if (!parts_->workers) return true;
    parts_->signals.at_second([this] {
        parts_->workers->cut_grace();
        parts_->deliveries.cut_grace();
    });
    parts_->deliveries.request_stop();
    auto left =
        parts_->workers->stop(std::max(std::chrono::milliseconds{0},
                                       std::chrono::ceil<std::chrono::milliseconds>(
                                           grace_ends - installation_.clock().steady_now())));
    for (auto& name : parts_->deliveries.stop(grace_ends)) left.push_back(std::move(name));
    parts_->signals.at_second({});
    for (const auto& name : left)
        installation_.log().error(name + ": did not end in time; left behind");
    return left.empty();
}

void Host::end_now(int code) {
    installation_.leave_database();
    std::_Exit(code);
}

}  // namespace radd::host
