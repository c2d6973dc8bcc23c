#include <array>
#include <limits>
#include <vector>

#include <host/config/scalars.hpp>
#include <host/log/logging.hpp>
#include <host/plugins/manifest_report.hpp>
#include <radd/error.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

template <typename List>
std::vector<std::string> names_of(const List& types) {
    std::vector<std::string> names;
    for (const auto& type : types) names.emplace_back(type.name());
    return names;
}

std::string_view access_of(const RouteSpec& route) {
    switch (route.access) {
        case Access::anyone:
            return "anyone";
        case Access::member:
            return "member";
        case Access::admin:
            return "admin";
    }
    return {};
}

std::string_view name_of(SettingType type) {
    switch (type) {
        case SettingType::boolean:
            return "boolean";
        case SettingType::integer:
            return "integer";
        case SettingType::duration:
            return "duration";
        case SettingType::text:
            return "text";
        case SettingType::choice:
            return "choice";
        case SettingType::secret:
            return "secret";
    }
    return {};
}

Json json_for(const EventTypeSpec& spec) {
    return {{"type", spec.type.name()},
            {"label", spec.label},
            {"group", spec.group},
            {"item_scoped", spec.item_scoped},
            {"has_changes", spec.has_changes},
            {"trigger", spec.trigger},
            {"audited", spec.audited},
            {"readable_by", radd::name_of(spec.readable_by)},
            {"subjects", names_of(spec.subjects)},
            {"aliases", spec.aliases}};
}

Json json_for(const ConsumerSpec& spec) {
    return {{"name", spec.name},
            {"resume", spec.resume == Resume::head ? "head" : "cursor"},
            {"batch", spec.batch},
            {"deadline_ms", spec.deadline.count()},
            {"listens_to", names_of(spec.listens_to)}};
}

Json json_for(const CascadeSpec& spec) {
    return {{"name", spec.name}, {"parent_event", spec.parent_event.name()}};
}

Json json_for(const ActionSpec& spec) {
    return {{"name", spec.name}, {"subject", spec.subject ? Json(spec.subject->name()) : Json()}};
}

Json json_for(const CommandSpec& spec) {
    return {{"words", spec.words}, {"usage", spec.usage}};
}

Json json_for(const RouteSpec& spec) {
    return {{"method", radd::name_of(spec.method)},
            {"path", spec.path},
            {"access", access_of(spec)},
            {"summary", spec.summary}};
}

Json json_for(const StreamSpec& spec) {
    Json json = json_for(route_of(spec));
    json["kind"] = spec.kind == StreamKind::websocket ? "websocket" : "events";
    return json;
}

// A default is written as a manifest would write it. That of a secret is nobody's business.
Json json_for(const SettingSpec& spec) {
    const bool shows_default = spec.default_text && spec.type != SettingType::secret;
    Json json{{"name", spec.name},
              {"type", name_of(spec.type)},
              {"required", !spec.default_text},
              {"default", shows_default ? Json(*spec.default_text) : Json()},
              {"help", spec.help}};
    if (spec.minimum != std::numeric_limits<std::int64_t>::min()) json["minimum"] = spec.minimum;
    if (spec.maximum != std::numeric_limits<std::int64_t>::max()) json["maximum"] = spec.maximum;
    if (!spec.choices.empty()) json["choices"] = spec.choices;
    return json;
}

