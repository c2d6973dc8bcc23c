#include <utility>

#include <host/declared_catalog.hpp>
#include <host/plugins/guarded.hpp>

namespace radd::host {
namespace {

constexpr Sql begin_reading = "SET LOCAL transaction_read_only = on";

template <typename Spec, typename Map>
std::vector<Catalog::Entry<Spec>> entries(const Map& map) {
    std::vector<Catalog::Entry<Spec>> list;
    for (const auto& [name, entry] : map) list.push_back({entry.spec, entry.plugin});
    return list;
}

std::string blamed(const outbox::Catalog::Action& action) {
    return "plugin " + action.plugin + ": action " + action.spec->name;
}

void check_plan(std::string_view action, const ActionPlan& plan) {
    const std::string field{action};
    if (plan.details.text().size() + plan.summary.size() > action_plan_bytes_max)
        throw InvalidInput{field,
                           "plans more than " + std::to_string(action_plan_bytes_max) + " bytes"};
    if (!json::parse(plan.details.text(), nullptr, false).is_object())
        throw InvalidInput{field, "plans what is no JSON object"};
}

/// Leaves the savepoint it is thrown in, with the plan.
struct Planned {
    ActionPlan plan;
};

}  // namespace

DeclaredCatalog::DeclaredCatalog(const outbox::Catalog& declared, ServicesOf services_of)
    : declared_{declared}, services_of_{std::move(services_of)} {
    for (const auto& [name, action] : declared_.actions()) {
        try {
            arguments_.emplace(name, schema::JsonSchema{action.spec->arguments.text()});
        } catch (const ConfigError& error) {
            throw ConfigError{"arguments of action " + name + ": " + error.what()};
        }
    }
}

std::vector<Catalog::Entry<EventTypeSpec>> DeclaredCatalog::event_types() const {
    return entries<EventTypeSpec>(declared_.types());
}

std::vector<Catalog::Entry<EntityRefSpec>> DeclaredCatalog::entities() const {
    return entries<EntityRefSpec>(declared_.entities());
}

std::vector<Catalog::Entry<ActionSpec>> DeclaredCatalog::actions() const {
    return entries<ActionSpec>(declared_.actions());
}

std::vector<Catalog::Entry<AutomationSpec>> DeclaredCatalog::automations() const {
    return entries<AutomationSpec>(declared_.automations());
}

const EventTypeSpec* DeclaredCatalog::event_type(std::string_view name) const {
    const auto* type = declared_.type(name);
    return type == nullptr ? nullptr : type->spec;
}

const EntityRefSpec* DeclaredCatalog::entity(std::string_view name) const {
    const auto* entity = declared_.entity(name);
    return entity == nullptr ? nullptr : entity->spec;
}

const ActionSpec* DeclaredCatalog::action(std::string_view name) const {
    const auto* action = declared_.action(name);
    return action == nullptr ? nullptr : action->spec;
}

const outbox::Catalog::Action& DeclaredCatalog::known(std::string_view name) const {
    const auto* action = declared_.action(name);
    if (action == nullptr)
        throw InvalidInput{"action", "'" + std::string{name} + "' is declared by no loaded plugin"};
    return *action;
}

std::string DeclaredCatalog::arguments_fault(std::string_view action,
                                             const JsonText& arguments) const {
    (void)known(action);
    const auto document = json::parse(arguments.text(), nullptr, false);
    if (!document.is_object()) return "is no JSON object";
    std::string text;
    for (const auto& [field, problem] : arguments_.find(action)->second.violations(document))
        text.append(text.empty() ? "" : "; ").append(field + " " + problem);
    return text;
}

ActionPlan DeclaredCatalog::plan(Transaction& tx,
                                 std::string_view action,
                                 const ActionCall& call) const {
    const auto& found = known(action);
    if (const auto fault = arguments_fault(action, call.arguments); !fault.empty())
        throw InvalidInput{std::string{action}, fault};
    // A dry run must be what a real run is, so the database itself holds a plan to writing nothing.
    // Undone and not released: that gives the transaction back as it was.
    try {
        tx.in_savepoint([&] {
            tx.execute(begin_reading);
            throw Planned{loader::blaming(blamed(found), [&] {
                return found.spec->plan(tx, services_of_(found.plugin), call);
            })};
        });
    } catch (Planned& planned) {
        check_plan(action, planned.plan);
        return std::move(planned.plan);
    }
    return {};  // Not reached.
}

void DeclaredCatalog::apply(Transaction& tx,
                            std::string_view action,
                            const ActionPlan& plan) const {
    const auto& found = known(action);
    if (!plan.has_effect) return;
    loader::blaming(blamed(found),
                    [&] { found.spec->apply(tx, services_of_(found.plugin), plan); });
}

}  // namespace radd::host
