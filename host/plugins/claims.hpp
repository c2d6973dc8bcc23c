#pragma once

/// Which plugins declare what.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace radd::loader {

/// Names by kind, as messages write them: "event 'csat.requested'", each with the places of the
/// plugins that declare it.
class Claims {
public:
    using Owners = std::vector<std::size_t>;

    /// To be added to.
    [[nodiscard]] Owners& owners(std::string_view kind, std::string_view name) {
        return claims_[std::string{kind} + " '" + std::string{name} + "'"];
    }
    /// Of "event 'csat.requested'". Nobody: empty.
    [[nodiscard]] const Owners& of(const std::string& what) const;
    [[nodiscard]] std::vector<std::string> names(const std::string& kind) const;
    [[nodiscard]] const std::map<std::string, Owners>& all() const noexcept { return claims_; }

private:
    std::map<std::string, Owners> claims_;
};

}  // namespace radd::loader
