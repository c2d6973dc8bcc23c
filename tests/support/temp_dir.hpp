#pragma once

/// A folder of a test's own.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace radd::testing {

/// Made empty in the temp dir, enterable by the user a server runs as; removed with this.
class TempDir {
public:
    TempDir() {
        std::string path = (std::filesystem::temp_directory_path() / "radd-test-XXXXXX").string();
        if (!mkdtemp(path.data())) throw std::runtime_error{path + ": cannot be made"};
        path_ = path;
        std::filesystem::permissions(path_,
                                     std::filesystem::perms::owner_all |
                                         std::filesystem::perms::group_exec |
                                         std::filesystem::perms::others_exec);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace radd::testing
