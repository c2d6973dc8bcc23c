// The least that is a plugin, and a constructor that leaves a trace.

#include <cstdio>
#include <cstdlib>

#include <radd/plugin.hpp>

namespace {

struct Marker {
    Marker() {
        const char* path = std::getenv("FIXTURE_MARKER");
        if (path == nullptr) return;
        if (std::FILE* file = std::fopen(path, "w")) std::fclose(file);
    }
};
const Marker marker;

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID, .version = RADD_PLUGIN_VERSION};
}

}  // namespace

RADD_PLUGIN(manifest)
