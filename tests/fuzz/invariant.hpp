#pragma once

/// How a fuzz target says that something beyond "it does not crash" does not hold.

#include <stdexcept>
#include <string>

namespace fuzz {

/// Not caught by any target: it ends a fuzzer, and fails a test by its text.
class Broken : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

inline void require(bool holds, const std::string& claim) {
    if (!holds) throw Broken{"does not hold: " + claim};
}

}  // namespace fuzz
