#include <algorithm>
#include <array>
#include <utility>

#include <host/config/automation_list.hpp>
#include <host/config/fields.hpp>
#include <host/config/manifest_file.hpp>
#include <host/config/suggest.hpp>

namespace radd::config {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t id_bytes_max = 64;
constexpr std::size_t library_bytes_max = 255;
constexpr std::size_t sha256_digits = 64;
constexpr Range batch_range{1, 1000};

constexpr Range between(std::chrono::milliseconds minimum, std::chrono::milliseconds maximum) {
    return {minimum.count(), maximum.count()};
}
constexpr Range poll_range = between(1ms, 1h);
constexpr Range deadline_range = between(10ms, 24h);
constexpr Range timeout_range = between(100ms, 1h);

enum class FileKind : std::uint8_t { host, plugin };
constexpr std::array<std::string_view, 2> kind_names{"host", "plugin"};
constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};

bool is_lower_or_digit(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

/// What every manifest begins with. Empty, after a report, if it says neither host nor plugin.
std::optional<FileKind> read_kind(MapReader& reader) {
    std::optional<FileKind> kind;
    if (const YamlNode* node = reader.require("kind", "host or plugin")) {
        const auto index = read_choice(*node, reader.context().below("kind"), kind_names);
        if (index) kind = static_cast<FileKind>(*index);
    }
    if (const YamlNode* node = reader.require("version", "of this format: 1")) {
        (void)read_integer(*node, reader.context().below("version"), {1, 1});
    }
    return kind;
}

std::string read_id(MapReader& reader) {
    const YamlNode* node = reader.require("id", "of the plugin");
    if (node == nullptr) return {};
    const Context context = reader.context().below("id");
    const auto id = read_text(*node, context);
    if (!id) return {};
    if (is_plugin_id(*id)) return *id;
    context.report("E46",
                   node->place,
                   shown(*id) + " cannot name a plugin",
                   "Use a to z, 0 to 9 and _, a letter first, at most " +
                       std::to_string(id_bytes_max) + ", and not 'core'");
    return {};
}

std::string read_library(MapReader& reader, const std::string& id) {
    const YamlNode* node = reader.find("library");
    if (node == nullptr) return id + ".so";
    const Context context = reader.context().below("library");
    const auto library = read_text(*node, context);
    if (!library) return {};
    const bool is_name = !library->empty() && library->size() <= library_bytes_max &&
                         library->find_first_of("/\\") == std::string::npos &&
                         !library->starts_with('.');
    if (is_name) return *library;
    context.report("E46",
                   node->place,
                   shown(*library) + " is not the name of a file in plugins_dir",
                   "Write a name such as " + shown(id + ".so") + " without a folder");
    return {};
}

std::optional<VersionRange> read_plugin_version(MapReader& reader) {
    const YamlNode* node = reader.find("plugin_version");
    if (node == nullptr) return std::nullopt;
    const Context context = reader.context().below("plugin_version");
    const auto text = read_text(*node, context);
    if (!text) return std::nullopt;
    auto range = parse_version_range(*text);
    if (auto* parsed = std::get_if<VersionRange>(&range)) return std::move(*parsed);
    context.report(node->place, std::get<Complaint>(range));
    return std::nullopt;
}

/// What stands in the file in place of a library. Asks for all of it, so that each is a known key.
void read_declarations(MapReader& reader, PluginFile& plugin) {
    constexpr std::array<std::string_view, 4> keys{
        "entities", "event_types", "description", "depends_on"};
    const YamlNode* entities = reader.find("entities");
    const YamlNode* event_types = reader.find("event_types");
    const bool has_library =
        reader.find("library") != nullptr || (entities == nullptr && event_types == nullptr);
    for (const std::string_view key : keys) {
        const YamlNode* node = reader.find(key);
        if (node == nullptr || !has_library) continue;
        reader.context().below(key).report("E43",
                                           node->place,
                                           "a plugin with a library says this in its code",
                                           "Take this away, or the library");
    }
    if (has_library) {
        plugin.library = read_library(reader, plugin.id);
        plugin.plugin_version = read_plugin_version(reader);
        return;
    }
    if (entities != nullptr) plugin.entities = *entities;
    if (event_types != nullptr) plugin.event_types = *event_types;
    plugin.description = reader.text("description").value_or("");
    plugin.depends_on = reader.texts("depends_on");
    plugin.own_version = reader.text("plugin_version");
    if (!plugin.own_version || parse_version(*plugin.own_version)) return;
    reader.context()
        .below("plugin_version")
        .report("E46",
                reader.find("plugin_version")->place,
                shown(*plugin.own_version) + " is no version of a plugin without a library",
                "Write one such as 1.0.0");
}

std::optional<std::string> read_sha256(MapReader& reader) {
    auto digest = reader.text("sha256");
    if (!digest) return std::nullopt;
    const bool valid = digest->size() == sha256_digits && std::ranges::all_of(*digest, [](char c) {
                           return is_lower_or_digit(c) && c <= 'f';
                       });
    if (valid) return digest;
    reader.context().below("sha256").report(
        "E46",
        reader.find("sha256")->place,
        "expected 64 lower-case hexadecimal digits, got " + shown(*digest),
        "Copy what sha256sum prints");
    return std::nullopt;
}

ConsumerOverride read_override(const Member& member, Context context) {
    MapReader reader{member.value, std::move(context)};
    ConsumerOverride result{.place = member.place};
    if (const auto batch = reader.integer("batch", batch_range)) {
        result.batch = static_cast<std::int32_t>(*batch);
    }
    result.poll = reader.duration("poll", poll_range);
    result.deadline = reader.duration("deadline", deadline_range);
    result.paused = reader.boolean("paused", false);
    reader.finish();
    return result;
}

void read_consumers(MapReader& reader, PluginFile& plugin) {
    const YamlNode* node = reader.find("consumers");
    if (node == nullptr || node->kind == YamlNode::Kind::broken) return;
    const Context context = reader.context().below("consumers");
    if (node->kind != YamlNode::Kind::map) {
        context.report(
            "E46",
            node->place,
            "expected a map from consumers' names to what changes, got " + described(*node));
        return;
    }
    for (const Member& member : node->members) {
        plugin.consumers.emplace(member.key, read_override(member, context.below(member.key)));
    }
}

void read_settings(MapReader& reader, PluginFile& plugin) {
    const YamlNode* node = reader.find("settings");
    if (node == nullptr || node->kind == YamlNode::Kind::broken) return;
    if (node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::null) {
        plugin.settings = *node;
        return;
    }
    reader.context()
        .below("settings")
        .report("E46", node->place, "expected a map of settings, got " + described(*node));
}

/// Problems from `first` on are this plugin's: its id is known only after some were found.
void attribute(Problems& problems, std::size_t first, const std::string& plugin) {
    for (std::size_t i = first; i < problems.size(); ++i) problems[i].plugin = plugin;
}

bool has_errors_from(const Problems& problems, std::size_t first) {
    return std::any_of(problems.begin() + static_cast<std::ptrdiff_t>(first),
                       problems.end(),
                       [](const Problem& problem) { return problem.severity == Severity::error; });
}

std::optional<PluginFile> read_plugin(MapReader& reader, Problems& problems, std::size_t first) {
    PluginFile plugin{.file = reader.context().file, .id = read_id(reader)};
    read_declarations(reader, plugin);
    plugin.enabled = reader.boolean("enabled", plugin.enabled);
    plugin.required = reader.boolean("required", plugin.required);
    plugin.grants = reader.texts("grants");
    plugin.startup_timeout = reader.duration("startup_timeout", timeout_range);
    plugin.shutdown_timeout =
        reader.duration("shutdown_timeout", timeout_range).value_or(plugin.shutdown_timeout);
    if (const auto level = reader.choice("log_level", level_names)) {
        plugin.log_level = static_cast<LogLevel>(*level);
    }
    plugin.sha256 = read_sha256(reader);
    read_settings(reader, plugin);
    read_consumers(reader, plugin);
    plugin.automations = read_automations(reader);
    reader.finish();

    if (plugin.id.empty()) return std::nullopt;
    attribute(problems, first, plugin.id);
    plugin.refused = has_errors_from(problems, first);
    return plugin;
}

/// The *.yaml of `directory`, sorted. Reports if it cannot be listed.
std::vector<fs::path> list_manifests(const fs::path& directory, Problems& problems) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator entry{directory, error}, end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        if (path.extension() == ".yaml") paths.push_back(path);
        if (path.extension() != ".yml") continue;
        problems.push_back({.code = "W40",
                            .severity = Severity::warning,
                            .file = path.string(),
                            .message = "not read",
                            .hint = "Name it .yaml if it is a manifest"});
    }
    if (error) {
        problems.push_back(
            {.code = "E40",
             .file = directory.string(),
             .message = "manifests directory cannot be read (" + error.message() + ")",
             .hint = "Create it, or set RADD_MANIFESTS_DIR or --manifests-dir"});
    }
    std::ranges::sort(paths);
    return paths;
}

