#pragma once

/// A plugin on its own: loaded as the host loads it, with nobody around but what it depends on, and
/// services that are played.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <host/plugins/plugin_set.hpp>
#include <radd/testing/services.hpp>

namespace radd::conformance {

struct Options {
    std::filesystem::path plugin;               ///< The library that is looked at.
    std::vector<std::filesystem::path> with{};  ///< Those it depends on.
    std::filesystem::path settings{};           ///< YAML map of its settings; empty: none.
    std::chrono::milliseconds deadline{std::chrono::seconds{10}};  ///< For each of its hooks.
};

/// Private copies of the libraries, gone at the end.
class Stage {
public:
    /// @throws Error if one cannot be read, or is no plugin.
    explicit Stage(const Options& options);
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage();

    /// Loads all, with `settings` instead of those of the options if it is given.
    /// @throws Error with every problem if one is refused.
    [[nodiscard]] loader::PluginSet load(const std::string& settings = {}) const;

    [[nodiscard]] const std::string& id() const noexcept { return files_.front().id; }
    [[nodiscard]] std::filesystem::path library() const { return folder_ / files_.front().library; }
    [[nodiscard]] const std::string& settings() const noexcept { return settings_; }

private:
    struct File {
        std::string id;
        std::string library;
    };

    void add(const std::filesystem::path& library);

    std::filesystem::path folder_;
    std::vector<File> files_;
    std::string settings_;
    std::chrono::milliseconds deadline_;
};

/// One life of a set: hooks and everything that its manifests make. The database answers every
/// statement with no row, mails are taken, other servers are away.
class Life {
public:
    explicit Life(loader::PluginSet& set);
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;
    ~Life();

    /// on_startup of each, then its consumers, tasks, listeners and handlers.
    /// @throws StartFailed, or Error with every factory that threw or made nothing.
    void begin();

    /// The other way round: what is wrong with it, a line each.
    [[nodiscard]] std::vector<std::string> end();

private:
    struct Objects;

    loader::PluginSet& set_;
    std::map<std::string, std::unique_ptr<testing::FakeServices>> services_;
    std::unique_ptr<Objects> objects_;
};

}  // namespace radd::conformance
