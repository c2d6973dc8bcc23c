// The way from files to plugins, each step for all of them before the next.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <host/entities/checked.hpp>
#include <host/entities/expand.hpp>
#include <host/entities/manifest_yaml.hpp>
#include <host/log/logging.hpp>
#include <host/plugins/automation_check.hpp>
#include <host/plugins/guarded.hpp>
#include <host/plugins/plugin_set.hpp>
#include <host/plugins/probe.hpp>

namespace radd::loader {
class Loading {
public:
    explicit Loading(const LoadOptions& options) : options_{options} {
        std::vector<config::PluginFile> files = options.manifests;
        std::ranges::sort(files, {}, &config::PluginFile::id);
        for (config::PluginFile& file : files) {
            std::string library =
                file.library.empty() ? file.file : (options.plugins_dir / file.library).string();
            if (!file.enabled || options.safe_mode)
                set_.disabled_.push_back({.id = file.id,
                                          .file = std::move(library),
                                          .entities = entities::keys_in(file)});
            else
                attempts_.push_back({.config = std::move(file), .file = std::move(library)});
        }
        set_.startup_timeout_ = options.startup_timeout;
    }

    PluginSet run() {
        if (options_.safe_mode) return std::move(set_);
        list_directory();
        for (Attempt& attempt : attempts_) examine(attempt);
        refuse_copies();
        try_builds();
        for (Attempt& attempt : attempts_) open(attempt);
        for (Attempt& attempt : attempts_) check_entities(attempt);
        expand_entities();
        for (Attempt& attempt : attempts_) check_configuration(attempt);
        judge_automations();
        judge();
        return std::move(set_);
    }

private:
    /// One enabled plugin on its way.
    struct Attempt {
        config::PluginFile config;
        std::string file;
        std::vector<std::byte> bytes{};
        std::optional<ElfFile> elf{};
        std::string build{};
        std::filesystem::path path{};  ///< What is opened; empty: nothing is.
        std::optional<Library> library{};
        std::optional<Manifest> manifest{};
        std::unique_ptr<Settings> settings{};
        config::Problems problems{};
        bool accepted = false;
    };

    static void refuse(Attempt& attempt, std::string code, std::string message, std::string hint) {
        attempt.problems.push_back({.code = std::move(code),
                                    .plugin = attempt.config.id,
                                    .file = attempt.file,
                                    .message = std::move(message),
                                    .hint = std::move(hint)});
    }
    static void refuse(Attempt& attempt, config::Problem problem) {
        problem.plugin = attempt.config.id;  // By the name the operator knows it under.
        attempt.problems.push_back(std::move(problem));
    }

    void list_directory();
    void examine(Attempt& attempt);
    void check_pin(Attempt& attempt);
    void refuse_copies();
    void read(Attempt& attempt);
    void open(Attempt& attempt);
    void place(Attempt& attempt) const;
    void try_builds();
    [[nodiscard]] std::vector<std::string> entities_of(const DisabledPlugin& plugin) const;
    void check_entities(Attempt& attempt);
    void expand_entities();
    void refuse_lost_references(Attempt& attempt, const entities::Surroundings& around);
    void check_configuration(Attempt& attempt);
    void check_overrides(Attempt& attempt);
    void judge_automations();
    void judge();
    void accept(Attempt& attempt);