void report_twins(const std::string& what,
                  const std::string& plugin,
                  const std::string& first,
                  const std::string& second,
                  Problems& problems) {
    problems.push_back({.code = "E42",
                        .plugin = plugin,
                        .file = second,
                        .message = what + " is also in " + first,
                        .hint = "Remove one of the files"});
}

void add_host(Manifests& manifests, HostFile host) {
    if (!manifests.host) {
        manifests.host = std::move(host);
        return;
    }
    report_twins("kind: host", "", manifests.host->file, host.file, manifests.problems);
}

void add_plugin(Manifests& manifests, PluginFile plugin) {
    const auto twin = std::ranges::find(manifests.plugins, plugin.id, &PluginFile::id);
    if (twin == manifests.plugins.end()) {
        manifests.plugins.push_back(std::move(plugin));
        return;
    }
    twin->refused = true;
    report_twins("id " + shown(plugin.id), plugin.id, twin->file, plugin.file, manifests.problems);
}

void load_manifest(Manifests& manifests, const fs::path& path) {
    const std::size_t first = manifests.problems.size();
    auto root = read_yaml_file(path, manifests.problems);
    if (!root) return;
    MapReader reader{
        *root, {.file = path.string(), .plugin = {}, .path = {}, .problems = &manifests.problems}};
    const auto kind = read_kind(reader);
    if (kind == FileKind::host) {
        add_host(manifests, {.file = path.string(), .root = *std::move(root)});
    } else if (kind == FileKind::plugin) {
        auto plugin = read_plugin(reader, manifests.problems, first);
        if (plugin) add_plugin(manifests, *std::move(plugin));
    }
}

}  // namespace

bool is_plugin_id(std::string_view id) {
    // "core" owns the host's own migrations.
    if (id.empty() || id.size() > id_bytes_max || id == "core") return false;
    const bool letter_first = id.front() >= 'a' && id.front() <= 'z';
    return letter_first &&
           std::ranges::all_of(id, [](char c) { return is_lower_or_digit(c) || c == '_'; });
}

std::optional<PluginFile> parse_plugin_file(std::string_view text,
                                            const std::string& file,
                                            Problems& problems) {
    const std::size_t first = problems.size();
    const auto root = parse_yaml(text, file, problems);
    if (!root) return std::nullopt;
    MapReader reader{*root, {.file = file, .plugin = {}, .path = {}, .problems = &problems}};
    if (read_kind(reader) == FileKind::host) {
        reader.context().report("E48", reader.place(), "kind is host where a plugin is expected");
        return std::nullopt;
    }
    return read_plugin(reader, problems, first);
}

Manifests load_manifests(const fs::path& directory) {
    Manifests manifests;
    for (const fs::path& path : list_manifests(directory, manifests.problems)) {
        load_manifest(manifests, path);
    }
    return manifests;
}

}  // namespace radd::config
