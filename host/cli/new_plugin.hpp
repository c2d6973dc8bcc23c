#pragma once

/// What `radd new-plugin` writes: a project that builds, passes its tests and loads as it is.

#include <filesystem>
#include <string>
#include <vector>

namespace radd::cli {

/// Why a new plugin cannot be called `id`, with what is allowed and a name near it that is; empty
/// if it can. Stricter than the host, which loads plugins that were made by hand: the id is here
/// also a schema in PostgreSQL, a target in CMake and the first word of a command.
[[nodiscard]] std::string plugin_name_complaint(const std::string& id);

struct ProjectFile {
    std::string path;  ///< Within the project: "include/hello/events.hpp".
    std::string text;
};

/// sdk/template with `id` in the place of its own.
[[nodiscard]] std::vector<ProjectFile> new_plugin_files(const std::string& id);

/// Writes `files` to `project`, which must not be there, all of them or none.
/// @throws InvalidInput with the place, the cause and the remedy.
void write_project(const std::filesystem::path& project, const std::vector<ProjectFile>& files);

}  // namespace radd::cli
