#pragma once

/// The plugins of this process: loaded, refused, ignored, disabled; started and stopped.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/manifest_file.hpp>
#include <host/config/plugin_settings.hpp>
#include <host/entities/model.hpp>
#include <host/plugins/build_gate.hpp>
#include <host/plugins/library.hpp>
#include <host/plugins/library_file.hpp>
#include <host/plugins/validate.hpp>
#include <radd/manifest.hpp>

namespace radd::loader {

struct LoadOptions {
    std::filesystem::path plugins_dir;
    std::vector<config::PluginFile> manifests{};
    /// Where private copies of the libraries are mapped from: `<data_dir>/run/plugins`. Empty: the
    /// libraries are mapped where they are and nothing is written.
    std::filesystem::path runtime_dir{};
    /// Where is remembered which builds have passed a trial and which are kept out:
    /// `<data_dir>/plugins`. It is written only together with private copies. Empty: nowhere.
    std::filesystem::path memory_dir{};
    /// Other threads of this process that hold no lock while this runs. With more than these no
    /// build is tried in a child before it is opened here.
    std::size_t idle_threads = 0;
    std::chrono::milliseconds trial_deadline{loader::trial_deadline};  ///< For one step of one.
    Timestamp now{};                                                   ///< Of what is remembered.
    bool safe_mode = false;           ///< No plugin is opened; each is listed as disabled.
    config::EnvLookup environment{};  ///< Where secrets are looked up; empty: this process's.
    /// For plugins whose manifest does not say.
    std::chrono::milliseconds startup_timeout{std::chrono::seconds{10}};
};

/// A plugin that takes part.
struct LoadedPlugin {
    std::string id;
    std::string file;      ///< Its library, as it was found; its YAML manifest if it has none.
    std::string build_id;  ///< Empty if it was linked without one.
    std::string build;     ///< The same, or a hash of its file; empty: no code.
    config::PluginFile config;
    std::optional<Library> library;  ///< Before what it made: destroyed after it. Empty: no code.
    Manifest manifest;
    std::unique_ptr<Settings> settings;
};

struct RefusedPlugin {
    std::string id;
    std::string file;
    bool required = true;
    config::Problems problems{};  ///< Empty: its YAML manifest has errors of its own.
};

/// A plugin's start-up failed; those that had started are stopped again. Exit code 4.
class StartFailed : public Refusal {
public:
    using Refusal::Refusal;
};

/// Owns everything that plugins have made. Destroy it, and all that their factories made, before
/// main() returns. [boot-thread]
class PluginSet {
public:
    /// The services that are lent to one plugin. They outlive the set's stop().
    using ServicesOf = std::function<Services&(const LoadedPlugin&)>;

    PluginSet() = default;
    PluginSet(PluginSet&&) = default;
    PluginSet& operator=(PluginSet&&) = delete;
    ~PluginSet();

    /// In start order: dependencies first, then by id. Addresses stay the same while this lives.
    [[nodiscard]] const std::vector<std::shared_ptr<LoadedPlugin>>& plugins() const {
        return plugins_;
    }
    [[nodiscard]] const LoadedPlugin* find(std::string_view id) const;
    [[nodiscard]] const std::vector<RefusedPlugin>& refused() const { return refused_; }
    [[nodiscard]] const std::vector<DisabledPlugin>& disabled() const { return disabled_; }
    [[nodiscard]] const std::vector<IgnoredFile>& ignored() const { return ignored_; }
    [[nodiscard]] const config::Problems& problems() const { return problems_; }
    /// The entities that loaded plugins leave to the host.
    [[nodiscard]] const entities::Model& entities() const { return *entities_; }

    /// False: a plugin that is required was refused, or the directory cannot be used; exit 3.
    [[nodiscard]] bool may_start() const { return !config::has_errors(problems_) && !blocked_; }

    /// Enters every event type, entity, action and rule by `catalog.add(spec, plugin)`:
    /// outbox::Catalog, which this folder does not know. The catalogue must not outlive this.
    template <typename Catalog>
    void fill(Catalog& catalog) const {
        for (const auto& plugin : plugins_) {
            for (const EventTypeSpec& spec : plugin->manifest.event_types)
                catalog.add(spec, plugin->id);
            for (const EntityRefSpec& spec : plugin->manifest.entity_refs)
                catalog.add(spec, plugin->id);
            for (const ActionSpec& spec : plugin->manifest.actions) catalog.add(spec, plugin->id);
            for (const AutomationSpec& spec : plugin->manifest.automations)
                catalog.add(spec, plugin->id);
        }
    }

    /// Runs on_startup of each, in order, each within its `startup_timeout`.
    /// @throws StartFailed E60 it threw, E62 it did not return in time, after stop().
    void start(const ServicesOf& services);

    /// Runs on_shutdown of those that started, in reverse, each within its `shutdown_timeout`.
    /// Returns what went wrong: E61 it threw, W65 it did not return in time. Safe twice.
    config::Problems stop();

    /// A hook did not return: its thread still runs plugin code. Log, then end the process with
    /// std::_Exit(), because static destructors would run under that thread.
    [[nodiscard]] bool left_behind() const { return left_behind_; }

private:
    friend class Loading;

    struct Started {
        std::shared_ptr<LoadedPlugin> plugin;
        Services* services;
    };

    // Shared with the handlers and refs in the manifests, which may be at work when this is gone.
    std::shared_ptr<entities::Model> entities_ = std::make_shared<entities::Model>();
    // Shared with the thread of a hook that may outlast its deadline; else this is the only owner.
    std::vector<std::shared_ptr<LoadedPlugin>> plugins_;
    std::vector<RefusedPlugin> refused_;
    std::vector<DisabledPlugin> disabled_;
    std::vector<IgnoredFile> ignored_;
    config::Problems problems_;
    std::vector<Started> started_;
    std::chrono::milliseconds startup_timeout_{};
    bool blocked_ = false;
    bool left_behind_ = false;
};

/// The whole way from files to a set that fits together, with every problem on it; nothing is
/// started. Never throws for what a plugin or a file does. [boot-thread]
[[nodiscard]] PluginSet load(const LoadOptions& options);

}  // namespace radd::loader
