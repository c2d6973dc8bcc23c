// radd schema: what may stand in manifests.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include <host/cli/commands.hpp>
#include <host/cli/manifest_schema.hpp>
#include <host/config/suggest.hpp>
#include <host/installation.hpp>
#include <host/plugins/report.hpp>
#include <host/plugins/seal.hpp>

namespace radd::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Where the library of `id` is, or would be if a manifest were written for it. Empty: it has none.
std::filesystem::path library_of(const host::Installation& installation, const std::string& id) {
    if (!config::is_plugin_id(id)) return {};
    const auto& files = installation.plugin_files();
    const auto file = std::ranges::find(files, id, &config::PluginFile::id);
    const std::string name = file == files.end() ? id + ".so" : file->library;
    return name.empty() ? std::filesystem::path{} : installation.settings().plugins_dir / name;
}

/// From the library's seal: none of its code runs, and it may be disabled or refused, as one is
/// that lacks a setting. Empty: there is no such seal.
std::optional<Json> schema_by_seal(const host::Installation& installation,
                                   const std::string& id,
                                   std::ostream& err) {
    const auto library = library_of(installation, id);
    if (library.empty()) return std::nullopt;
    const auto found = loader::inspect(library);
    if (!found.said || !found.elf->note || found.elf->note->id != id) return std::nullopt;
    std::optional<Json> schema;
    try {
        schema = sealed_schema(id, loader::read_seal(*found.said));
    } catch (const Error& broken) {
        throw Error{library.string() + ": its seal cannot be used: " + broken.what() +
                    "; rebuild the plugin"};
    }
    if (config::has_errors(found.problems))
        err << "this host would not open " << library.string() << "; `radd inspect "
            << library.string() << "` tells why\n";
    return schema;
}

Json schema_by_loading(const loader::PluginSet& set, const std::string& id) {
    if (const auto* plugin = set.find(id)) return plugin_schema(*plugin);
    std::vector<std::string> ids;
    for (const auto& plugin : set.plugins()) ids.push_back(plugin->id);
    auto suggestion = config::did_you_mean(id, ids);
    if (!suggestion.empty()) suggestion = ". " + suggestion;
    throw InvalidInput{id,
                       "no loaded plugin is called so" + suggestion +
                           "; `radd plugins` lists all, `radd why " + id + "` tells more"};
}

Json schema_of_all(const loader::PluginSet& set, std::ostream& err) {
    if (!set.refused().empty())
        err << "some plugins were refused, and what they take is not known; `radd check` tells "
               "why\n";
    return manifests_schema(set);
}

}  // namespace

int schema(Invocation& invocation, const std::optional<std::string>& id) {
    host::Installation installation{invocation.settings};
    std::optional<Json> schema;
    if (id) schema = schema_by_seal(installation, *id, invocation.err);
    if (!schema) {
        const auto& set = installation.load_plugins();
        schema = id ? schema_by_loading(set, *id) : schema_of_all(set, invocation.err);
    }
    invocation.out << schema->dump(2) << '\n';
    return exit_ok;
}

}  // namespace radd::cli
