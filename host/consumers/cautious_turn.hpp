#pragma once

/// Whose event may have killed the process: one at a time, so that the answer is one.

#include <chrono>
#include <cstdint>

namespace radd::consumers {

/// While one lives, no other consumer of this process begins a counted attempt. A process dies as
/// a whole: without turns, the event that another consumer was at would be counted along, and be
/// set aside for what it did not do. Begun before the attempt is counted, ended after it.
class CautiousTurn {
public:
    /// Long enough for a handler that works; one that hangs loses its turn to the next.
    static constexpr std::chrono::seconds wait_max{2};

    CautiousTurn();  ///< Waits wait_max at most. [any-thread]
    CautiousTurn(const CautiousTurn&) = delete;
    CautiousTurn& operator=(const CautiousTurn&) = delete;
    ~CautiousTurn();

private:
    std::uint64_t number_ = 0;
};

}  // namespace radd::consumers
