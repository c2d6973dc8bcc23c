#pragma once

/// Waiting that ends the run when it is in vain: a figure is of what has happened.

#include <chrono>
#include <stdexcept>
#include <string>

#include <tests/support/wait.hpp>

namespace radd::bench {

/// @throws std::runtime_error saying `what` if `condition()` is not true within `deadline`.
template <typename Condition>
void require_soon(const std::string& what,
                  Condition&& condition,
                  std::chrono::milliseconds deadline = std::chrono::seconds{20}) {
    if (!testing::eventually(condition, deadline))
        throw std::runtime_error{what + ": not within " + std::to_string(deadline.count() / 1000) +
                                 " s"};
}

}  // namespace radd::bench
