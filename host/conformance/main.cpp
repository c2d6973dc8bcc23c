/// radd-conformance RULE PLUGIN [--with PLUGIN]... [--settings FILE] [--deadline MS]
/// radd-conformance manifest PLUGIN FILE
///
/// Whether a plugin keeps one of the rules that all plugins must; `list` prints them. The plugin
/// runs in this process, so each rule wants one of its own. `manifest` writes what the plugin
/// brings into FILE, for its seal, and asks it in a child process. Exit: 0 it does, 1 it does not,
/// 2 usage.

#include <charconv>
#include <exception>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>

#include <host/conformance/rules.hpp>
#include <host/conformance/seal.hpp>
#include <host/plugins/guarded.hpp>

namespace {

using radd::conformance::Options;
using radd::conformance::Rule;

constexpr int broken = 1;
constexpr int wrong_usage = 2;

int usage(std::string_view problem) {
    std::cerr << "radd-conformance: " << problem
              << "\nusage: radd-conformance RULE PLUGIN [--with PLUGIN]... [--settings FILE] "
                 "[--deadline MS]\n       radd-conformance list\n       radd-conformance manifest "
                 "PLUGIN FILE\n";
    return wrong_usage;
}

std::optional<std::chrono::milliseconds> milliseconds(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
    return std::chrono::milliseconds{value};
}

/// What follows the rule's name. Empty: not understood.
std::optional<Options> options_in(std::span<char*> words) {
    if (words.empty()) return std::nullopt;
    Options options{.plugin = words.front()};
    for (words = words.subspan(1); words.size() >= 2; words = words.subspan(2)) {
        const std::string_view name{words[0]};
        if (name == "--with") {
            options.with.emplace_back(words[1]);
        } else if (name == "--settings") {
            options.settings = words[1];
        } else if (name == "--deadline") {
            const auto deadline = milliseconds(words[1]);
            if (!deadline) return std::nullopt;
            options.deadline = *deadline;
        } else {
            return std::nullopt;
        }
    }
    return words.empty() ? std::optional{options} : std::nullopt;
}

int check(const Rule& rule, const Options& options) {
    const auto found = rule.check(options);
    for (const auto& finding : found) std::cout << rule.name << ": " << finding << '\n';
    if (!found.empty()) std::cout << rule.name << ": the rule is: " << rule.demands << '\n';
    return found.empty() ? 0 : broken;
}

int seal(const char* plugin, const char* file) {
    try {
        radd::conformance::write_manifest(plugin, file);
        return 0;
    } catch (const std::exception& error) {
        std::cerr
            << error.what()
            << "\nradd-conformance: so it cannot be sealed with what it brings; repair it, or "
               "say UNSEALED to radd_add_plugin()\n";
        return broken;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::span words{argv, static_cast<std::size_t>(argc)};
    if (words.size() < 2) return usage("which rule?");
    const std::string_view name{words[1]};
    if (name == "list") {
        for (const Rule& rule : radd::conformance::rules())
            std::cout << rule.name << "  " << rule.demands << '\n';
        return 0;
    }
    if (name == "manifest")
        return words.size() == 4 ? seal(words[2], words[3]) : usage("of which plugin, and where?");
    for (const Rule& rule : radd::conformance::rules()) {
        if (rule.name != name) continue;
        const auto options = options_in(words.subspan(2));
        if (!options) return usage("what follows the rule was not understood");
        int code = broken;
        try {
            code = check(rule, *options);
        } catch (const std::exception& error) {
            std::cout << rule.name << ": " << error.what() << '\n';
        } catch (...) {
            std::cout << rule.name << ": " << radd::loader::caught_text(nullptr) << '\n';
        }
        std::cout.flush();
        // A thread that the plugin has left behind must not meet static destructors.
        std::_Exit(code);
    }
    return usage("there is no such rule; see `radd-conformance list`");
}
