#pragma once

/// What is run here: the objects that the loaded plugins make, and those of the host's own.

#include <memory>
#include <vector>

#include <host/consumers/listeners.hpp>
#include <host/consumers/supervisor.hpp>
#include <host/installation.hpp>

namespace radd::host {

/// Owns them; the setups, which whoever runs them takes, only name them. [boot-thread]
struct Objects {
    std::vector<std::unique_ptr<Consumer>> consumers;
    std::vector<std::unique_ptr<PeriodicTask>> tasks;
    std::vector<std::unique_ptr<TailSubscriber>> subscribers;
    std::vector<consumers::ConsumerSetup> consumer_setups;
    std::vector<consumers::TaskSetup> task_setups;
    std::vector<consumers::ListenerSetup> listener_setups;

    /// One of the host's own.
    void add_task(std::string_view name, std::unique_ptr<PeriodicTask> task, bool sleep_first);
    /// All that `plugin` makes, and what runs its cascades. What could not be made is left out and
    /// is in `problems`: E63, E64. After make_services(). @throws Unavailable
    void make(const loader::LoadedPlugin& plugin,
              Installation& installation,
              config::Problems& problems);
    void clear() noexcept;  ///< Destroys them; after whoever ran them.
};

}  // namespace radd::host
