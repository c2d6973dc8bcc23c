// radd why: what loaded plugins declare.

#include <algorithm>
#include <string_view>

#include <host/cli/consumer_states.hpp>
#include <host/cli/why.hpp>
#include <radd_error_codes.hpp>

namespace radd::cli {
namespace {

using loader::LoadedPlugin;
using loader::PluginSet;

Answer declared(std::string kind, std::string id, const LoadedPlugin& plugin) {
    Answer answer{.kind = std::move(kind), .id = std::move(id), .state = "declared"};
    answer.facts = {{"declared by", {plugin.id + " " + plugin.manifest.version}},
                    {"file", {plugin.file}},
                    {"manifest", {plugin.config.file}}};
    return answer;
}

void add(Answer& answer, std::string name, std::vector<std::string> values) {
    answer.facts.emplace_back(std::move(name), std::move(values));
}

template <typename Types>
std::vector<std::string> names_of(const Types& types) {
    std::vector<std::string> names;
    for (const auto& type : types) names.emplace_back(type.name());
    return names;
}

/// Calls `visit(plugin, spec)` for each of what `list` picks from a manifest.
template <typename List, typename Visit>
void for_each(const PluginSet& set, List list, Visit visit) {
    for (const auto& plugin : set.plugins()) {
        for (const auto& spec : plugin->manifest.*list) visit(*plugin, spec);
    }
}

std::vector<std::string> readers_of(const PluginSet& set, EventType type) {
    std::vector<std::string> names;
    for_each(set, &Manifest::consumers, [&](const auto&, const ConsumerSpec& spec) {
        const auto& types = spec.listens_to;
        if (types.empty() || std::ranges::find(types, type) != types.end())
            names.push_back(spec.name);
    });
    for_each(set, &Manifest::cascades, [&](const auto&, const CascadeSpec& spec) {
        if (spec.parent_event == type) names.push_back(spec.name);
    });
    return names;
}

std::vector<std::string> events_about(const PluginSet& set, EntityType entity) {
    std::vector<std::string> names;
    for_each(set, &Manifest::event_types, [&](const auto&, const EventTypeSpec& spec) {
        const bool about = spec.entity_type == entity;
        if (about || std::ranges::find(spec.subjects, entity) != spec.subjects.end())
            names.emplace_back(spec.type.name());
    });
    return names;
}

void add_events(std::vector<Answer>& answers, const PluginSet& set, const std::string& id) {
    for_each(set, &Manifest::event_types, [&](const auto& plugin, const EventTypeSpec& spec) {
        const bool former = std::ranges::find(spec.aliases, id) != spec.aliases.end();
        if (spec.type.name() != id && !former) return;
        Answer answer = declared("event", std::string{spec.type.name()}, plugin);
        add(answer, "label", {spec.label});
        add(answer, "subjects", names_of(spec.subjects));
        add(answer, "was called", spec.aliases);
        add(answer, "read by", readers_of(set, spec.type));
        answers.push_back(std::move(answer));
    });
}

void add_entities(std::vector<Answer>& answers, const PluginSet& set, const std::string& id) {
    for_each(set, &Manifest::entity_refs, [&](const auto& plugin, const EntityRefSpec& spec) {
        if (spec.entity_type.name() != id) return;
        Answer answer = declared("entity", id, plugin);
        add(answer, "label", {spec.label});
        add(answer, "page", {spec.url});
        add(answer, "events", events_about(set, spec.entity_type));
        answers.push_back(std::move(answer));
    });
}

void add_consumers(std::vector<Answer>& answers, const PluginSet& set, const std::string& id) {
    for_each(set, &Manifest::consumers, [&](const LoadedPlugin& plugin, const ConsumerSpec& spec) {
        if (spec.name != id) return;
        Answer answer = declared("consumer", id, plugin);
        add(answer,
            "listens to",
            spec.listens_to.empty() ? std::vector<std::string>{"every event"}
                                    : names_of(spec.listens_to));
        const auto changed = plugin.config.consumers.find(id);
        if (changed != plugin.config.consumers.end() && changed->second.paused) {
            add(answer,
                "paused by",
                {plugin.config.file + ":" + std::to_string(changed->second.place.line)});
        }
        answers.push_back(std::move(answer));
    });
}

/// What has nothing but a name.
template <typename List, typename Name>
void add_named(std::vector<Answer>& answers,
               const PluginSet& set,
               const std::string& id,
               const std::string& kind,
               List list,
               Name name) {
    for_each(set, list, [&](const auto& plugin, const auto& spec) {
        if (spec.*name == id) answers.push_back(declared(kind, id, plugin));
    });
}

template <typename List, typename Name>
void collect(std::vector<std::string>& names, const PluginSet& set, List list, Name name) {
    for_each(set, list, [&](const auto&, const auto& spec) { names.push_back(spec.*name); });
}

}  // namespace

std::vector<Answer> declared_answers(const PluginSet& set, const std::string& id) {
    std::vector<Answer> answers;
    add_events(answers, set, id);
    add_entities(answers, set, id);
    add_consumers(answers, set, id);
    const auto named = [&](const std::string& kind, auto list, auto name) {
        add_named(answers, set, id, kind, list, name);
    };
    named("task", &Manifest::periodic_tasks, &PeriodicTaskSpec::name);
    named("listener", &Manifest::tail_subscribers, &TailSubscriberSpec::name);
    named("cascade", &Manifest::cascades, &CascadeSpec::name);
    named("action", &Manifest::actions, &ActionSpec::name);
    named("queue", &Manifest::delivery_queues, &DeliveryQueueSpec::name);
    named("service", &Manifest::services, &ServiceSpec::name);
    named("command", &Manifest::commands, &CommandSpec::words);
    return answers;
}

std::vector<std::string> known_names(const PluginSet& set) {
    std::vector<std::string> names;
    for (const auto& plugin : set.plugins()) names.push_back(plugin->id);
    for (const auto& plugin : set.refused()) names.push_back(plugin.id);
    for (const auto& plugin : set.disabled()) names.push_back(plugin.id);
    for_each(set, &Manifest::event_types, [&](const auto&, const EventTypeSpec& spec) {
        names.emplace_back(spec.type.name());
        names.insert(names.end(), spec.aliases.begin(), spec.aliases.end());
    });
    for_each(set, &Manifest::entity_refs, [&](const auto&, const EntityRefSpec& spec) {
        names.emplace_back(spec.entity_type.name());
    });
    collect(names, set, &Manifest::consumers, &ConsumerSpec::name);
    collect(names, set, &Manifest::periodic_tasks, &PeriodicTaskSpec::name);
    collect(names, set, &Manifest::tail_subscribers, &TailSubscriberSpec::name);
    collect(names, set, &Manifest::cascades, &CascadeSpec::name);
    collect(names, set, &Manifest::actions, &ActionSpec::name);
    collect(names, set, &Manifest::delivery_queues, &DeliveryQueueSpec::name);
    collect(names, set, &Manifest::services, &ServiceSpec::name);
    collect(names, set, &Manifest::commands, &CommandSpec::words);
    for (const auto& known : error_codes) names.emplace_back(known.code);
    return names;
}

void add_status(Answer& answer, const consumers::ConsumerStatus& status) {
    answer.state = status.state;
    const auto text = std::ranges::find(
        consumer_state_texts, std::string_view{status.state}, &ConsumerStateText::state);
    if (text != consumer_state_texts.end()) {
        add(answer, "means", {std::string{text->means}});
        answer.remedy = text->remedy;
        if (const auto at = answer.remedy.find("NAME"); at != std::string::npos)
            answer.remedy.replace(at, std::string_view{"NAME"}.size(), status.name);
    }
    add(answer, "owner", {status.owner.value_or("")});
    add(answer, "pause reason", {status.pause_reason.value_or("")});
    if (status.task) return;
    add(answer, "cursor", {std::to_string(status.last_event_id)});
    add(answer, "behind by", {std::to_string(status.lag)});
    if (status.skipped == 0) return;
    add(answer, "skipped", {std::to_string(status.skipped)});
    if (answer.remedy.empty()) answer.remedy = "`radd consumers skipped " + status.name + "`";
}

}  // namespace radd::cli
