#include <string>
#include <utility>

#include <host/consumers/cascade.hpp>
#include <host/objects.hpp>
#include <host/plugins/factory.hpp>

namespace radd::host {
namespace {

consumers::ConsumerSetup setup_of(const loader::LoadedPlugin& plugin,
                                  const ConsumerSpec& spec,
                                  Consumer& consumer) {
    consumers::ConsumerSetup setup{.declaration = {.name = spec.name,
                                                   .plugin = plugin.id,
                                                   .plugin_version = plugin.manifest.version,
                                                   .first_start = consumer.traits().first_start,
                                                   .bootstraps = consumer.traits().bootstraps,
                                                   .resume = spec.resume},
                                   .listens_to = spec.listens_to,
                                   .batch = static_cast<std::size_t>(spec.batch),
                                   .deadline = spec.deadline,
                                   .consumer = &consumer};
    const auto found = plugin.config.consumers.find(spec.name);
    if (found == plugin.config.consumers.end()) return setup;
    const config::ConsumerOverride& change = found->second;
    if (change.batch) setup.batch = static_cast<std::size_t>(*change.batch);
    if (change.deadline) setup.deadline = *change.deadline;
    setup.declaration.paused = change.paused;
    return setup;
}

consumers::TaskSetup setup_of(const loader::LoadedPlugin& plugin,
                              const PeriodicTaskSpec& spec,
                              PeriodicTask& task) {
    return {.declaration = {.name = spec.name,
                            .plugin = plugin.id,
                            .plugin_version = plugin.manifest.version,
                            .task = true},
            .sleep_first = spec.sleep_first,
            .task = &task};
}

consumers::ListenerSetup setup_of(const loader::LoadedPlugin&,
                                  const TailSubscriberSpec& spec,
                                  TailSubscriber& subscriber) {
    return {.name = spec.name, .subscriber = &subscriber};
}

consumers::ConsumerSetup cascade_setup(const loader::LoadedPlugin& plugin,
                                       consumers::CascadeConsumer& consumer) {
    return {.declaration = {.name = consumers::cascade_consumer(plugin.id),
                            .plugin = plugin.id,
                            .plugin_version = plugin.manifest.version,
                            .first_start = consumer.traits().first_start,
                            .succeeds = std::string{consumers::cascades_before}},
            .listens_to = consumer.listens_to(),
            .consumer = &consumer};
}

}  // namespace

void Objects::add_task(std::string_view name,
                       std::unique_ptr<PeriodicTask> task,
                       bool sleep_first) {
    tasks.push_back(std::move(task));
    task_setups.push_back({.declaration = {.name = std::string{name},
                                           .plugin = "core",
                                           .plugin_version = RADD_VERSION,
                                           .task = true},
                           .sleep_first = sleep_first,
                           .task = tasks.back().get()});
}

void Objects::make(const loader::LoadedPlugin& plugin,
                   Installation& installation,
                   config::Problems& problems) {
    const Manifest& manifest = plugin.manifest;
    Services& services = installation.services_of(plugin.id);
    const auto make_all = [&](const auto& specs, auto& objects, auto& setups) {
        for (const auto& spec : specs) {
            auto object = loader::made_by(plugin, spec, services, problems);
            if (!object) continue;
            setups.push_back(setup_of(plugin, spec, *object));
            objects.push_back(std::move(object));
        }
    };
    if (!manifest.cascades.empty()) {
        auto cascade = std::make_unique<consumers::CascadeConsumer>(
            plugin.id, manifest.version, manifest.cascades, installation.log());
        consumer_setups.push_back(cascade_setup(plugin, *cascade));
        consumers.push_back(std::move(cascade));
    }
    make_all(manifest.consumers, consumers, consumer_setups);
    make_all(manifest.periodic_tasks, tasks, task_setups);
    make_all(manifest.tail_subscribers, subscribers, listener_setups);
}

void Objects::clear() noexcept {
    subscribers.clear();
    tasks.clear();
    consumers.clear();
}

}  // namespace radd::host
