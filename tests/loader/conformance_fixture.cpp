// A plugin that breaks one rule of conformance, named by CONFORMANCE_FAULT, and keeps the others.

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <radd/plugin.hpp>
#include <sys/stat.h>

namespace {

bool fault_is(std::string_view name) {
    const char* fault = std::getenv("CONFORMANCE_FAULT");
    return fault != nullptr && name == fault;
}

[[noreturn]] void wait_for_ever() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    for (;;) never.wait(lock);
}

/// Once per process, though its plugin starts again.
void start_once() {
    static bool was_started = false;
    if (std::exchange(was_started, true)) throw std::runtime_error{"is running already"};
}

class Reader final : public radd::ProjectionConsumer {
    void project(radd::Transaction&, const radd::Event&) override {}
};

std::unique_ptr<radd::Consumer> make_reader(radd::Services&) {
    if (fault_is("factory_throws")) throw std::runtime_error{"no reader today"};
    if (fault_is("factory_throws_int")) throw 7;
    if (fault_is("factory_makes_nothing")) return nullptr;
    return std::make_unique<Reader>();
}

void started(radd::Services& host) {
    if (fault_is("starts_once")) start_once();
    if (fault_is("hangs_at_start")) wait_for_ever();
    if (fault_is("changes_directory")) std::filesystem::current_path("/");
    if (fault_is("changes_locale")) std::locale::global(std::locale{"C.UTF-8"});
    if (fault_is("sets_variable")) setenv("TZ", "Europe/Berlin", 1);
    if (fault_is("changes_mask")) umask(0);
    if (fault_is("takes_signal")) std::signal(SIGINT, SIG_IGN);
    if (fault_is("leaves_thread")) std::thread{wait_for_ever}.detach();
    if (fault_is("leaves_file")) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fault_is("needs_room") && host.settings().integer("size") < 10)
        throw radd::ConfigError{"setting 'size': is too small"};
    if (fault_is("needs_berlin") && std::filesystem::current_path() == "/")
        throw radd::ConfigError{"started in the wrong folder"};
}

void stopped(radd::Services&) {
    if (fault_is("hangs_at_stop")) wait_for_ever();
    if (fault_is("throws_at_stop")) throw std::runtime_error{"not now"};
}

/// By a stream, which follows the locale: 1000 may become 1.000.
std::string by_stream(int number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

radd::Manifest manifest() {
    static int times = 0;
    ++times;
    radd::Manifest manifest{.id = RADD_PLUGIN_ID, .version = RADD_PLUGIN_VERSION};
    manifest.description = "Breaks one rule";
    manifest.settings = {radd::integer("size", fault_is("wrong_default") ? 0 : 10, {1, 100}),
                         radd::duration("pause", std::chrono::seconds{1}),
                         radd::choice("colour", "red", {"red", "green"}),
                         radd::boolean("loud", false),
                         radd::secret("key")};
    manifest.consumers = {{.name = RADD_PLUGIN_ID ".reader", .make = make_reader}};
    manifest.on_startup = started;
    manifest.on_shutdown = stopped;
    if (fault_is("counts")) manifest.description += by_stream(times);
    if (fault_is("follows_locale")) manifest.description += by_stream(1000);
    if (fault_is("follows_zone"))
        if (const char* zone = std::getenv("TZ")) manifest.description += zone;
    return manifest;
}

}  // namespace

RADD_PLUGIN(manifest)