    const LoadOptions& options_;
    std::vector<Attempt> attempts_;
    std::vector<std::string> library_names_;
    PluginSet set_;
};

void Loading::list_directory() {
    try {
        Directory directory = list_libraries(options_.plugins_dir);
        set_.ignored_ = std::move(directory.ignored);
        for (const auto& path : directory.libraries) {
            const auto names_it = [&](const config::PluginFile& file) {
                return file.library == path.filename().string();
            };
            library_names_.push_back(path.filename().string());
            if (std::ranges::any_of(options_.manifests, names_it)) continue;
            set_.ignored_.push_back({.file = path.string(), .reason = "no manifest names it"});
        }
    } catch (const Refusal& refusal) {
        set_.problems_.push_back(refusal.problem());
        set_.blocked_ = true;
    }
    std::ranges::sort(set_.ignored_, {}, &IgnoredFile::file);
}

void Loading::examine(Attempt& attempt) {
    if (attempt.config.refused || set_.blocked_ || attempt.config.library.empty()) return;
    try {
        attempt.bytes = read_library(attempt.file);
        attempt.elf = read_elf(attempt.bytes);
        for (config::Problem& problem : check_library(*attempt.elf, attempt.file))
            refuse(attempt, std::move(problem));
        check_pin(attempt);
        const auto& note = attempt.elf->note;
        if (note && note->id != attempt.config.id)
            refuse(attempt,
                   "E14",
                   "the library is plugin '" + log::one_line(note->id) + "', its manifest says '" +
                       attempt.config.id + "'",
                   "Put the right library there, or correct 'id' in " + attempt.config.file);
    } catch (const BadElf& bad) {
        refuse(attempt, bad.code(), bad.what(), "");
    } catch (const Refusal& refusal) {
        config::Problem problem = refusal.problem();
        if (problem.hint.empty()) problem.hint = suggestion(attempt.config.library, library_names_);
        refuse(attempt, std::move(problem));
    }
}

void Loading::check_pin(Attempt& attempt) {
    if (!attempt.config.sha256) return;
    const std::string found = sha256_of(attempt.bytes);
    if (found == *attempt.config.sha256) return;
    refuse(attempt,
           "E08",
           "its SHA-256 is " + found + ", its manifest pins " + *attempt.config.sha256,
           "Put the pinned library back, or pin the new one");
}

// Two copies of one plugin would be two sets of statics on one cursor.
void Loading::refuse_copies() {
    std::map<std::string, const Attempt*> owners;
    for (const Attempt& attempt : attempts_) {
        if (!attempt.elf || !attempt.elf->note || attempt.elf->note->id != attempt.config.id)
            continue;
        owners.emplace(attempt.config.id, &attempt);
    }
    for (Attempt& attempt : attempts_) {
        if (!attempt.elf || !attempt.elf->note) continue;
        const auto owner = owners.find(attempt.elf->note->id);
        if (owner == owners.end() || owner->second == &attempt) continue;
        std::erase_if(attempt.problems, [](const auto& problem) { return problem.code == "E14"; });
        refuse(attempt,
               "E50",
               "plugin '" + owner->first + "' is already taken from " + owner->second->file,
               "Remove one of the two libraries and its manifest");
    }
}

// A file without code says it by itself.
std::vector<std::string> Loading::entities_of(const DisabledPlugin& plugin) const {
    return plugin.entities ? *plugin.entities : described_entities(plugin, options_.idle_threads);
}

void Loading::place(Attempt& attempt) const {
    const std::string& build_id = attempt.elf->build_id;
    attempt.build = build_id.empty() ? sha256_of(attempt.bytes).substr(0, 40) : build_id;
    std::filesystem::path path = attempt.file;
    if (!options_.runtime_dir.empty()) {
        path = write_private_copy(
            options_.runtime_dir, attempt.config.id + '-' + attempt.build, attempt.bytes);
        remove_old_copies(options_.runtime_dir, attempt.config.id, path);
    }
    attempt.path = std::filesystem::absolute(path);
}

// Of all before the first is opened here: a child of a process that has one open has it as well.
void Loading::try_builds() {
    std::vector<Newcomer> newcomers;
    std::vector<Attempt*> owners;
    for (Attempt& attempt : attempts_) {
        if (!attempt.elf || config::has_errors(attempt.problems)) continue;
        try {
            place(attempt);
        } catch (const Refusal& refusal) {
            refuse(attempt, refusal.problem());
            continue;
        }
        newcomers.push_back(
            {.plugin = attempt.config.id,
             .build = attempt.build,
             .library = {.file = attempt.file, .path = attempt.path, .note = *attempt.elf->note}});
        owners.push_back(&attempt);
    }
    GateVerdict verdict = let_in(newcomers,
                                 {.memory_dir = options_.memory_dir,
                                  .remembers = !options_.runtime_dir.empty(),
                                  .idle_threads = options_.idle_threads,
                                  .deadline = options_.trial_deadline,
                                  .now = options_.now});
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (verdict.refused[i]) refuse(*owners[i], *std::move(verdict.refused[i]));
    }
    std::ranges::move(verdict.warnings, std::back_inserter(set_.problems_));
}

