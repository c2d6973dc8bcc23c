/// A plugin that uses what is its own to the very end: a logger of its own, a static that logs when
/// it is destroyed, thread locals on the host's threads. Each start emits one event.

#include <memory>
#include <string>

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <radd/plugin.hpp>

namespace parting {
namespace {

enum class PartingEvent { happened };
enum class PartingEntity { host };

consteval auto event_names(PartingEvent) {
    return std::array{radd::Named{PartingEvent::happened, "parting.happened"}};
}
consteval auto entity_names(PartingEntity) {
    return std::array{radd::Named{PartingEntity::host, "host"}};
}

/// Destroyed at the end of the process, behind everything that the host owns.
struct Last {
    std::shared_ptr<spdlog::logger> logger{};
    ~Last() {
        if (logger) logger->info("a static is destroyed");
    }
};
Last last;

struct PerThread {
    std::string text = "a text too long for the buffer inside of a string object";
    ~PerThread() { text += "gone"; }
};
thread_local PerThread per_thread;

/// Writes behind whoever logs; its thread ends with it, when all is written.
struct Background {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
};
std::unique_ptr<Background> background;

void tell(const char* what) {
    per_thread.text += "used";
    last.logger->info(what);
}

class Follower final : public radd::ProjectionConsumer {
    void project(radd::Transaction&, const radd::Event&) override { tell("projected"); }
};

class Listener final : public radd::TailSubscriber {
    void began(std::int64_t) override { tell("listening"); }
    void heard(const radd::Event&) override { tell("heard"); }
    void missed(std::int64_t, std::int64_t) override {}
};

void started(radd::Services& host) {
    constexpr std::size_t lines_max = 64;
    const auto sink =
        std::make_shared<spdlog::sinks::basic_file_sink_mt>(host.settings().text("file"));
    last.logger = std::make_shared<spdlog::logger>("parting", sink);
    last.logger->set_pattern("%v");
    last.logger->flush_on(spdlog::level::info);
    // And never taken out again.
    spdlog::register_logger(last.logger);
    auto pool = std::make_shared<spdlog::details::thread_pool>(lines_max, 1);
    auto logger = std::make_shared<spdlog::async_logger>("parting.background", sink, pool);
    background = std::make_unique<Background>(Background{std::move(pool), std::move(logger)});
    host.database().transact([](radd::Transaction& tx) {
        tx.emit({.type = PartingEvent::happened, .entity = PartingEntity::host, .entity_id = 1});
    });
}

void stopped(radd::Services&) {
    background->logger->info("a literal right before the stop");
    background.reset();
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .event_types = {{.type = PartingEvent::happened,
                         .label = "The host was started",
                         .entity_type = radd::EntityType{PartingEntity::host}}},
        .settings = {radd::text("file", "", "Where its lines go.")},
        .consumers = {{.name = "parting.follower",
                       .make = [](radd::Services&) { return std::make_unique<Follower>(); }}},
        .tail_subscribers = {{.name = "parting.listener",
                              .make =
                                  [](radd::Services&) { return std::make_unique<Listener>(); }}},
        .on_startup = started,
        .on_shutdown = stopped};
}

}  // namespace
}  // namespace parting

RADD_PLUGIN(parting::manifest)
