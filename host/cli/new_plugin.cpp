// radd new-plugin: the template, called as somebody wants it.

#include <cctype>
#include <fstream>
#include <ostream>
#include <system_error>

#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/new_plugin.hpp>
#include <radd/error.hpp>
#include <radd_plugin_template.hpp>
#include <unistd.h>

namespace radd::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view template_id = "hello";
constexpr std::string_view template_label = "Hello";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
        result.append(text.substr(0, at)).append(to);
        text.remove_prefix(at + from.size());
    }
    return result.append(text);
}

/// "time_off" → "Time off".
std::string label_of(std::string id) {
    id = replaced(id, "_", " ");
    id.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(id.front())));
    return id;
}

void write_file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream out{path, std::ios::binary};
    out << text;
    if (!out.flush())
        throw fs::filesystem_error{"not written", path, std::make_error_code(std::errc::io_error)};
}

}  // namespace

std::vector<ProjectFile> new_plugin_files(const std::string& id) {
    const auto named = [label = label_of(id), &id](std::string_view text) {
        return replaced(replaced(text, template_label, label), template_id, id);
    };
    std::vector<ProjectFile> files;
    for (const auto& [path, text] : plugin_template)
        files.push_back({.path = named(path), .text = named(text)});
    return files;
}

void write_project(const fs::path& project, const std::vector<ProjectFile>& files) {
    if (fs::symlink_status(project).type() != fs::file_type::not_found)
        throw InvalidInput{project.string(),
                           "is there already, and nothing of it was touched; choose another name, "
                           "or another place with --dir"};
    // Beside its place, so that the last step is one rename.
    const fs::path staging = project.parent_path() /
                             ("." + project.filename().string() + "." + std::to_string(getpid()));
    try {
        for (const auto& [path, text] : files) write_file(staging / path, text);
        fs::rename(staging, project);
    } catch (const fs::filesystem_error& failure) {
        std::error_code ignored;
        fs::remove_all(staging, ignored);
        throw InvalidInput{
            project.string(),
            "cannot be written: " + failure.code().message() + "; choose another place with --dir"};
    }
}

int new_plugin(Invocation& invocation, const NewPluginOptions& options) {
    const auto files = new_plugin_files(options.id);
    const fs::path project = (fs::path{options.directory} / options.id).lexically_normal();
    write_project(project, files);
    if (invocation.json) {
        auto paths = nlohmann::ordered_json::array();
        for (const auto& file : files) paths.push_back(file.path);
        const nlohmann::ordered_json object{
            {"id", options.id}, {"directory", project.string()}, {"files", paths}};
        invocation.out << object.dump(2) << '\n';
        return exit_ok;
    }
    for (const auto& file : files) invocation.out << (project / file.path).string() << '\n';
    invocation.err << "next: cd " << project.string()
                   << " && cmake -B build && cmake --build build && ctest --test-dir build\n";
    return exit_ok;
}

}  // namespace radd::cli
