#include <radd/plugin.hpp>

namespace greeter {
namespace {

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID,
            .version = RADD_PLUGIN_VERSION,
            .migrations = radd::plugin_migrations()};
}

}  // namespace
}  // namespace greeter

RADD_PLUGIN(greeter::manifest)
