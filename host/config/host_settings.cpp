#include <algorithm>
#include <set>

#include <host/config/host_setting_table.hpp>
#include <host/config/host_settings.hpp>
#include <host/config/secret.hpp>
#include <host/config/suggest.hpp>

namespace radd::config {
namespace {

std::string env_name(std::string_view name) {
    std::string env = "RADD_";
    for (const char letter : name) {
        const bool lower = letter >= 'a' && letter <= 'z';
        env += lower ? static_cast<char>(letter - 'a' + 'A') : '_';
    }
    return env;
}

std::string flag_name(std::string_view name) {
    std::string flag = "--";
    for (const char letter : name) flag += letter == '.' || letter == '_' ? '-' : letter;
    return flag;
}

std::vector<HostSettingSpec> make_specs() {
    std::vector<HostSettingSpec> specs;
    for (const HostSettingRow& row : host_setting_rows()) {
        specs.push_back({.name = std::string{row.name},
                         .env = env_name(row.name),
                         .flag = flag_name(row.name),
                         .type = type_name(row),
                         .default_text = std::string{row.default_text},
                         .help = std::string{row.help},
                         .secret = row.secret});
    }
    return specs;
}

/// Reads host.yaml into the settings.
class FileLayer {
public:
    FileLayer(HostConfig& config, std::string file, const Environment& environment)
        : config_{config},
          root_{.file = std::move(file), .plugin = {}, .path = {}, .problems = &config.problems},
          environment_{lookup_in(environment)} {}

    void read(const YamlNode& root) {
        if (root.kind == YamlNode::Kind::map) return read_members(root, "");
        if (root.kind == YamlNode::Kind::null || root.kind == YamlNode::Kind::broken) return;
        root_.report("E46", root.place, "expected a map of settings, got " + described(root));
    }

private:
    void read_members(const YamlNode& map, const std::string& prefix) {
        for (const Member& member : map.members) {
            const std::string name = prefix + member.key;
            if (name == "kind" || name == "version") continue;
            if (const HostSettingRow* row = find_host_setting(name)) {
                read_setting(*row, member);
            } else if (is_group(name)) {
                read_group(member, name);
            } else {
                report_unknown(member, prefix);
            }
        }
    }

    void read_group(const Member& member, const std::string& name) {
        if (member.value.kind == YamlNode::Kind::broken) return;
        if (member.value.kind == YamlNode::Kind::map) return read_members(member.value, name + ".");
        root_.below(name).report("E46",
                                 member.value.place,
                                 "expected a map of settings, got " + described(member.value));
    }

    void read_setting(const HostSettingRow& row, const Member& member) {
        const Context context = root_.below(row.name);
        if (!given_.emplace(row.name).second) {
            return context.report("E42", member.place, "given twice, nested and with dots");
        }
        if (row.name == "manifests_dir") {
            return context.report("E41",
                                  member.place,
                                  "this file is found by it, so it cannot be set here",
                                  "Use RADD_MANIFESTS_DIR or --manifests-dir");
        }
        if (!read_value(row, member.value, context)) return;
        config_.origins[std::string{row.name}] = {
            .kind = Origin::Kind::file,
            .text = root_.file + ":" + std::to_string(member.value.place.line)};
    }

    bool read_value(const HostSettingRow& row, const YamlNode& value, const Context& context) {
        if (!row.secret) return assign(config_.settings, row, value, context);
        if (value.kind == YamlNode::Kind::map) {
            const auto secret = read_secret(value, context, environment_);
            if (!secret) return false;
            const auto complaint = assign(config_.settings, row, *secret);
            if (complaint) context.report(value.place, *complaint);
            return !complaint;
        }
        warn_of_password(value, context);
        return assign(config_.settings, row, value, context);
    }

    static void warn_of_password(const YamlNode& value, const Context& context) {
        if (value.kind != YamlNode::Kind::scalar || without_password(value.text) == value.text)
            return;
        context.report("W49",
                       value.place,
                       "holds a password in plain text",
                       "Write {env: NAME} or {file: path}");
        context.problems->back().severity = Severity::warning;
    }

    static bool is_group(std::string_view name) {
        return std::ranges::any_of(host_setting_rows(), [&](const HostSettingRow& row) {
            return row.name.size() > name.size() && row.name.starts_with(name) &&
                   row.name[name.size()] == '.';
        });
    }

    /// Suggests what may stand at this level, or a dotted name.
    void report_unknown(const Member& member, const std::string& prefix) {
        if (++unknown_ > yaml_problems_max) return;
        std::vector<std::string> names;
        for (const HostSettingRow& row : host_setting_rows()) {
            if (!row.name.starts_with(prefix)) continue;
            const auto rest = row.name.substr(prefix.size());
            names.emplace_back(rest.substr(0, rest.find('.')));
            names.emplace_back(rest);
        }
        const Context context =
            prefix.empty() ? root_ : root_.below(prefix.substr(0, prefix.size() - 1));
        context.report("E43",
                       member.place,
                       "unknown key " + shown(member.key),
                       did_you_mean(member.key, names));
    }

