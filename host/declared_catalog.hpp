#pragma once

/// The catalogue of loaded plugins, as plugins see it.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <host/outbox/catalog.hpp>
#include <host/schema/json_schema.hpp>
#include <radd/catalog.hpp>

namespace radd::host {

/// Runs an action with the services of the plugin that owns it. [any-thread]
class DeclaredCatalog final : public Catalog {
public:
    using ServicesOf = std::function<Services&(const std::string& plugin)>;

    /// `declared` is filled already and must outlive this. @throws ConfigError naming the action
    /// whose arguments have no schema, which validation has refused before.
    DeclaredCatalog(const outbox::Catalog& declared, ServicesOf services_of);

    [[nodiscard]] std::vector<Entry<EventTypeSpec>> event_types() const override;
    [[nodiscard]] std::vector<Entry<EntityRefSpec>> entities() const override;
    [[nodiscard]] std::vector<Entry<ActionSpec>> actions() const override;
    [[nodiscard]] std::vector<Entry<AutomationSpec>> automations() const override;
    [[nodiscard]] const EventTypeSpec* event_type(std::string_view name) const override;
    [[nodiscard]] const EntityRefSpec* entity(std::string_view name) const override;
    [[nodiscard]] const ActionSpec* action(std::string_view name) const override;
    [[nodiscard]] std::string arguments_fault(std::string_view action,
                                              const JsonText& arguments) const override;
    [[nodiscard]] ActionPlan plan(Transaction& tx,
                                  std::string_view action,
                                  const ActionCall& call) const override;
    void apply(Transaction& tx, std::string_view action, const ActionPlan& plan) const override;

private:
    /// @throws InvalidInput if no loaded plugin declares it.
    [[nodiscard]] const outbox::Catalog::Action& known(std::string_view name) const;

    const outbox::Catalog& declared_;
    ServicesOf services_of_;
    std::map<std::string, schema::JsonSchema, std::less<>> arguments_;
};

}  // namespace radd::host
