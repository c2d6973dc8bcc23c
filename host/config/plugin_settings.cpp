#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include <host/config/fields.hpp>
#include <host/config/plugin_settings.hpp>
#include <host/config/secret.hpp>

namespace radd::config {
namespace {

using Value = std::variant<bool, std::int64_t, std::chrono::milliseconds, std::string>;
using Values = std::map<std::string, Value, std::less<>>;

/// Fixed after construction, so any thread may read.
class FixedSettings final : public Settings {
public:
    FixedSettings(std::string plugin, Values values)
        : plugin_{std::move(plugin)}, values_{std::move(values)} {}

    [[nodiscard]] std::int64_t integer(std::string_view name) const override {
        return get<std::int64_t>(name, "an integer");
    }
    [[nodiscard]] std::chrono::milliseconds duration(std::string_view name) const override {
        return get<std::chrono::milliseconds>(name, "a duration");
    }
    [[nodiscard]] bool boolean(std::string_view name) const override {
        return get<bool>(name, "a boolean");
    }
    [[nodiscard]] const std::string& text(std::string_view name) const override {
        return get<std::string>(name, "a text, a choice or a secret");
    }

private:
    template <typename T>
    const T& get(std::string_view name, const char* type) const {
        const auto found = values_.find(name);
        if (found == values_.end()) {
            throw ConfigError{"plugin " + plugin_ + ": setting " + shown(name) +
                              " is not declared; add it to `settings` of the plugin's manifest"};
        }
        if (const T* value = std::get_if<T>(&found->second)) return *value;
        throw ConfigError{"plugin " + plugin_ + ": setting " + shown(name) + " is not " + type +
                          "; ask for it by the type it is declared with"};
    }

    std::string plugin_;
    Values values_;
};

template <typename T>
std::optional<Value> widened(std::optional<T> value) {
    return value ? std::optional<Value>{*std::move(value)} : std::nullopt;
}

std::optional<Value> read_chosen(const SettingSpec& spec,
                                 const YamlNode& node,
                                 const Context& context) {
    const std::vector<std::string_view> choices{spec.choices.begin(), spec.choices.end()};
    const auto index = read_choice(node, context, choices);
    return index ? std::optional<Value>{spec.choices[*index]} : std::nullopt;
}

std::optional<Value> read_value(const SettingSpec& spec,
                                const YamlNode& node,
                                const Context& context,
                                const EnvLookup& environment) {
    const Range range{spec.minimum, spec.maximum};
    switch (spec.type) {
        case SettingType::boolean:
            return widened(read_boolean(node, context));
        case SettingType::integer:
            return widened(read_integer(node, context, range));
        case SettingType::duration:
            return widened(read_duration(node, context, range));
        case SettingType::text:
            return widened(read_text(node, context));
        case SettingType::choice:
            return read_chosen(spec, node, context);
        case SettingType::secret:
            break;
    }
    return widened(read_secret(node, context, environment));
}

/// The declared default, which goes through the same checks: a plugin's author errs too.
std::optional<Value> read_default(const SettingSpec& spec, const Context& manifest) {
    if (spec.type == SettingType::secret) return Value{*spec.default_text};
    const YamlNode node{.kind = YamlNode::Kind::scalar, .text = *spec.default_text, .members = {}};
    Context context = manifest.below(spec.name);
    context.path += " (the plugin's own default)";
    context.file.clear();
    const auto no_secret = [](std::string_view) { return std::optional<std::string>{}; };
    return read_value(spec, node, context, no_secret);
}

std::optional<Value> read_setting(const SettingSpec& spec,
                                  MapReader& reader,
                                  const EnvLookup& environment) {
    if (const YamlNode* node = reader.find(spec.name)) {
        return read_value(spec, *node, reader.context().below(spec.name), environment);
    }
    if (spec.default_text) return read_default(spec, reader.context());
    const std::string help = spec.help.empty() ? "" : " (" + spec.help + ")";
    reader.context().report(
        "E45", reader.place(), "missing required key " + shown(spec.name) + help);
    return std::nullopt;
}

}  // namespace

CheckedSettings check_settings(std::span<const SettingSpec> specs,
                               const YamlNode& settings,
                               const std::string& file,
                               const std::string& plugin,
                               const EnvLookup& environment) {
    CheckedSettings checked;
    const Context context{
        .file = file, .plugin = plugin, .path = "settings", .problems = &checked.problems};
    // `settings:` with nothing below it, or none at all, is an empty map.
    const YamlNode empty{.kind = YamlNode::Kind::map, .place = settings.place, .members = {}};
    MapReader reader{settings.kind == YamlNode::Kind::null ? empty : settings, context};

    Values values;
    for (const SettingSpec& spec : specs) {
        auto value = read_setting(spec, reader, environment);
        if (!value) continue;
        if (values.emplace(spec.name, *std::move(value)).second) continue;
        checked.problems.push_back(
            {.code = "E42",
             .plugin = plugin,
             .message = "setting " + shown(spec.name) + " is declared twice by the plugin"});
    }
    reader.finish();
    if (!has_errors(checked.problems)) {
        checked.settings = std::make_unique<FixedSettings>(plugin, std::move(values));
    }
    return checked;
}

}  // namespace radd::config
