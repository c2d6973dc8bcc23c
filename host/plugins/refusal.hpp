#pragma once

/// Why one plugin is not taken, as an exception and as a text for the log.

#include <string>
#include <string_view>
#include <utility>

#include <host/config/problem.hpp>
#include <radd/error.hpp>

namespace radd::loader {

/// One plugin cannot be used; others may. Caught where plugins are loaded one after the other.
class Refusal : public Error {
public:
    explicit Refusal(config::Problem problem)
        : Error{config::to_text(problem)}, problem_{std::move(problem)} {}

    [[nodiscard]] const config::Problem& problem() const noexcept { return problem_; }

private:
    config::Problem problem_;
};

}  // namespace radd::loader
