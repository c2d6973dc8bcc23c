#pragma once

/// `radd import jira FILE`.

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <radd/manifest.hpp>

namespace importer {

/// The command line cannot be understood; what() says why.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Arguments {
    std::string file;
    bool dry_run = false;
    bool loud = false;
    std::string zone{};  ///< Empty: as set in the manifest.
    std::string source = "jira";
    std::vector<std::string> projects{};
};

/// @throws UsageError for an unknown or repeated option, a missing value, or not one file.
[[nodiscard]] Arguments parse_arguments(std::span<const std::string> words);

/// "[#####-----]  50%  60 of 120"
[[nodiscard]] std::string progress_bar(std::size_t done, std::size_t total);

[[nodiscard]] radd::CommandSpec import_command();

}  // namespace importer
