#include <utility>

#include <host/config/scalars.hpp>
#include <host/plugins/hook.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::loader {
namespace {

config::Problem problem_of(const LoadedPlugin& plugin, std::string code, std::string message) {
    return {.code = std::move(code),
            .plugin = plugin.id,
            .file = plugin.file,
            .message = std::move(message)};
}

}  // namespace

PluginSet::~PluginSet() {
    // In reverse, as they were stopped: a plugin may hold what one before it has made.
    started_.clear();
    while (!plugins_.empty()) plugins_.pop_back();
}

const LoadedPlugin* PluginSet::find(std::string_view id) const {
    for (const auto& plugin : plugins_) {
        if (plugin->id == id) return plugin.get();
    }
    return nullptr;
}

void PluginSet::start(const ServicesOf& services) {
    for (const auto& plugin : plugins_) {
        const auto timeout = plugin->config.startup_timeout.value_or(startup_timeout_);
        Services& lent = services(*plugin);
        HookEnd end;
        if (plugin->manifest.on_startup) {
            end = run_hook([plugin, &lent] { plugin->manifest.on_startup(lent); }, timeout);
        }
        if (end.in_time && !end.thrown) {
            started_.push_back({.plugin = plugin, .services = &lent});
            continue;
        }
        left_behind_ = left_behind_ || !end.in_time;
        (void)stop();
        if (end.thrown)
            throw StartFailed{problem_of(*plugin, "E60", "on_startup failed: " + *end.thrown)};
        auto problem = problem_of(
            *plugin, "E62", "on_startup did not return within " + config::shown(timeout));
        problem.hint = "Raise 'startup_timeout' in its manifest if it needs longer";
        throw StartFailed{std::move(problem)};
    }
}

config::Problems PluginSet::stop() {
    config::Problems problems;
    while (!started_.empty()) {
        const Started last = started_.back();
        started_.pop_back();
        if (!last.plugin->manifest.on_shutdown) continue;
        const auto timeout = last.plugin->config.shutdown_timeout;
        const HookEnd end =
            run_hook([last] { last.plugin->manifest.on_shutdown(*last.services); }, timeout);
        if (end.thrown)
            problems.push_back(
                problem_of(*last.plugin, "E61", "on_shutdown failed: " + *end.thrown));
        if (end.in_time) continue;
        left_behind_ = true;
        problems.push_back(problem_of(
            *last.plugin, "W65", "on_shutdown did not return within " + config::shown(timeout)));
        problems.back().severity = config::Severity::warning;
    }
    return problems;
}

}  // namespace radd::loader
