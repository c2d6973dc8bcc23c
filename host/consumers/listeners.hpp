#pragma once

/// The tail subscribers of one process: a thread each.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <host/outbox/tail.hpp>
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

/// One subscriber as its plugin declares it.
struct ListenerSetup {
    std::string name;
    TailSubscriber* subscriber = nullptr;  ///< Lent; outlives the listeners.
};

/// Hands each subscriber what the tail has settled. The bounded buffer of the tail is the only
/// queue: who falls behind further than it reaches is told of the gap.
class Listeners {
public:
    /// Begins at once, at the head. `tail`, `clock` and `log` outlive it, and what it was lent; the
    /// tail has been started, and is stopped later.
    Listeners(std::vector<ListenerSetup> setups, outbox::Tail& tail, Clock& clock, Log& log);
    Listeners(const Listeners&) = delete;
    Listeners& operator=(const Listeners&) = delete;
    ~Listeners();  ///< As stop() without grace.

    /// Offers nothing more. Names of subscribers that did not return within `grace`: they are left
    /// behind, and the process must end without destroying what they use. Safe twice.
    std::vector<std::string> stop(std::chrono::milliseconds grace);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;  ///< Also each thread's, which may be left behind.
};

}  // namespace radd::consumers
