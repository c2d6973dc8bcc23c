#include <utility>

#include <host/config/environment.hpp>
#include <unistd.h>

namespace radd::config {

Environment process_environment() {
    Environment environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
        const auto equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return environment;
}

EnvLookup lookup_in(Environment environment) {
    return [environment = std::move(environment)](std::string_view name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional{found->second};
    };
}

}  // namespace radd::config
