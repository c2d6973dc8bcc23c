// The words of `radd new-plugin`, `radd why`, `radd schema` and `radd doctor`.

#include <memory>
#include <optional>
#include <string>

#include <host/cli/grammar.hpp>
#include <host/cli/new_plugin.hpp>

namespace radd::cli {

void Grammar::add_author_commands() {
    auto project = std::make_shared<NewPluginOptions>();
    CLI::App& command =
        add(app_,
            "new-plugin",
            "Write a plugin to begin with: it builds, passes its tests and loads",
            [project](Invocation& invocation) { return new_plugin(invocation, *project); });
    command.add_option("NAME", project->id, "Its id, e.g. time_off")
        ->type_name("NAME")
        ->required()
        ->check(plugin_name_complaint);
    command.add_option("--dir", project->directory, "Where the folder NAME is made")
        ->type_name(takes::directory);

    add(app_, "doctor", "Look for what does not work, or will cause trouble", doctor);

    auto id = std::make_shared<std::string>();
    add(app_,
        "why",
        "Tell what an id is, where it comes from, and why it does or does not run",
        [id](Invocation& invocation) { return why(invocation, *id); })
        .add_option(
            "ID",
            *id,
            "A plugin, event type, entity, consumer, task, action, queue, service, command, "
            "or an error code")
        ->type_name(takes::known_name)
        ->default_str("")
        ->required();

    auto plugin = std::make_shared<std::optional<std::string>>();
    add(app_,
        "schema",
        "Print what may stand in manifests, as JSON Schema, for editors",
        [plugin](Invocation& invocation) { return schema(invocation, *plugin); })
        .add_option("ID", *plugin, "A plugin; without it: every file in manifests_dir")
        ->type_name(takes::plugin);
}

}  // namespace radd::cli
