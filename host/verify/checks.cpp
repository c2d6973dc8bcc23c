#include <algorithm>

#include <host/verify/checks.hpp>

namespace radd::verify {

const Check* find_check(std::string_view name) noexcept {
    const auto* const found =
        std::ranges::find(all_checks, name, [](const Check* one) { return one->name; });
    return found == all_checks.end() ? nullptr : *found;
}

}  // namespace radd::verify
