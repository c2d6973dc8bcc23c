#pragma once

/// Calling the factories of manifests: where what they throw ends, and the null that they return.

#include <functional>
#include <string_view>

#include <host/config/problem.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::loader {

/// What a factory makes, for people.
[[nodiscard]] constexpr std::string_view kind_of(const ConsumerSpec&) {
    return "consumer";
}
[[nodiscard]] constexpr std::string_view kind_of(const PeriodicTaskSpec&) {
    return "periodic task";
}
[[nodiscard]] constexpr std::string_view kind_of(const TailSubscriberSpec&) {
    return "tail subscriber";
}
[[nodiscard]] constexpr std::string_view kind_of(const DeliveryQueueSpec&) {
    return "delivery queue";
}

/// Runs `make`, which answers whether there is an object now. Otherwise `problems` has one more:
/// E63 it threw, E64 it made nothing. @throws Unavailable
void call_factory(const LoadedPlugin& plugin,
                  std::string_view kind,
                  std::string_view name,
                  const std::function<bool()>& make,
                  config::Problems& problems);

/// What `spec` of `plugin` makes. Null: it could not, and `problems` says so, with its plugin, kind
/// and name. @throws Unavailable, naming them too, when that is what the factory threw: a plugin
/// is not to blame for a database that is away. [boot-thread]
template <typename Spec>
[[nodiscard]] auto made_by(const LoadedPlugin& plugin,
                           const Spec& spec,
                           Services& services,
                           config::Problems& problems) {
    decltype(spec.make(services)) object;
    call_factory(
        plugin,
        kind_of(spec),
        spec.name,
        [&] {
            object = spec.make(services);
            return object != nullptr;
        },
        problems);
    return object;
}

}  // namespace radd::loader
