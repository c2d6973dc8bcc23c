/// A plugin that is built without CMake.

#include <radd/plugin.hpp>

namespace {

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID, .version = RADD_PLUGIN_VERSION};
}

}  // namespace

RADD_PLUGIN(manifest)