    HostConfig& config_;
    Context root_;
    EnvLookup environment_;
    std::set<std::string, std::less<>> given_;
    std::size_t unknown_ = 0;  ///< Reported up to yaml_problems_max: more help nobody.
};

void apply(HostConfig& config,
           const HostSettingSpec& spec,
           std::string_view text,
           std::string_view spelling,
           Origin origin) {
    const auto complaint = assign(config.settings, *find_host_setting(spec.name), text);
    if (!complaint) {
        config.origins[spec.name] = std::move(origin);
        return;
    }
    config.problems.push_back({.code = complaint->code,
                               .message = std::string{spelling} + ": " + complaint->message,
                               .hint = complaint->hint});
}

void read_environment(HostConfig& config, const Environment& environment) {
    for (const HostSettingSpec& spec : host_setting_specs()) {
        const auto found = environment.find(spec.env);
        if (found == environment.end() || found->second.empty()) continue;
        apply(config,
              spec,
              found->second,
              spec.env,
              {.kind = Origin::Kind::environment, .text = "environment " + spec.env});
    }
}

/// Variables of ours with other ends are nobody's business: RADD_SMTP_PASSWORD may be a secret's.
void warn_of_misspelt_variables(HostConfig& config, const Environment& environment) {
    std::vector<std::string> names;
    for (const HostSettingSpec& spec : host_setting_specs()) names.push_back(spec.env);
    for (const auto& [name, value] : environment) {
        if (!name.starts_with("RADD_") || std::ranges::find(names, name) != names.end()) continue;
        const auto near = nearest(name, names);
        if (!near || edit_distance(name, *near) > 2) continue;
        config.problems.push_back({.code = "W43",
                                   .severity = Severity::warning,
                                   .message = name + ": no setting has this variable",
                                   .hint = did_you_mean(name, names)});
    }
}

const HostSettingSpec* find_flag(std::string_view name) {
    const auto specs = host_setting_specs();
    const auto found = std::ranges::find_if(
        specs, [&](const HostSettingSpec& spec) { return spec.name == name || spec.flag == name; });
    return found == specs.end() ? nullptr : &*found;
}

void read_command_line(HostConfig& config, const CommandLine& command_line) {
    for (const auto& [name, text] : command_line) {
        const HostSettingSpec* spec = find_flag(name);
        if (spec != nullptr) {
            apply(config,
                  *spec,
                  text,
                  spec->flag,
                  {.kind = Origin::Kind::command_line, .text = "command line " + spec->flag});
            continue;
        }
        std::vector<std::string> names;
        for (const auto& known : host_setting_specs()) {
            names.push_back(name.starts_with("--") ? known.flag : known.name);
        }
        config.problems.push_back({.code = "E43",
                                   .message = name + ": no setting has this flag",
                                   .hint = did_you_mean(name, names)});
    }
}

void check_together(HostConfig& config) {
    const HostSettings& settings = config.settings;
    if (settings.consumers_poll_busy <= settings.consumers_poll_idle) return;
    config.problems.push_back(
        {.code = "E47",
         .message = "consumers.poll_busy: " + shown(settings.consumers_poll_busy) + " (" +
                    config.origins.at("consumers.poll_busy").text +
                    ") is above consumers.poll_idle, " + shown(settings.consumers_poll_idle) +
                    " (" + config.origins.at("consumers.poll_idle").text + ")"});
}

}  // namespace

std::span<const HostSettingSpec> host_setting_specs() {
    static const std::vector<HostSettingSpec> specs = make_specs();
    return specs;
}

HostConfig resolve_host_settings(const YamlNode* root,
                                 const std::string& file,
                                 const Environment& environment,
                                 const CommandLine& command_line) {
    HostConfig config;
    for (const HostSettingRow& row : host_setting_rows()) {
        if (!row.default_text.empty()) (void)assign(config.settings, row, row.default_text);
        config.origins.emplace(row.name, Origin{});
    }
    if (root != nullptr) FileLayer{config, file, environment}.read(*root);
    read_environment(config, environment);
    read_command_line(config, command_line);
    check_together(config);
    warn_of_misspelt_variables(config, environment);
    return config;
}

std::filesystem::path find_manifests_dir(const Environment& environment,
                                         const CommandLine& command_line) {
    return resolve_host_settings(nullptr, {}, environment, command_line).settings.manifests_dir;
}

}  // namespace radd::config
