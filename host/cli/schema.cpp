// radd schema: what may stand in manifests.

#include <ostream>

#include <host/cli/commands.hpp>
#include <host/cli/manifest_schema.hpp>
#include <host/config/suggest.hpp>
#include <host/installation.hpp>

namespace radd::cli {
namespace {

nlohmann::ordered_json schema_of(const loader::PluginSet& set, const std::string& id) {
    if (const auto* plugin = set.find(id)) return plugin_schema(*plugin);
    std::vector<std::string> ids;
    for (const auto& plugin : set.plugins()) ids.push_back(plugin->id);
    auto suggestion = config::did_you_mean(id, ids);
    if (!suggestion.empty()) suggestion = ". " + suggestion;
    throw InvalidInput{id,
                       "no loaded plugin is called so" + suggestion +
                           "; `radd plugins` lists all, `radd why " + id + "` tells more"};
}

}  // namespace

int schema(Invocation& invocation, const std::optional<std::string>& id) {
    host::Installation installation{invocation.settings};
    const auto& set = installation.load_plugins();
    invocation.out << (id ? schema_of(set, *id) : manifests_schema(set)).dump(2) << '\n';
    if (!id && !set.refused().empty())
        invocation.err
            << "some plugins were refused, and what they take is not known; `radd check` "
               "tells why\n";
    return exit_ok;
}

}  // namespace radd::cli
