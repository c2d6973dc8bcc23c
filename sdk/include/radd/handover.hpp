#pragma once

/// Work for another thread, under the marks of this one.

#include <optional>
#include <string>
#include <utility>

#include <radd/scopes.hpp>

namespace radd {

/// `work`, to be called once or often on any thread: each call runs under the Quiet and Automated
/// scopes that are active here and now, inside those that thread has of its own. Scopes belong to
/// threads, so a pool that is handed the plain work would emit loudly in the middle of a quiet
/// import.
///
///     pool.post(radd::handed_over([&] { import_part(7); }));
template <typename Work>
[[nodiscard]] auto handed_over(Work work) {
    return [is_quiet = Quiet::active(), cause = Automated::cause(), work = std::move(work)](
               auto&&... arguments) mutable -> decltype(auto) {
        const Quiet quiet{is_quiet};
        std::optional<Automated> automated;
        if (cause) automated.emplace(*cause);
        return work(std::forward<decltype(arguments)>(arguments)...);
    };
}

}  // namespace radd