void Loading::read(Attempt& attempt) {
    config::Problems problems;
    Manifest manifest = entities::manifest_of(attempt.config, problems);
    const bool is_sound = !config::has_errors(problems) && !attempt.config.refused;
    for (config::Problem& problem : problems) refuse(attempt, std::move(problem));
    if (is_sound) attempt.manifest = std::move(manifest);
}

void Loading::open(Attempt& attempt) {
    if (attempt.config.library.empty()) return read(attempt);
    const bool fits = !attempt.path.empty() && !config::has_errors(attempt.problems);
    try {
        if (fits) {
            attempt.library.emplace(attempt.path, attempt.file, *attempt.elf->note);
            attempt.manifest = attempt.library->manifest();
        }
    } catch (const Refusal& refusal) {
        refuse(attempt, refusal.problem());
    }
    attempt.bytes = {};
    if (!attempt.manifest) return;
    for (config::Problem& problem : check_manifest(*attempt.manifest, *attempt.elf, attempt.file))
        refuse(attempt, std::move(problem));
}

// What a YAML manifest says has been checked with its places.
void Loading::check_entities(Attempt& attempt) {
    if (!attempt.manifest) return;
    config::Problems problems;
    if (attempt.library)
        problems = entities::problems_of(attempt.config.id, attempt.manifest->entities);
    const bool is_sound = !config::has_errors(problems);
    for (config::Problem& problem : problems) {
        problem.file = attempt.file;
        refuse(attempt, std::move(problem));
    }
    if (is_sound) set_.entities_->add(attempt.manifest->id, attempt.manifest->entities);
}

// Every declaration must be known before the first is expanded: they refer to each other.
void Loading::expand_entities() {
    entities::Surroundings around;
    for (const Attempt& attempt : attempts_) {
        if (!attempt.manifest) continue;
        for (const EventTypeSpec& spec : attempt.manifest->event_types)
            around.events.emplace(spec.type.name());
        for (const EntityRefSpec& spec : attempt.manifest->entity_refs)
            around.describers.emplace(spec.entity_type.name(), attempt.config.id);
    }
    for (const auto& entity : set_.entities_->entities())
        around.describers.emplace(entity->spec.key, entity->schema);
    for (Attempt& attempt : attempts_) {
        if (!attempt.manifest) continue;
        refuse_lost_references(attempt, around);
        entities::expand(set_.entities_, around, *attempt.manifest);
    }
}

void Loading::refuse_lost_references(Attempt& attempt, const entities::Surroundings& around) {
    for (const auto& lost : entities::lost_references(*set_.entities_, around, attempt.config.id)) {
        std::vector<std::string> known;
        for (const auto& [entity, plugin] : around.describers) known.push_back(entity);
        std::string hint = suggestion(lost.entity, known);
        for (const DisabledPlugin& disabled : set_.disabled_) {
            const auto theirs = entities_of(disabled);
            if (std::ranges::find(theirs, lost.entity) != theirs.end())
                hint = "It is described by plugin '" + disabled.id +
                       "', which is installed but disabled; enable it";
        }
        refuse(attempt,
               "E73",
               "field '" + lost.field + "' refers to '" + lost.entity +
                   "', which no loaded plugin describes",
               std::move(hint));
    }
}

