// radd quarantine: builds of plugins that are kept out, because they took a process down.

#include <ostream>

#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/table.hpp>
#include <host/installation.hpp>
#include <host/plugins/build_gate.hpp>
#include <host/plugins/known_builds.hpp>

namespace radd::cli {
namespace {

loader::KnownBuilds known_builds(const host::Installation& installation) {
    loader::KnownBuilds builds{loader::builds_file(installation.plugin_memory())};
    if (!builds.fault().empty())
        throw Error{builds.fault() + "; remove it, then every plugin is tried anew"};
    return builds;
}

std::vector<const loader::KnownBuild*> kept_out(const loader::KnownBuilds& builds) {
    std::vector<const loader::KnownBuild*> found;
    for (const auto& known : builds.builds()) {
        if (!known.reason.empty()) found.push_back(&known);
    }
    return found;
}

}  // namespace

int quarantine_list(Invocation& invocation) {
    const host::Installation installation{invocation.settings};
    const auto builds = known_builds(installation);
    const auto found = kept_out(builds);
    if (invocation.json) {
        auto list = nlohmann::ordered_json::array();
        for (const auto* known : found)
            list.push_back({{"plugin", known->plugin},
                            {"build", known->build},
                            {"since", loader::time_text(known->since)},
                            {"reason", known->reason}});
        using Json = nlohmann::ordered_json;
        invocation.out << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        return exit_ok;
    }
    constexpr std::size_t width_min = 12;
    Table table{{{"PLUGIN"},
                 {"BUILD", Align::left, width_min},
                 {"SINCE"},
                 {"REASON", Align::left, width_min}}};
    for (const auto* known : found)
        table.add({known->plugin, known->build, loader::time_text(known->since), known->reason});
    if (table.empty())
        invocation.err << "no build of a plugin is kept out\n";
    else
        table.print(invocation.out, invocation.terminal);
    return exit_ok;
}

int quarantine_clear(Invocation& invocation, const std::string& plugin) {
    const host::Installation installation{invocation.settings};
    auto builds = known_builds(installation);
    if (!builds.clear(plugin)) {
        std::string known;
        for (const auto* one : kept_out(builds)) known += ' ' + one->plugin;
        throw InvalidInput{"PLUGIN",
                           "no build of '" + plugin + "' is kept out" +
                               (known.empty() ? "" : "; these are:" + known)};
    }
    builds.write();
    if (invocation.json) {
        invocation.out << nlohmann::ordered_json{{"plugin", plugin}, {"state", "cleared"}}.dump(2)
                       << '\n';
        return exit_ok;
    }
    invocation.err << plugin << " is tried anew at the next start\n";
    return exit_ok;
}

}  // namespace radd::cli
