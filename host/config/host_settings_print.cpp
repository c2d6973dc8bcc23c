// What `radd config` prints, and what it must not.

#include <algorithm>

#include <nlohmann/json.hpp>

#include <host/config/host_setting_table.hpp>
#include <host/config/host_settings.hpp>

namespace radd::config {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view mask = "***";

/// One call operator a type of field.
struct ToJson {
    const HostSettings& settings;
    const HostSettingRow& row;

    json operator()(bool HostSettings::*field) const { return settings.*field; }
    json operator()(std::size_t HostSettings::*field) const { return settings.*field; }
    json operator()(std::chrono::milliseconds HostSettings::*field) const {
        return shown(settings.*field);
    }
    json operator()(std::optional<std::string> HostSettings::*field) const {
        const auto& text = settings.*field;
        if (!text) return nullptr;
        return row.secret ? without_password(*text) : *text;
    }
    json operator()(std::filesystem::path HostSettings::*field) const {
        return (settings.*field).string();
    }
    json operator()(Endpoint HostSettings::*field) const {
        const auto& [host, port] = settings.*field;
        const bool bracketed = host.find(':') != std::string::npos;
        return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
    }
    json operator()(LogLevel HostSettings::*field) const {
        switch (settings.*field) {
            case LogLevel::debug:
                return "debug";
            case LogLevel::info:
                return "info";
            case LogLevel::warn:
                return "warn";
            case LogLevel::error:
                break;
        }
        return "error";
    }
    json operator()(LogFormat HostSettings::*field) const {
        return settings.*field == LogFormat::json ? "json" : "human";
    }
    json operator()(std::vector<std::chrono::seconds> HostSettings::*field) const {
        json list = json::array();
        for (const auto wait : settings.*field) list.push_back(wait.count());
        return list;
    }
    json operator()(std::vector<std::string> HostSettings::*field) const { return settings.*field; }
};

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string as_text(const json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array() || value.empty()) return dumped(value);
    std::string list;
    for (const auto& item : value)
        list +=
            (list.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : dumped(item));
    return list;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// Where the value that begins at `at` ends: libpq's quotes and backslashes, or URI parameters.
std::size_t value_end(std::string_view text, std::size_t at, bool is_uri) {
    if (is_uri) return std::min(text.find('&', at), text.size());
    const bool quoted = at < text.size() && text[at] == '\'';
    for (std::size_t i = quoted ? at + 1 : at; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (quoted ? text[i] == '\'' : text[i] == ' ') {
            return quoted ? i + 1 : i;
        }
    }
    return text.size();
}

/// `password=x` and `sslpassword = 'x y'`, wherever they stand.
std::string mask_parameters(std::string_view text, bool is_uri) {
    constexpr std::string_view key = "password";
    std::string masked;
    for (;;) {
        const auto found = text.find(key);
        if (found == std::string_view::npos) return masked + std::string{text};
        const auto equals = skip_spaces(text, found + key.size());
        if (equals >= text.size() || text[equals] != '=') {
            masked += text.substr(0, equals);
            text.remove_prefix(equals);
            continue;
        }
        const auto value = skip_spaces(text, equals + 1);
        masked += std::string{text.substr(0, value)} + std::string{mask};
        text.remove_prefix(value_end(text, value, is_uri));
    }
}

}  // namespace

std::string without_password(std::string_view url) {
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return mask_parameters(url, false);

    const auto user = scheme + 3;
    const auto query = std::min(url.find('?', user), url.size());
    // To the last @: one that was not escaped in a password must not show what follows it.
    const auto at = url.substr(0, query).rfind('@');
    const auto colon = url.find(':', user);
    std::string masked{url.substr(0, query)};
    const bool has_password = at != std::string_view::npos && at > user && colon < at;
    if (has_password) masked.replace(colon + 1, at - colon - 1, mask);
    return masked + mask_parameters(url.substr(query), true);
}

std::string shown_value(const HostSettings& settings, std::string_view name) {
    const HostSettingRow* row = find_host_setting(name);
    return row == nullptr ? std::string{} : as_text(std::visit(ToJson{settings, *row}, row->field));
}

std::string to_table(const HostConfig& config) {
    std::size_t name_width = 0;
    std::size_t value_width = 0;
    for (const HostSettingRow& row : host_setting_rows()) {
        name_width = std::max(name_width, row.name.size());
        value_width = std::max(value_width, shown_value(config.settings, row.name).size());
    }
    std::string table;
    for (const HostSettingRow& row : host_setting_rows()) {
        std::string name{row.name};
        std::string value = shown_value(config.settings, row.name);
        name.resize(name_width + 2, ' ');
        value.resize(value_width + 2, ' ');
        table += name + value + config.origins.find(row.name)->second.text + '\n';
    }
    return table;
}

std::string to_json(const HostConfig& config) {
    json array = json::array();
    for (const HostSettingSpec& spec : host_setting_specs()) {
        const HostSettingRow& row = *find_host_setting(spec.name);
        array.push_back({{"name", spec.name},
                         {"value", std::visit(ToJson{config.settings, row}, row.field)},
                         {"origin", config.origins.at(spec.name).text},
                         {"env", spec.env},
                         {"flag", spec.flag},
                         {"type", spec.type},
                         {"help", spec.help}});
    }
    return dumped(array);
}

}  // namespace radd::config
