#pragma once

/// Do the commands of several plugins stand beside each other?

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::loader {

/// Two plugins of a list, by their places in it, of which the later has a command that the
/// earlier's would swallow: "import" and "import jira".
struct CommandClash {
    std::size_t earlier;
    std::size_t later;
    std::string message;  ///< "command 'import jira' begins with command 'import'"
};

/// A manifest may be null. Commands of one name are no clash here: E30 has them.
[[nodiscard]] std::vector<CommandClash> command_clashes(std::span<const Manifest* const> manifests);

}  // namespace radd::loader
