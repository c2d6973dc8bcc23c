#include <functional>
#include <mutex>
#include <set>
#include <string>

#include <host/entities/stored_names.hpp>

namespace radd::detail {
namespace {

/// The one copy of `name`. Never destroyed: what was made of it may be used by a thread that a
/// plugin has left behind.
std::string_view kept(std::string_view name) {
    static std::mutex mutex;
    static auto& names = *new std::set<std::string, std::less<>>;
    const std::scoped_lock lock{mutex};
    const auto found = names.find(name);
    return found != names.end() ? *found : *names.emplace(name).first;
}

}  // namespace

EventType StoredNames::event(std::string_view name) {
    return {kept(name), {}};
}

EntityType StoredNames::entity(std::string_view name) {
    return {kept(name), {}};
}

}  // namespace radd::detail
