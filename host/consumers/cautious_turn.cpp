#include <condition_variable>
#include <mutex>

#include <host/consumers/cautious_turn.hpp>

namespace radd::consumers {
namespace {

struct Turns {
    std::mutex mutex{};
    std::condition_variable ended{};
    std::uint64_t begun = 0;
    std::uint64_t current = 0;  ///< 0: nobody's.
};

/// Of the process, however many hosts a test runs in it.
Turns& turns() {
    static Turns all;
    return all;
}

}  // namespace

CautiousTurn::CautiousTurn() {
    Turns& all = turns();
    std::unique_lock lock{all.mutex};
    // False after a wait in vain: then this takes the turn away.
    (void)all.ended.wait_for(lock, wait_max, [&] { return all.current == 0; });
    number_ = ++all.begun;
    all.current = number_;
}

CautiousTurn::~CautiousTurn() {
    Turns& all = turns();
    const std::scoped_lock lock{all.mutex};
    if (all.current != number_) return;
    all.current = 0;
    all.ended.notify_one();
}

}  // namespace radd::consumers
