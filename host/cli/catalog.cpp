// radd catalog: the event types and the actions of the loaded plugins.

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <host/api/asyncapi.hpp>
#include <host/api/catalog_json.hpp>
#include <host/cli/commands.hpp>
#include <host/cli/table.hpp>
#include <host/installation.hpp>

namespace radd::cli {
namespace {

struct Row {
    const EventTypeSpec* spec;
    std::string plugin;
};

std::string marks(const EventTypeSpec& spec) {
    std::string text;
    const auto mark = [&](bool is_set, const char* word) {
        if (is_set) text += (text.empty() ? "" : ", ") + std::string{word};
    };
    mark(spec.has_changes, "changes");
    mark(spec.payload_schema.has_value(), "schema");
    mark(!spec.trigger, "no trigger");
    mark(!spec.audited, "not audited");
    mark(spec.readable_by == Role::admin, "admins only");
    return text;
}

/// By group and then by name, as somebody looks for one.
void print_table(Invocation& invocation, const loader::PluginSet& plugins) {
    std::vector<Row> rows;
    for (const auto& plugin : plugins.plugins()) {
        for (const auto& spec : plugin->manifest.event_types) rows.push_back({&spec, plugin->id});
    }
    std::ranges::sort(rows, [](const Row& left, const Row& right) {
        return std::pair{left.spec->group, left.spec->type.name()} <
               std::pair{right.spec->group, right.spec->type.name()};
    });
    constexpr std::size_t width_min = 12;
    Table table{{{"GROUP", Align::left, width_min},
                 {"TYPE", Align::left, width_min},
                 {"LABEL", Align::left, width_min},
                 {"PLUGIN", Align::left, width_min},
                 {"MARKS", Align::left, width_min}}};
    for (const auto& [spec, plugin] : rows)
        table.add({spec->group, std::string{spec->type.name()}, spec->label, plugin, marks(*spec)});
    if (table.empty()) {
        invocation.err << "no loaded plugin declares an event type; `radd plugins` lists them\n";
        return;
    }
    table.print(invocation.out, invocation.terminal);
}

void print_actions(Invocation& invocation, const loader::PluginSet& plugins) {
    constexpr std::size_t width_min = 12;
    Table table{{{"ACTION", Align::left, width_min},
                 {"LABEL", Align::left, width_min},
                 {"ON", Align::left, width_min},
                 {"PLUGIN", Align::left, width_min}}};
    for (const auto& plugin : plugins.plugins()) {
        for (const auto& spec : plugin->manifest.actions)
            table.add({spec.name,
                       spec.label,
                       spec.subject ? std::string{spec.subject->name()} : "",
                       plugin->id});
    }
    if (table.empty()) return;
    invocation.out << '\n';
    table.print(invocation.out, invocation.terminal);
}

}  // namespace

int catalog(Invocation& invocation, const std::string& format) {
    host::Installation installation{invocation.settings};
    const auto& plugins = installation.load_plugins();
    if (format == "asyncapi") {
        invocation.out << api::asyncapi_document(plugins) << '\n';
    } else if (format == "json" || invocation.json) {
        invocation.out << api::catalog_json(plugins) << '\n';
    } else {
        print_table(invocation, plugins);
        print_actions(invocation, plugins);
    }
    if (!plugins.refused().empty())
        invocation.err << "some plugins were refused, and what they declare is not listed; `radd "
                          "check` tells why\n";
    return exit_ok;
}

}  // namespace radd::cli
