#include <utility>

#include <host/outbox/catalog.hpp>

namespace radd::outbox {
namespace {

template <typename Map>
auto find_in(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace

void Catalog::add(const EventTypeSpec& spec, std::string plugin) {
    const Type type{.spec = &spec, .plugin = std::move(plugin)};
    types_.insert_or_assign(std::string{spec.type.name()}, type);
    for (const auto& alias : spec.aliases) aliases_.insert_or_assign(alias, type);
}

void Catalog::add(const EntityRefSpec& spec, std::string plugin) {
    entities_.insert_or_assign(std::string{spec.entity_type.name()},
                               Entity{.spec = &spec, .plugin = std::move(plugin)});
}

void Catalog::add(const ActionSpec& spec, std::string plugin) {
    actions_.insert_or_assign(spec.name, Action{.spec = &spec, .plugin = std::move(plugin)});
}

void Catalog::add(const AutomationSpec& spec, std::string plugin) {
    const Automation automation{.spec = &spec, .plugin = std::move(plugin)};
    automations_.insert_or_assign({automation.plugin, spec.name}, automation);
}

const Catalog::Type* Catalog::type(std::string_view name) const {
    const auto* declared = find_in(types_, name);
    return declared ? declared : find_in(aliases_, name);
}

const Catalog::Entity* Catalog::entity(std::string_view name) const {
    return find_in(entities_, name);
}

const Catalog::Action* Catalog::action(std::string_view name) const {
    return find_in(actions_, name);
}

bool Catalog::may_read(Role reader, std::string_view event_type) const {
    const Type* declared = type(event_type);
    return reader >= (declared == nullptr ? Role::admin : declared->spec->readable_by);
}

std::vector<std::string> Catalog::names(
    const std::function<bool(const EventTypeSpec&)>& which) const {
    std::vector<std::string> found;
    for (const auto* map : {&types_, &aliases_}) {
        for (const auto& [name, type] : *map)
            if (which(*type.spec)) found.push_back(name);
    }
    return found;
}

}  // namespace radd::outbox