void Loading::check_configuration(Attempt& attempt) {
    if (!attempt.manifest) return;
    const config::PluginFile& file = attempt.config;
    auto& automations = attempt.manifest->automations;
    for (const auto& automation : file.automations) automations.push_back(automation.spec);
    const auto environment = options_.environment
                                 ? options_.environment
                                 : config::lookup_in(config::process_environment());
    config::CheckedSettings checked = config::check_settings(
        attempt.manifest->settings, file.settings, file.file, file.id, environment);
    attempt.settings = std::move(checked.settings);
    for (config::Problem& problem : checked.problems) refuse(attempt, std::move(problem));
    check_overrides(attempt);
}

void Loading::check_overrides(Attempt& attempt) {
    std::vector<std::string> names;
    for (const auto& spec : attempt.manifest->consumers) names.push_back(spec.name);
    for (const auto& spec : attempt.manifest->periodic_tasks) names.push_back(spec.name);
    for (const auto& [name, given] : attempt.config.consumers) {
        if (std::ranges::find(names, name) != names.end()) continue;
        refuse(attempt,
               {.code = "E43",
                .plugin = attempt.config.id,
                .file = attempt.config.file,
                .line = given.place.line,
                .column = given.place.column,
                .message = "consumers: '" + name + "' is no consumer of this plugin",
                .hint = suggestion(name, names)});
    }
}

// A rule that is none is refused like any other declaration: in a log nobody would miss it.
void Loading::judge_automations() {
    for (const Attempt& judge : attempts_) {
        if (!judge.manifest || !judge.manifest->judge_automation) continue;
        for (Attempt& attempt : attempts_) {
            if (!attempt.manifest) continue;
            for (config::Problem& problem : check_automations(
                     *judge.manifest, *attempt.manifest, attempt.config, attempt.file))
                refuse(attempt, std::move(problem));
        }
    }
}

void Loading::judge() {
    std::vector<Candidate> candidates;
    for (const Attempt& attempt : attempts_)
        candidates.push_back({.id = attempt.config.id,
                              .file = attempt.file,
                              .required = attempt.config.required,
                              .versions = attempt.config.plugin_version,
                              .manifest = attempt.manifest ? &*attempt.manifest : nullptr,
                              .found = attempt.problems});
    const Surroundings around{
        .disabled = set_.disabled_,
        .entities_of = [this](const DisabledPlugin& plugin) { return entities_of(plugin); }};
    Verdict verdict = validate(candidates, around);
    for (const std::size_t i : verdict.start_order) accept(attempts_[i]);
    for (const Attempt& attempt : attempts_) {
        if (attempt.accepted) continue;
        set_.entities_->remove(attempt.config.id);
        RefusedPlugin refused{
            .id = attempt.config.id, .file = attempt.file, .required = attempt.config.required};
        std::ranges::copy_if(verdict.problems,
                             std::back_inserter(refused.problems),
                             [&](const auto& problem) { return problem.plugin == refused.id; });
        set_.blocked_ = set_.blocked_ || refused.required;
        set_.refused_.push_back(std::move(refused));
    }
    std::ranges::move(verdict.problems, std::back_inserter(set_.problems_));
}

void Loading::accept(Attempt& attempt) {
    attempt.accepted = true;
    for (const EntityRefSpec& spec : attempt.manifest->entity_refs) {
        if (set_.entities_->find(spec.entity_type.name()) == nullptr)
            set_.entities_->describe(spec.entity_type.name(), spec.ref);
    }
    set_.plugins_.push_back(std::make_shared<LoadedPlugin>(
        LoadedPlugin{.id = attempt.config.id,
                     .file = attempt.file,
                     .build_id = attempt.elf ? attempt.elf->build_id : "",
                     .build = std::move(attempt.build),
                     .config = std::move(attempt.config),
                     .library = std::move(attempt.library),
                     .manifest = *std::move(attempt.manifest),
                     .settings = std::move(attempt.settings)}));
}

PluginSet load(const LoadOptions& options) {
    return Loading{options}.run();
}

}  // namespace radd::loader
