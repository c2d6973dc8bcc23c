#pragma once

/// What `radd why` answers: everything that an id means here, where it comes from, and what to do.

#include <string>
#include <utility>
#include <vector>

#include <host/consumers/overview.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::cli {

struct Answer {
    std::string kind;   ///< "plugin", "event", "consumer", …
    std::string id;     ///< As it was found; an event may have been asked for by a former name.
    std::string state;  ///< One word: "loaded", "refused", "declared", "stalled", …
    std::vector<std::pair<std::string, std::vector<std::string>>> facts{};
    std::string remedy{};  ///< Empty: there is nothing to do.
};

/// The plugin called `id`, in whatever state; empty if there is none.
/// `problems` are those of all manifests and plugins.
[[nodiscard]] std::vector<Answer> plugin_answers(const loader::PluginSet& set,
                                                 const config::Problems& problems,
                                                 const std::string& id);

/// What loaded plugins declare under the name `id`.
[[nodiscard]] std::vector<Answer> declared_answers(const loader::PluginSet& set,
                                                   const std::string& id);

/// An error code: what it means, and where it is met here; empty if `id` is none.
[[nodiscard]] std::vector<Answer> code_answers(const config::Problems& problems,
                                               const std::string& id);

/// Whatever could have been asked for, for who has mistyped it.
[[nodiscard]] std::vector<std::string> known_names(const loader::PluginSet& set);

/// Adds what the database knows of a consumer or a task.
void add_status(Answer& answer, const consumers::ConsumerStatus& status);

}  // namespace radd::cli
