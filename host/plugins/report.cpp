#include <algorithm>

#include <nlohmann/json.hpp>

#include <host/config/scalars.hpp>
#include <host/log/logging.hpp>
#include <host/plugins/report.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

template <typename List>
std::vector<std::string> names_of(const List& types) {
    std::vector<std::string> names;
    for (const auto& type : types) names.emplace_back(type.name());
    return names;
}

/// Lines under one heading, which stands beside the first.
void add_lines(std::string& text, std::string heading, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        text += "  " + padded(heading, 11) + log::one_line(line) + '\n';
        heading.clear();
    }
}

std::string line_for(const EventTypeSpec& spec) {
    std::string line = std::string{spec.type.name()} + "  " + config::shown(spec.label);
    if (!spec.subjects.empty()) line += "  subjects " + joined(names_of(spec.subjects));
    return line;
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

std::string line_for(const RouteSpec& spec) {
    return padded(std::string{name_of(spec.method)}, 7) + spec.path + "  " +
           std::string{access_of(spec)};
}

bool is_websocket(const StreamSpec& spec) {
    return spec.kind == StreamKind::websocket;
}

std::string line_for(const ConsumerSpec& spec) {
    std::string line = spec.name + "  resumes at " +
                       (spec.resume == Resume::head ? "head" : "its cursor") + ", batch " +
                       std::to_string(spec.batch);
    if (!spec.listens_to.empty()) line += ", listens to " + joined(names_of(spec.listens_to));
    return line;
}

template <typename List, typename LineFor>
std::vector<std::string> lines_for(const List& specs, LineFor line_for_spec) {
    std::vector<std::string> lines;
    for (const auto& spec : specs) lines.push_back(line_for_spec(spec));
    return lines;
}

Json json_for(const EventTypeSpec& spec) {
    return {{"type", spec.type.name()},
            {"label", spec.label},
            {"group", spec.group},
            {"item_scoped", spec.item_scoped},
            {"has_changes", spec.has_changes},
            {"trigger", spec.trigger},
            {"audited", spec.audited},
            {"readable_by", name_of(spec.readable_by)},
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

Json json_for(const RouteSpec& spec) {
    return {{"method", name_of(spec.method)},
            {"path", spec.path},
            {"access", access_of(spec)},
            {"summary", spec.summary}};
}

Json json_for(const StreamSpec& spec) {
    Json json = json_for(route_of(spec));
    json["kind"] = is_websocket(spec) ? "websocket" : "events";
    return json;
}

template <typename List, typename JsonFor>
Json array_of(const List& specs, JsonFor json_for_spec) {
    Json array = Json::array();
    for (const auto& spec : specs) array.push_back(json_for_spec(spec));
    return array;
}

Json json_for(const Manifest& manifest) {
    const auto whole = [](const auto& spec) { return json_for(spec); };
    const auto name = [](const auto& spec) { return Json(spec.name); };
    return {
        {"description", manifest.description},
        {"depends_on", manifest.depends_on},
        {"entities",
         array_of(manifest.entity_refs,
                  [](const auto& spec) { return Json(spec.entity_type.name()); })},
        {"events", array_of(manifest.event_types, whole)},
        {"consumers", array_of(manifest.consumers, whole)},
        {"tasks", array_of(manifest.periodic_tasks, name)},
        {"cascades",
         array_of(manifest.cascades,
                  [](const auto& spec) {
                      return Json{{"name", spec.name}, {"parent_event", spec.parent_event.name()}};
                  })},
        {"actions",
         array_of(manifest.actions,
                  [](const auto& spec) {
                      return Json{{"name", spec.name},
                                  {"subject", spec.subject ? Json(spec.subject->name()) : Json()}};
                  })},
        {"delivery_queues", array_of(manifest.delivery_queues, name)},
        {"tail_subscribers", array_of(manifest.tail_subscribers, name)},
        {"services", array_of(manifest.services, name)},
        {"commands",
         array_of(manifest.commands, [](const auto& spec) { return Json(spec.words); })},
        {"routes", array_of(manifest.routes, whole)},
        {"streams", array_of(manifest.streams, whole)},
        {"settings", array_of(manifest.settings, name)},
        {"migrations", array_of(manifest.migrations, name)}};
}

Json json_for(const LoadedPlugin& plugin) {
    Json json{{"id", plugin.id},
              {"version", plugin.manifest.version},
              {"file", plugin.file},
              {"build_id", plugin.build_id}};
    json.update(json_for(plugin.manifest));
    return json;
}

Json json_for(const config::Problems& problems) {
    return Json::parse(config::to_json(problems));
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what;
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
    const auto name = [](const auto& spec) { return spec.name; };
    std::string text;
    if (!manifest.depends_on.empty()) add_lines(text, "needs", {joined(manifest.depends_on)});
    add_lines(text, "describes", lines_for(manifest.entity_refs, [](const auto& spec) {
                  return std::string{spec.entity_type.name()};
              }));
    add_lines(text, "events", lines_for(manifest.event_types, [](const auto& spec) {
                  return line_for(spec);
              }));
    add_lines(text, "consumers", lines_for(manifest.consumers, [](const auto& spec) {
                  return line_for(spec);
              }));
    add_lines(text, "tasks", lines_for(manifest.periodic_tasks, name));
    add_lines(text, "cascades", lines_for(manifest.cascades, [](const auto& spec) {
                  return spec.name + "  after " + std::string{spec.parent_event.name()};
              }));
    add_lines(text, "actions", lines_for(manifest.actions, [](const auto& spec) {
                  return spec.name +
                         (spec.subject ? "  on " + std::string{spec.subject->name()} : "");
              }));
    add_lines(text, "queues", lines_for(manifest.delivery_queues, name));
    add_lines(text, "listeners", lines_for(manifest.tail_subscribers, name));
    add_lines(text, "services", lines_for(manifest.services, name));
    add_lines(text, "commands", lines_for(manifest.commands, [](const auto& spec) {
                  return "radd " + spec.words + (spec.usage.empty() ? "" : ' ' + spec.usage);
              }));
    add_lines(text, "routes", lines_for(manifest.routes, [](const auto& spec) {
                  return line_for(spec);
              }));
    add_lines(text, "streams", lines_for(manifest.streams, [](const auto& spec) {
                  return line_for(route_of(spec)) + (is_websocket(spec) ? "  WebSocket" : "  SSE");
              }));
    add_lines(text, "settings", lines_for(manifest.settings, name));
    add_lines(text, "migrations", lines_for(manifest.migrations, [](const Migration& migration) {
                  return std::string{migration.name};
              }));
    return text;
}

std::string manifest_json(const Manifest& manifest) {
    return json_for(manifest).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string check_text(const PluginSet& set) {
    std::string text;
    for (const auto& plugin : set.plugins())
        text += plugin->id + ' ' + plugin->manifest.version + "  " + plugin->file + '\n' +
                manifest_text(plugin->manifest) + '\n';
    for (const IgnoredFile& file : set.ignored())
        text += "ignored " + file.file + ": " + file.reason + '\n';
    text += counted(set.plugins().size(), "loaded") + ", " +
            counted(set.refused().size(), "refused") + ", " +
            counted(set.disabled().size(), "disabled") + ", " +
            counted(set.ignored().size(), "ignored");
    return text + (set.may_start() ? ": the host may start\n" : ": the host does not start\n");
}

std::string problems_text(const config::Problems& problems) {
    std::string text;
    for (const config::Problem& problem : problems) text += config::to_text(problem) + '\n';
    return text;
}

std::string plugins_text(const PluginSet& set) {
    std::string text;
    for (const auto& plugin : set.plugins())
        text +=
            "loaded    " + plugin->id + ' ' + plugin->manifest.version + "  " + plugin->file + '\n';
    for (const RefusedPlugin& plugin : set.refused()) {
        text += "refused   " + plugin.id + "  " + plugin.file +
                (plugin.required ? "" : "  (not required)") + '\n';
        for (const config::Problem& problem : plugin.problems)
            text += "          " + config::to_text(problem) + '\n';
    }
    for (const DisabledPlugin& plugin : set.disabled())
        text += "disabled  " + plugin.id + "  " + plugin.file + '\n';
    for (const IgnoredFile& file : set.ignored())
        text += "ignored   " + file.file + ": " + file.reason + '\n';
    return text;
}

std::string set_json(const PluginSet& set) {
    return dumped(
        {{"may_start", set.may_start()},
         {"plugins", array_of(set.plugins(), [](const auto& plugin) { return json_for(*plugin); })},
         {"refused",
          array_of(set.refused(),
                   [](const RefusedPlugin& plugin) {
                       return Json{{"id", plugin.id},
                                   {"file", plugin.file},
                                   {"required", plugin.required},
                                   {"problems", json_for(plugin.problems)}};
                   })},
         {"disabled",
          array_of(set.disabled(),
                   [](const DisabledPlugin& plugin) {
                       return Json{{"id", plugin.id}, {"file", plugin.file}};
                   })},
         {"ignored",
          array_of(set.ignored(),
                   [](const IgnoredFile& file) {
                       return Json{{"file", file.file}, {"reason", file.reason}};
                   })},
         {"problems", json_for(set.problems())}});
}

}  // namespace radd::loader