template <typename List, typename JsonFor>
Json array_of(const List& specs, JsonFor json_for_spec) {
    Json array = Json::array();
    for (const auto& spec : specs) array.push_back(json_for_spec(spec));
    return array;
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

std::string text_in(const Json& object, const char* key) {
    return object.at(key).get<std::string>();
}

/// " subjects item, person"; empty if there are none.
std::string list_in(const Json& object, const char* key, const std::string& heading) {
    std::string text;
    for (const auto& word : object.at(key).get<std::vector<std::string>>())
        text += (text.empty() ? heading : ", ") + word;
    return text;
}

std::string itself(const Json& word) {
    return word.get<std::string>();
}

std::string name_line(const Json& spec) {
    return text_in(spec, "name");
}

std::string event_line(const Json& event) {
    return text_in(event, "type") + "  " + config::shown(text_in(event, "label")) +
           list_in(event, "subjects", "  subjects ");
}

std::string consumer_line(const Json& consumer) {
    return text_in(consumer, "name") + "  resumes at " +
           (text_in(consumer, "resume") == "head" ? "head" : "its cursor") + ", batch " +
           std::to_string(consumer.at("batch").get<std::int64_t>()) +
           list_in(consumer, "listens_to", ", listens to ");
}

std::string cascade_line(const Json& cascade) {
    return text_in(cascade, "name") + "  after " + text_in(cascade, "parent_event");
}

std::string action_line(const Json& action) {
    return text_in(action, "name") +
           (action.at("subject").is_null() ? "" : "  on " + text_in(action, "subject"));
}

std::string command_line(const Json& command) {
    const std::string usage = text_in(command, "usage");
    return "radd " + text_in(command, "words") + (usage.empty() ? "" : ' ' + usage);
}

std::string route_line(const Json& route) {
    return padded(text_in(route, "method"), 7) + text_in(route, "path") + "  " +
           text_in(route, "access");
}

std::string stream_line(const Json& stream) {
    return route_line(stream) + (text_in(stream, "kind") == "websocket" ? "  WebSocket" : "  SSE");
}

/// What stands under one heading, and how each entry of it is one line.
struct Part {
    const char* heading;
    const char* key;
    std::string (*line)(const Json& entry);
};

constexpr std::array parts{Part{"describes", "entities", itself},
                           Part{"events", "events", event_line},
                           Part{"consumers", "consumers", consumer_line},
                           Part{"tasks", "tasks", itself},
                           Part{"cascades", "cascades", cascade_line},
                           Part{"actions", "actions", action_line},
                           Part{"queues", "delivery_queues", itself},
                           Part{"listeners", "tail_subscribers", itself},
                           Part{"services", "services", itself},
                           Part{"commands", "commands", command_line},
                           Part{"routes", "routes", route_line},
                           Part{"streams", "streams", stream_line},
                           Part{"settings", "settings", name_line},
                           Part{"migrations", "migrations", itself}};

/// The heading stands beside the first line.
void add_part(std::string& text, const Part& part, const Json& entries) {
    std::string heading = part.heading;
    for (const Json& entry : entries.get_ref<const Json::array_t&>()) {
        text += "  " + padded(heading, 11) + log::one_line(part.line(entry)) + '\n';
        heading.clear();
    }
}

}  // namespace

Json manifest_report(const Manifest& manifest) {
    const auto whole = [](const auto& spec) { return json_for(spec); };
    const auto name = [](const auto& spec) { return Json(spec.name); };
    return {{"description", manifest.description},
            {"depends_on", manifest.depends_on},
            {"entities",
             array_of(manifest.entity_refs,
                      [](const auto& spec) { return Json(spec.entity_type.name()); })},
            {"events", array_of(manifest.event_types, whole)},
            {"consumers", array_of(manifest.consumers, whole)},
            {"tasks", array_of(manifest.periodic_tasks, name)},
            {"cascades", array_of(manifest.cascades, whole)},
            {"actions", array_of(manifest.actions, whole)},
            {"delivery_queues", array_of(manifest.delivery_queues, name)},
            {"tail_subscribers", array_of(manifest.tail_subscribers, name)},
            {"services", array_of(manifest.services, name)},
            {"commands", array_of(manifest.commands, whole)},
            {"routes", array_of(manifest.routes, whole)},
            {"streams", array_of(manifest.streams, whole)},
            {"settings", array_of(manifest.settings, whole)},
            {"migrations", array_of(manifest.migrations, name)}};
}

std::string manifest_json(const Manifest& manifest) {
    return manifest_report(manifest).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string report_text(const Json& report) {
    try {
        std::string text;
        if (report.contains("depends_on")) {
            const std::string needs = list_in(report, "depends_on", "");
            if (!needs.empty()) text += "  " + padded("needs", 11) + log::one_line(needs) + '\n';
        }
        for (const Part& part : parts) {
            if (report.contains(part.key)) add_part(text, part, report.at(part.key));
        }
        return text;
    } catch (const Json::exception&) {
        throw Error{"it is not what a manifest is told as"};
    }
}

}  // namespace radd::loader
