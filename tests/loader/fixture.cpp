// A plugin that misbehaves on demand: FIXTURE_FAULT in the environment names how. Built twice, as
// `probe`, whose event is about an item, and as `describer`, which describes items.

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <radd/plugin.hpp>

namespace fixture {
namespace {

enum class FixtureEvent { happened, ended };
enum class FixtureEntity { item, itme };
enum class StrangerEvent { happened };
enum class LostEvent { gone };

consteval auto event_names(FixtureEvent) {
    return std::array{radd::Named{FixtureEvent::happened, RADD_PLUGIN_ID ".happened"},
                      radd::Named{FixtureEvent::ended, RADD_PLUGIN_ID ".ended"}};
}
consteval auto event_names(StrangerEvent) {
    return std::array{radd::Named{StrangerEvent::happened, "describer.happened"}};
}
consteval auto event_names(LostEvent) {
    return std::array{radd::Named{LostEvent::gone, "describer.gone"}};
}
consteval auto entity_names(FixtureEntity) {
    return std::array{radd::Named{FixtureEntity::item, "item"},
                      radd::Named{FixtureEntity::itme, "itme"}};
}

constexpr bool describes = std::string_view{RADD_PLUGIN_ID} == "describer";

// Only `probe` misbehaves, unless the fault is meant for `describer`.
bool fault_is(std::string_view name) {
    const char* fault = std::getenv("FIXTURE_FAULT");
    return fault != nullptr && name == fault && describes == name.starts_with("describer_");
}

struct PrivateType {
    int value = 1;
};
struct NullWhat : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

// Code that runs as soon as the library is mapped leaves a trace.
struct Marker {
    Marker() {
        const char* path = std::getenv("FIXTURE_MARKER");
        if (path == nullptr) return;
        if (std::FILE* file = std::fopen(path, "w")) std::fclose(file);
    }
    // Destroyed at the end of the process, behind everything the host owns.
    ~Marker() { text_ += "gone"; }
    std::string text_ = "a text too long for the buffer inside of a string object";
};
Marker marker;

struct PerThread {
    std::string text = "a text too long for the buffer inside of a string object";
    ~PerThread() { text += "gone"; }
};
thread_local PerThread per_thread;

[[noreturn]] void wait_for_ever() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    for (;;) never.wait(lock);
}

class Reader final : public radd::ProjectionConsumer {
    void project(radd::Transaction&, const radd::Event&) override {}
};

struct Tool : radd::Service {
    static constexpr std::string_view service_name = RADD_PLUGIN_ID ".tool";
};

/// A factory of any kind, with the faults that each may have.
template <typename Object>
std::unique_ptr<Object> badly_made(radd::Services& host) {
    if (fault_is("make_throws")) throw std::runtime_error{"no licence file"};
    if (fault_is("make_throws_int")) throw 7;
    if (fault_is("make_unavailable")) throw radd::Unavailable{"the licence server is away"};
    if (fault_is("service_throws_int")) (void)host.get<Tool>();
    return nullptr;
}

void make_badly(radd::Manifest& manifest) {
    manifest.consumers[0].make = badly_made<radd::Consumer>;
    manifest.periodic_tasks = {
        {.name = RADD_PLUGIN_ID ".task", .make = badly_made<radd::PeriodicTask>}};
    manifest.tail_subscribers = {
        {.name = RADD_PLUGIN_ID ".listener", .make = badly_made<radd::TailSubscriber>}};
    manifest.delivery_queues = {
        {.name = RADD_PLUGIN_ID ".queue",
         .schedule = [](radd::Services&) { return std::vector<std::chrono::seconds>{}; },
         .make = badly_made<radd::DeliveryHandler>}};
    manifest.services = {
        radd::provide<Tool>([](radd::Services&) -> std::unique_ptr<Tool> { throw 7; })};
}

int run_badly(radd::CommandContext&) {
    if (fault_is("command_throws")) throw std::out_of_range{"row 3 of 2"};
    if (fault_is("command_is_told")) throw radd::InvalidInput{"file", "is not there"};
    throw 7;
}

void started(radd::Services&) {
    per_thread.text += "used";
    if (fault_is("startup_throws")) throw std::runtime_error{"no licence file"};
    if (fault_is("startup_throws_int")) throw 7;
    if (fault_is("startup_hangs")) wait_for_ever();
    if (fault_is("startup_crashes")) __builtin_trap();
    if (fault_is("leaves_thread")) std::thread{wait_for_ever}.detach();
    if (const char* path = std::getenv("FIXTURE_STARTED")) {
        std::FILE* file = std::fopen(path, "a");
        std::fputs(RADD_PLUGIN_ID "+", file);
        std::fclose(file);
    }
}

void stopped(radd::Services&) {
    if (const char* path = std::getenv("FIXTURE_STARTED")) {
        std::FILE* file = std::fopen(path, "a");
        std::fputs(RADD_PLUGIN_ID "-", file);
        std::fclose(file);
    }
    if (fault_is("shutdown_throws")) throw PrivateType{};
}

radd::RouteSpec a_route(std::string path) {
    return {.path = std::move(path),
            .access = radd::Access::anyone,
            .summary = "Say nothing",
            .handle = [](const radd::HttpRequest&, radd::Services&) { return radd::no_content(); }};
}

void refer_to_nothing(radd::Manifest& manifest) {
    if (fault_is("lost_cascade"))
        manifest.cascades = {{.name = RADD_PLUGIN_ID ".sweep",
                              .parent_event = LostEvent::gone,
                              .sweep = [](radd::Transaction&, std::string_view) {}}};
    if (fault_is("lost_action"))
        manifest.actions = {
            {.name = RADD_PLUGIN_ID ".act",
             .label = "Act",
             .subject = radd::EntityType{FixtureEntity::itme},
             .arguments = radd::JsonText{R"({"type":"object"})"},
             .plan = [](radd::Transaction&,
                        radd::Services&,
                        const radd::ActionCall&) { return radd::ActionPlan{}; },
             .apply = [](radd::Transaction&, radd::Services&, const radd::ActionPlan&) {}}};
}

void misbehave(radd::Manifest& manifest) {
    refer_to_nothing(manifest);
    if (fault_is("throws_int")) throw 42;
    if (fault_is("throws_private")) throw PrivateType{};
    if (fault_is("manifest_crashes")) __builtin_trap();
    if (fault_is("manifest_exits")) std::_Exit(3);
    if (fault_is("manifest_hangs")) wait_for_ever();
    if (fault_is("null_what")) throw NullWhat{};
    // 506 bytes and then characters of two bytes each: the cut falls into one of them.
    if (fault_is("long_text")) {
        std::string text(506, 'x');
        for (int i = 0; i < 20; ++i) text += "ä";
        throw std::runtime_error{text};
    }
    if (fault_is("wrong_id")) manifest.id = "prober";
    if (fault_is("wrong_version")) manifest.version = "9.9.9";
    if (fault_is("undescribed")) manifest.event_types[0].subjects = {FixtureEntity::itme};
    if (fault_is("enum_gap")) manifest.event_types.pop_back();
    if (fault_is("needs_missing")) manifest.depends_on = {"describr"};
    if (fault_is("needs_describer")) manifest.depends_on = {"describer"};
    if (fault_is("duplicate_consumer")) manifest.consumers[0].name = "describer.reader";
    if (fault_is("duplicate_event"))
        manifest.event_types.push_back({.type = StrangerEvent::happened, .label = "Stolen"});
    if (fault_is("bad_routes")) {
        manifest.routes.push_back(a_route("probe"));
        manifest.routes.push_back(a_route("/api/v1/events"));
        manifest.routes.push_back(a_route("/probe/{other}"));
        manifest.routes.push_back({.method = radd::HttpMethod::post,
                                   .path = "/probe",
                                   .summary = "Nothing",
                                   .request_schema = "{",
                                   .handle = {}});
    }
    if (fault_is("empty_label")) manifest.event_types[0].label = " ";
    if (fault_is("foreign_consumer")) manifest.consumers[0].name = "stranger.reader";
    if (fault_is("huge_batch")) manifest.consumers[0].batch = 1001;
    if (fault_is("no_factory")) manifest.consumers[0].make = {};
    if (fault_is("bad_schema")) manifest.event_types[0].payload_schema = radd::JsonText{"[]"};
    if (fault_is("event_twice")) manifest.event_types.push_back(manifest.event_types[0]);
    if (fault_is("needs_itself")) manifest.depends_on = {RADD_PLUGIN_ID};
    if (fault_is("stolen_route")) manifest.routes.push_back(a_route("/describer/{key}"));
    for (const char* fault :
         {"make_throws", "make_throws_int", "make_unavailable", "make_null", "service_throws_int"})
        if (fault_is(fault)) make_badly(manifest);
    for (const char* fault : {"command_throws", "command_throws_int", "command_is_told"})
        if (fault_is(fault))
            manifest.commands = {
                {.words = "probe act", .usage = "", .help = "Act", .run = run_badly}};
    if (fault_is("describer_refused")) manifest.event_types[0].label = "";
    if (fault_is("describer_crashes")) std::abort();
}

}  // namespace

radd::Manifest manifest() {
    radd::Manifest manifest{.id = RADD_PLUGIN_ID, .version = RADD_PLUGIN_VERSION};
    manifest.event_types = {{.type = FixtureEvent::happened, .label = "It happened"},
                            {.type = FixtureEvent::ended, .label = "It ended"}};
    manifest.settings = {radd::integer("size", 10, {1, 100})};
    manifest.consumers = {{.name = RADD_PLUGIN_ID ".reader",
                           .make = [](radd::Services&) -> std::unique_ptr<radd::Consumer> {
                               return std::make_unique<Reader>();
                           }}};
    manifest.routes = {a_route("/" RADD_PLUGIN_ID "/{name}")};
    manifest.on_startup = started;
    manifest.on_shutdown = stopped;
    if (describes)
        manifest.entity_refs = {{.entity_type = FixtureEntity::item,
                                 .label = "Item",
                                 .ref = [](radd::Transaction&, std::span<const std::string> ids) {
                                     return std::vector<std::optional<radd::JsonText>>(ids.size());
                                 }}};
    else
        manifest.event_types[0].subjects = {FixtureEntity::item};
    misbehave(manifest);
    return manifest;
}

}  // namespace fixture

RADD_PLUGIN(fixture::manifest)
