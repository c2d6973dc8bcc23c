#pragma once

/// What plugins declare, as a test has put it together.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/catalog.hpp>

namespace radd::testing {

/// Plans and applies with the services that the declaring manifest was added with. Arguments must
/// be an object with every name in the schema's `required`; the rest of the schema is the host's.
class FakeCatalog final : public Catalog {
public:
    /// Both must outlive this. A name that is there already is replaced.
    void add(const Manifest& manifest, Services& services) {
        for (const auto& spec : manifest.event_types) {
            const std::string name{spec.type.name()};
            event_types_.insert_or_assign(name, Entry<EventTypeSpec>{&spec, manifest.id});
            for (const auto& alias : spec.aliases) aliases_.insert_or_assign(alias, name);
        }
        for (const auto& spec : manifest.entity_refs)
            entities_.insert_or_assign(std::string{spec.entity_type.name()},
                                       Entry<EntityRefSpec>{&spec, manifest.id});
        for (const auto& spec : manifest.automations) automations_.push_back({&spec, manifest.id});
        for (const auto& spec : manifest.actions) {
            actions_.insert_or_assign(spec.name, Entry<ActionSpec>{&spec, manifest.id});
            owners_.insert_or_assign(spec.name, &services);
        }
    }

    [[nodiscard]] std::vector<Entry<EventTypeSpec>> event_types() const override {
        return listed(event_types_);
    }
    [[nodiscard]] std::vector<Entry<EntityRefSpec>> entities() const override {
        return listed(entities_);
    }
    [[nodiscard]] std::vector<Entry<ActionSpec>> actions() const override {
        return listed(actions_);
    }
    [[nodiscard]] std::vector<Entry<AutomationSpec>> automations() const override {
        return automations_;
    }
    [[nodiscard]] const EventTypeSpec* event_type(std::string_view name) const override {
        const auto alias = aliases_.find(name);
        return found(event_types_, alias == aliases_.end() ? name : alias->second);
    }
    [[nodiscard]] const EntityRefSpec* entity(std::string_view name) const override {
        return found(entities_, name);
    }
    [[nodiscard]] const ActionSpec* action(std::string_view name) const override {
        return found(actions_, name);
    }

    [[nodiscard]] std::string arguments_fault(std::string_view action,
                                              const JsonText& arguments) const override {
        const auto document = json::parse(arguments.text(), nullptr, false);
        if (!document.is_object()) return "is no JSON object";
        const auto schema = json::parse(known(action).arguments.text());
        for (const auto& name : schema.value("required", json::array())) {
            if (!document.contains(name.get<std::string>()))
                return name.get<std::string>() + " is missing";
        }
        return {};
    }

    [[nodiscard]] ActionPlan plan(Transaction& tx,
                                  std::string_view action,
                                  const ActionCall& call) const override {
        const auto& spec = known(action);
        if (const auto fault = arguments_fault(action, call.arguments); !fault.empty())
            throw InvalidInput{std::string{action}, fault};
        return spec.plan(tx, *owners_.find(action)->second, call);
    }

    void apply(Transaction& tx, std::string_view action, const ActionPlan& plan) const override {
        const auto& spec = known(action);
        if (plan.has_effect) spec.apply(tx, *owners_.find(action)->second, plan);
    }

private:
    template <typename Spec>
    using Entries = std::map<std::string, Entry<Spec>, std::less<>>;

    template <typename Spec>
    static std::vector<Entry<Spec>> listed(const Entries<Spec>& entries) {
        std::vector<Entry<Spec>> list;
        for (const auto& [name, entry] : entries) list.push_back(entry);
        return list;
    }
    template <typename Spec>
    static const Spec* found(const Entries<Spec>& entries, std::string_view name) {
        const auto entry = entries.find(name);
        return entry == entries.end() ? nullptr : entry->second.spec;
    }
    [[nodiscard]] const ActionSpec& known(std::string_view name) const {
        const auto* spec = action(name);
        if (spec == nullptr)
            throw InvalidInput{"action",
                               "'" + std::string{name} + "' is declared by no loaded plugin"};
        return *spec;
    }

    Entries<EventTypeSpec> event_types_;
    std::map<std::string, std::string, std::less<>> aliases_;
    Entries<EntityRefSpec> entities_;
    Entries<ActionSpec> actions_;
    std::vector<Entry<AutomationSpec>> automations_;
    std::map<std::string, Services*, std::less<>> owners_;
};

}  // namespace radd::testing
