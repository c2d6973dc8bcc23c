#pragma once

/// A folder of files for one test.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/problem.hpp>
#include <unistd.h>

namespace radd::testing {

/// Made empty, removed with its content.
class Folder {
public:
    Folder() {
        static std::atomic<int> made{0};
        path_ = std::filesystem::temp_directory_path() /
                ("radd_config_" + std::to_string(getpid()) + "_" + std::to_string(++made));
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    /// Returns the file's path.
    std::string write(std::string_view name, std::string_view text) const {
        const auto path = path_ / name;
        std::ofstream{path, std::ios::binary} << text;
        return path.string();
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string path(std::string_view name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

inline std::vector<std::string> lines(const config::Problems& problems) {
    std::vector<std::string> texts;
    for (const auto& problem : problems) texts.push_back(to_text(problem));
    return texts;
}

}  // namespace radd::testing
