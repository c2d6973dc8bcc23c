#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <host/config/plugin_settings.hpp>
#include <host/conformance/setting_rule.hpp>

namespace radd::conformance {
namespace {

constexpr auto integer_min = std::numeric_limits<std::int64_t>::min();
constexpr auto integer_max = std::numeric_limits<std::int64_t>::max();

std::string unit(SettingType type) {
    return type == SettingType::duration ? "ms" : "";
}

/// Values that do not fit, as YAML.
std::vector<std::string> misfits(const SettingSpec& spec) {
    std::vector<std::string> values{"[1, 2]", "{a: b}", "null"};
    const bool is_number = spec.type == SettingType::integer || spec.type == SettingType::duration;
    if (is_number) {
        values.insert(values.end(), {"many", "true", "1.5"});
        if (spec.minimum != integer_min)
            values.push_back(std::to_string(spec.minimum - 1) + unit(spec.type));
        if (spec.maximum != integer_max)
            values.push_back(std::to_string(spec.maximum + 1) + unit(spec.type));
    }
    if (spec.type == SettingType::duration) values.emplace_back("5");
    if (spec.type == SettingType::boolean) values.insert(values.end(), {"yes", "1", "'true'"});
    if (spec.type == SettingType::choice) values.emplace_back("no-such-word");
    if (spec.type == SettingType::secret) values.emplace_back("written-here");
    return values;
}

/// Values at the edge of what fits.
std::vector<std::string> limits(const SettingSpec& spec) {
    if (spec.type == SettingType::boolean) return {"true", "false"};
    if (spec.type == SettingType::choice) return spec.choices;
    std::vector<std::string> values;
    if (spec.type != SettingType::integer && spec.type != SettingType::duration) return values;
    if (spec.minimum != integer_min)
        values.push_back(std::to_string(spec.minimum) + unit(spec.type));
    if (spec.maximum != integer_max)
        values.push_back(std::to_string(spec.maximum) + unit(spec.type));
    return values;
}

/// The settings it is given anyhow, with this one among them.
std::string with(const std::string& given, const SettingSpec& spec, const std::string& value) {
    std::string text;
    bool is_replaced = false;
    std::istringstream lines{given};
    for (std::string line; std::getline(lines, line);) {
        const bool is_below = line.starts_with(' ') || line.empty();
        if (!is_below) is_replaced = line.starts_with(spec.name + ':');
        if (!is_replaced) text += line + '\n';
    }
    return text + spec.name + ": " + value;
}

/// What the host says to it with these settings; empty: nothing.
std::string answer(const Stage& stage, const std::string& settings) {
    try {
        (void)stage.load(settings);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

Findings held(const Stage& stage, const SettingSpec& spec) {
    Findings found;
    for (const std::string& value : misfits(spec)) {
        const auto said = answer(stage, with(stage.settings(), spec, value));
        if (said.empty())
            found.push_back("setting '" + spec.name + "' takes " + value);
        else if (said.find(spec.name) == said.npos)
            found.push_back("setting '" + spec.name + "': " + value +
                            " is refused without its name: " + said);
    }
    for (const std::string& value : limits(spec)) {
        try {
            auto set = stage.load(with(stage.settings(), spec, value));
            Life life{set};
            life.begin();
            for (std::string& line : life.end())
                found.push_back("setting '" + spec.name + "' at " + value + ": " + line);
        } catch (const std::exception& error) {
            found.push_back("setting '" + spec.name + "' may be " + value +
                            ", and then the plugin does not start: " + error.what());
        }
    }
    return found;
}

}  // namespace

Findings settings_are_held(const Options& options) {
    const Stage stage{options};
    const auto set = stage.load();
    Findings found;
    for (const SettingSpec& spec : set.find(stage.id())->manifest.settings) {
        for (std::string& line : held(stage, spec)) found.push_back(std::move(line));
    }
    const SettingSpec unknown{.name = "no_such_setting"};
    if (answer(stage, with(stage.settings(), unknown, "1")).find(unknown.name) == std::string::npos)
        found.emplace_back("an unknown setting is not refused by its name");
    return found;
}

}  // namespace radd::conformance
