#include <nlohmann/json.hpp>

#include <host/plugins/manifest_report.hpp>
#include <host/plugins/report.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

template <typename List, typename JsonFor>
Json array_of(const List& specs, JsonFor json_for_spec) {
    Json array = Json::array();
    for (const auto& spec : specs) array.push_back(json_for_spec(spec));
    return array;
}

Json json_for(const LoadedPlugin& plugin) {
    Json json{{"id", plugin.id},
              {"version", plugin.manifest.version},
              {"file", plugin.file},
              {"build_id", plugin.build_id}};
    json.update(manifest_report(plugin.manifest));
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

std::string check_text(const PluginSet& set) {
    std::string text;
    for (const auto& plugin : set.plugins())
        text += plugin->id + ' ' + plugin->manifest.version + "  " + plugin->file + '\n' +
                report_text(manifest_report(plugin->manifest)) + '\n';
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
