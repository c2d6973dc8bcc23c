// The thread's marks live here and nowhere else: a header-only thread_local would exist once per
// library, and a plugin would not see the scope its host had opened.

#include <utility>

#include <radd/rehearsal.hpp>
#include <radd/scopes.hpp>

namespace radd {
namespace {

thread_local bool quiet = false;
thread_local bool rehearsing = false;
thread_local std::optional<std::string> automated;

}  // namespace

Quiet::Quiet(bool enabled) noexcept : before_{quiet} {
    quiet = quiet || enabled;
}
Quiet::~Quiet() {
    quiet = before_;
}
bool Quiet::active() noexcept {
    return quiet;
}

Automated::Automated(std::string cause) : before_{std::exchange(automated, std::move(cause))} {}
Automated::~Automated() {
    automated = std::move(before_);
}
const std::optional<std::string>& Automated::cause() noexcept {
    return automated;
}

Rehearsal::Rehearsal() noexcept : before_{std::exchange(rehearsing, true)} {}
Rehearsal::~Rehearsal() {
    rehearsing = before_;
}
bool Rehearsal::active() noexcept {
    return rehearsing;
}

}  // namespace radd
