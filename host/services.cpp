#include <utility>

#include <host/plugins/guarded.hpp>
#include <host/services.hpp>

namespace radd::host {

ServiceRegistry::~ServiceRegistry() {
    clear();
}

void ServiceRegistry::add(const ServiceSpec& spec, Services& owner) {
    const std::scoped_lock lock{mutex_};
    offers_.insert_or_assign(spec.name, Offer{.spec = &spec, .owner = &owner});
}

Service& ServiceRegistry::find(std::string_view name) {
    const std::scoped_lock lock{mutex_};
    const auto found = offers_.find(name);
    if (found == offers_.end()) {
        throw ConfigError{"service '" + std::string{name} +
                          "': no loaded plugin provides it; enable the one that does and name it "
                          "in depends_on"};
    }
    Offer& offer = found->second;
    if (offer.made) return *offer.made;
    if (offer.being_made)
        throw ConfigError{"service '" + std::string{name} + "': making it asks for itself"};
    offer.being_made = true;
    try {
        offer.made = loader::blaming("service '" + std::string{name} + "'",
                                     [&] { return offer.spec->make(*offer.owner); });
    } catch (...) {
        offer.being_made = false;
        throw;
    }
    offer.being_made = false;
    if (!offer.made)
        throw ConfigError{"service '" + std::string{name} + "': its plugin made nothing"};
    made_order_.push_back(&offer);
    return *offer.made;
}

void ServiceRegistry::clear() noexcept {
    const std::scoped_lock lock{mutex_};
    while (!made_order_.empty()) {
        made_order_.back()->made.reset();
        made_order_.pop_back();
    }
}

PluginServices::PluginServices(SharedServices shared,
                               const Settings& settings,
                               std::unique_ptr<Log> log)
    : shared_{shared}, settings_{settings}, log_{std::move(log)} {}

}  // namespace radd::host
