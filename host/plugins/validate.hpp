#pragma once

/// Do the plugins fit together? Everything that does not, at once.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/problem.hpp>
#include <host/config/version_range.hpp>
#include <radd/manifest.hpp>

namespace radd::loader {

/// One plugin that an operator has enabled, as far as it came.
struct Candidate {
    std::string id;                                  ///< As its YAML manifest calls it.
    std::string file;                                ///< Its library, as messages name it.
    bool required = true;                            ///< Else it is dropped with a warning.
    std::optional<config::VersionRange> versions{};  ///< Empty: any.

    const Manifest* manifest = nullptr;  ///< Null: it did not come so far, `found` says why.
    config::Problems found{};            ///< What reading its file and settings has found.
};

/// A plugin that is installed and switched off.
struct DisabledPlugin {
    std::string id;
    std::string file;
    /// What a plugin without code describes. Empty: its library would have to be asked.
    std::optional<std::vector<std::string>> entities{};
};

/// What stands around the candidates.
struct Surroundings {
    std::vector<DisabledPlugin> disabled{};
    /// The entities that a disabled plugin describes. Asked only to explain an E31.
    std::function<std::vector<std::string>(const DisabledPlugin&)> entities_of{};
};

struct Verdict {
    std::vector<std::size_t> start_order{};  ///< Accepted candidates, dependencies first, then id.
    config::Problems problems{};             ///< Of all, by plugin; an error refuses its plugin.
};

/// Ids that no plugin may have, and first words of commands that none may bring: the host's own.
[[nodiscard]] std::span<const std::string_view> reserved_plugin_ids();
[[nodiscard]] std::span<const std::string_view> reserved_command_words();

/// Checks every candidate by itself and against the others, and refuses to a fixed point: who
/// depends on a refused plugin, or names a subject that only it describes, is refused in turn
/// with a line of its own. The problems of a plugin that is not required are warnings. The result
/// does not depend on the order of `candidates`. Runs no plugin code but `entities_of`.
///
/// E14 id or version is not the note's · E21 a value outside its limits · E30 declared twice ·
/// E31 a subject nobody describes · E32 an enumerator without spec · E33 no JSON Schema · E34 a GET
/// with a body · E35 a function is missing · E36 a cascade on an event nobody declares · E37 no
/// path of a route · E38 a path of the host's own · E39 two routes mean the same requests · E50 two
/// plugins with one id · E51 unknown, disabled or refused dependency · E52 cycle · E53 version ·
/// E55 an action on an entity nobody describes · W36 a consumer waits for a type that nobody
/// declares.
[[nodiscard]] Verdict validate(const std::vector<Candidate>& candidates,
                               const Surroundings& around);

/// What is wrong with one manifest by itself: E21, E32 to E38, and E30 and E39 within it.
[[nodiscard]] config::Problems check_manifest(const Manifest& manifest);

/// "Did you mean …?", also where only upper and lower case differ. Empty: nothing is near.
[[nodiscard]] std::string suggestion(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace radd::loader
