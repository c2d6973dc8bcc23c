// Apart from the rest, so that a program which only looks at plugins needs no outbox.

#include <host/plugins/plugin_set.hpp>

namespace radd::loader {

void PluginSet::fill(outbox::Catalog& catalog) const {
    for (const auto& plugin : plugins_) {
        for (const EventTypeSpec& spec : plugin->manifest.event_types)
            catalog.add(spec, plugin->id);
        for (const EntityRefSpec& spec : plugin->manifest.entity_refs)
            catalog.add(spec, plugin->id);
    }
}

}  // namespace radd::loader
