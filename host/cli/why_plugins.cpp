// radd why: plugins, and the codes by which they are refused.

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <host/cli/why.hpp>
#include <radd_error_codes.hpp>

namespace radd::cli {
namespace {

std::string remedy_of(const std::string& code) {
    for (const auto& known : error_codes) {
        if (known.code == code) return std::string{known.remedy};
    }
    return {};
}

std::vector<std::string> lines_of(const config::Problems& problems) {
    std::vector<std::string> lines;
    for (const auto& problem : problems) lines.push_back(config::to_text(problem));
    return lines;
}

/// Of each code once: two problems of one kind are repaired alike.
std::string remedies_of(const config::Problems& problems) {
    std::string text;
    std::vector<std::string> told;
    for (const auto& problem : problems) {
        if (std::ranges::find(told, problem.code) != told.end()) continue;
        told.push_back(problem.code);
        text += (text.empty() ? "" : "; ") + problem.code + ": " + remedy_of(problem.code);
    }
    return text;
}

std::vector<std::string> dependents_of(const loader::PluginSet& set, const std::string& id) {
    std::vector<std::string> ids;
    for (const auto& plugin : set.plugins()) {
        const auto& needed = plugin->manifest.depends_on;
        if (std::ranges::find(needed, id) != needed.end()) ids.push_back(plugin->id);
    }
    return ids;
}

Answer answer_for(const loader::PluginSet& set, const loader::LoadedPlugin& plugin) {
    Answer answer{.kind = "plugin", .id = plugin.id, .state = "loaded"};
    answer.facts = {{"version", {plugin.manifest.version}},
                    {"description", {plugin.manifest.description}},
                    {"file", {plugin.file}},
                    {"manifest", {plugin.config.file}},
                    {"build id", {plugin.build_id}},
                    {"needs", plugin.manifest.depends_on},
                    {"needed by", dependents_of(set, plugin.id)}};
    return answer;
}

Answer answer_for(const config::Problems& all, const loader::RefusedPlugin& plugin) {
    config::Problems problems;
    std::ranges::copy_if(all, std::back_inserter(problems), [&](const config::Problem& problem) {
        return problem.plugin == plugin.id || problem.file == plugin.file;
    });
    Answer answer{.kind = "plugin", .id = plugin.id, .state = "refused"};
    answer.facts = {{"file", {plugin.file}},
                    {"effect",
                     {plugin.required ? "the host does not start"
                                      : "the host starts without it: required is false"}},
                    {"because", lines_of(problems)}};
    answer.remedy = problems.empty() ? "`radd check` tells what is wrong with its manifest"
                                     : remedies_of(problems);
    return answer;
}

}  // namespace

std::vector<Answer> plugin_answers(const loader::PluginSet& set,
                                   const config::Problems& problems,
                                   const std::string& id) {
    if (const auto* loaded = set.find(id)) return {answer_for(set, *loaded)};
    for (const auto& plugin : set.refused()) {
        if (plugin.id == id) return {answer_for(problems, plugin)};
    }
    for (const auto& plugin : set.disabled()) {
        if (plugin.id != id) continue;
        return {{.kind = "plugin",
                 .id = id,
                 .state = "disabled",
                 .facts = {{"file", {plugin.file}}},
                 .remedy = "take `enabled: false` out of its manifest, and restart the host"}};
    }
    for (const auto& file : set.ignored()) {
        if (std::filesystem::path{file.file}.stem() != id) continue;
        return {{.kind = "plugin",
                 .id = id,
                 .state = "ignored",
                 .facts = {{"file", {file.file}}, {"because", {file.reason}}},
                 .remedy = "write a manifest for it, with `kind: plugin`, `version: 1` and `id: " +
                           id + "`"}};
    }
    return {};
}

std::vector<Answer> code_answers(const config::Problems& problems, const std::string& id) {
    for (const auto& known : error_codes) {
        if (known.code != id) continue;
        config::Problems met;
        std::ranges::copy_if(
            problems, std::back_inserter(met), [&](const auto& one) { return one.code == id; });
        return {{.kind = "code",
                 .id = id,
                 .state = met.empty() ? "not met here" : "met here",
                 .facts = {{"means", {std::string{known.means}}}, {"here", lines_of(met)}},
                 .remedy = std::string{known.remedy}}};
    }
    return {};
}

}  // namespace radd::cli
