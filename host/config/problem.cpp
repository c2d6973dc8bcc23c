#include <nlohmann/json.hpp>

#include <host/config/problem.hpp>

namespace radd::config {

std::string to_text(const Problem& problem) {
    std::string text = problem.code;
    if (!problem.file.empty()) {
        text += ' ' + problem.file;
        if (problem.line > 0) text += ':' + std::to_string(problem.line);
        if (problem.line > 0 && problem.column > 0) text += ':' + std::to_string(problem.column);
    }
    if (!problem.plugin.empty()) text += ' ' + problem.plugin;
    text += problem.file.empty() && problem.plugin.empty() ? " " : ": ";
    text += problem.message;
    if (!problem.hint.empty()) text += ". " + problem.hint;
    return text;
}

std::string to_json(const Problems& problems) {
    auto array = nlohmann::ordered_json::array();
    for (const Problem& problem : problems) {
        array.push_back({{"code", problem.code},
                         {"severity", problem.severity == Severity::error ? "error" : "warning"},
                         {"plugin", problem.plugin},
                         {"file", problem.file},
                         {"line", problem.line},
                         {"column", problem.column},
                         {"message", problem.message},
                         {"hint", problem.hint}});
    }
    // What we quote may come from a file or an environment that is not UTF-8.
    return array.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace radd::config
