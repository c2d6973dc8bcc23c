#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <host/conformance/manifest_text.hpp>
#include <host/conformance/process_state.hpp>
#include <host/conformance/rules.hpp>
#include <host/conformance/setting_rule.hpp>
#include <host/plugins/guarded.hpp>
#include <radd/abi.hpp>

namespace radd::conformance {
namespace {

constexpr int lives = 2;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t from = 0;
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', from)) {
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

/// The first line in which two manifests differ is where the author looks.
Findings compared(const Manifest& first, const Manifest& again, const std::string& when) {
    const auto before = lines_of(manifest_text(first));
    const auto after = lines_of(manifest_text(again));
    const auto [one, other] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    if (one == before.end() && other == after.end()) return {};
    return {"the manifest is another one " + when + ": '" + (one == before.end() ? "" : *one) +
            "' became '" + (other == after.end() ? "" : *other) + "'"};
}

Findings lived(loader::PluginSet& set) {
    Life life{set};
    life.begin();
    return life.end();
}

Findings entry_is_idempotent(const Options& options) {
    const Stage stage{options};
    const auto set = stage.load();
    // Mapped already: the same library, whatever way it is asked for.
    void* library = dlopen(stage.library().c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return {"it is not mapped after it was loaded"};
    const auto entry = reinterpret_cast<decltype(&radd_plugin_entry_v1)>(
        dlsym(library, std::string{abi::entry_name}.c_str()));
    const auto* first = entry();
    const radd_plugin_v1 copy = *first;
    const auto* again = entry();
    Findings found;
    if (again != first) found.emplace_back("its entry returns another descriptor each time");
    if (std::memcmp(&copy, again, sizeof(copy)) != 0)
        found.emplace_back("its entry changes the descriptor it has returned");
    dlclose(library);
    return found;
}

Findings manifest_is_deterministic(const Options& options) {
    const Stage stage{options};
    const auto set = stage.load();
    const loader::LoadedPlugin& plugin = *set.find(stage.id());
    const Manifest first = plugin.library->manifest();
    return compared(first, plugin.library->manifest(), "when it is asked for twice");
}

Findings starts_and_stops_twice(const Options& options) {
    const Stage stage{options};
    auto set = stage.load();
    Findings found;
    for (int life = 1; life <= lives; ++life) {
        for (std::string& line : lived(set))
            found.push_back("life " + std::to_string(life) + ": " + std::move(line));
    }
    return found;
}

Findings lives_elsewhere(const Options& options) {
    const Stage stage{options};
    auto set = stage.load();
    const loader::LoadedPlugin& plugin = *set.find(stage.id());
    const Manifest here = plugin.library->manifest();
    const Elsewhere elsewhere;
    Findings found =
        compared(here, plugin.library->manifest(), "in another directory, zone and locale");
    std::ranges::move(lived(set), std::back_inserter(found));
    return found;
}

Findings changes_nothing_shared(const Options& options) {
    const Stage stage{options};
    const auto before = process_state();
    auto set = stage.load();
    Findings found = lived(set);
    std::ranges::move(differences(before, process_state(), "changed"), std::back_inserter(found));
    return found;
}

Findings leaves_nothing(const Options& options) {
    const Stage stage{options};
    auto set = stage.load();
    // What is made at the first use and kept is no leak; what comes with each life is.
    Findings found = lived(set);
    const auto before = threads_and_files();
    std::ranges::move(lived(set), std::back_inserter(found));
    std::ranges::move(differences(before, threads_and_files(), "left"), std::back_inserter(found));
    return found;
}

constexpr std::array all_rules{
    Rule{
        "idempotent_entry", "the entry returns the same descriptor each time", entry_is_idempotent},
    Rule{"deterministic", "the manifest is the same each time", manifest_is_deterministic},
    Rule{"elsewhere",
         "another directory, zone and locale change neither the manifest nor the start",
         lives_elsewhere},
    Rule{"start_twice",
         "it starts, stops, each within the deadline, and does so again",
         starts_and_stops_twice},
    Rule{"shared_state",
         "directory, mask, environment, locales and signal handlers stay as they were",
         changes_nothing_shared},
    Rule{"leftovers", "no thread and no open file outlives its stop", leaves_nothing},
    Rule{"settings",
         "a setting of a wrong type is refused by name, and it starts at the limits of each",
         settings_are_held},
};

}  // namespace

std::span<const Rule> rules() {
    return all_rules;
}

}  // namespace radd::conformance
