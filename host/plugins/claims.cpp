#include <host/plugins/claims.hpp>

namespace radd::loader {

const Claims::Owners& Claims::of(const std::string& what) const {
    static const Owners nobody;
    const auto found = claims_.find(what);
    return found == claims_.end() ? nobody : found->second;
}

std::vector<std::string> Claims::names(const std::string& kind) const {
    const std::string prefix = kind + " '";
    std::vector<std::string> names;
    for (const auto& [what, owners] : claims_) {
        if (what.starts_with(prefix))
            names.push_back(what.substr(prefix.size(), what.size() - prefix.size() - 1));
    }
    return names;
}

}  // namespace radd::loader
