// radd doctor: the machine, and the plugins on it.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <host/cli/doctor.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace radd::cli {
namespace {

namespace fs = std::filesystem;

/// The folder itself, or the one in which it will be made.
fs::path existing(const fs::path& folder) {
    std::error_code ignored;
    fs::path at = fs::absolute(folder, ignored).lexically_normal();
    while (!at.empty() && !fs::exists(at, ignored) && at != at.parent_path()) at = at.parent_path();
    return at;
}

Finding data_dir_of(const config::HostSettings& settings) {
    const fs::path folder = existing(settings.data_dir);
    Finding finding{.about = "data_dir", .found = settings.data_dir.string()};
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0 || access(folder.c_str(), W_OK | X_OK) != 0) {
        finding.verdict = Verdict::fail;
        finding.found = folder.string() + " may not be written by this user";
        finding.remedy = "give it to the user that the host runs as, or choose another";
    } else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && fs::exists(settings.data_dir)) {
        finding.verdict = Verdict::warn;
        finding.found += " may be written by others, and plugins are mapped from there";
        finding.remedy = "chmod go-w " + settings.data_dir.string();
    }
    return finding;
}

Finding disk_of(const config::HostSettings& settings) {
    const fs::path folder = existing(settings.data_dir);
    std::error_code error;
    const auto space = fs::space(folder, error);
    if (!error) return judge_disk(folder.string(), space.available);
    return {.about = "disk space",
            .verdict = Verdict::warn,
            .found = folder.string() + " cannot be asked: " + error.message(),
            .remedy = "look at the file system that holds it"};
}

Finding descriptors_of(const config::HostSettings& settings) {
    rlimit limit{};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    return judge_descriptors(limit.rlim_cur, settings);
}

Finding time_zones() {
    std::error_code ignored;
    Finding finding{.about = "time zones", .found = "/usr/share/zoneinfo"};
    // One that is in every edition, and not in an image without them.
    if (fs::exists("/usr/share/zoneinfo/Europe/Berlin", ignored)) return finding;
    finding.verdict = Verdict::warn;
    finding.found += " has none: digests and working hours know only UTC";
    finding.remedy = "install tzdata";
    return finding;
}

Finding address_of(const config::HostSettings& settings) {
    const auto& host = settings.http_listen.host;
    const bool is_local = host.starts_with("127.") || host == "::1" || host == "localhost";
    const bool is_secure = settings.public_url && settings.public_url->starts_with("https://");
    Finding finding{.about = "http.listen",
                    .found = host + " port " + std::to_string(settings.http_listen.port)};
    if (is_local || is_secure) return finding;
    finding.verdict = Verdict::warn;
    finding.found += ": passwords and tokens cross the network in plain text";
    finding.remedy = "put a proxy with TLS in front, and set public_url to its https:// address";
    return finding;
}

Finding sender_of(const loader::LoadedPlugin& mail) {
    constexpr std::string_view unset = "radd@localhost";
    const std::string& address = mail.settings->text("from_address");
    Finding finding{.about = "mail", .found = "comes from " + address};
    if (address != unset) return finding;
    finding.verdict = Verdict::warn;
    finding.found += ", which nobody can answer and most relays refuse";
    finding.remedy = "set from_address in manifests/mail.yaml, then `radd mail test ADDRESS`";
    return finding;
}

bool has_setting(const loader::LoadedPlugin& plugin, std::string_view name) {
    const auto& settings = plugin.manifest.settings;
    return std::ranges::find(settings, name, &SettingSpec::name) != settings.end();
}

}  // namespace

Findings examine_machine(const config::HostSettings& settings) {
    return {data_dir_of(settings),
            disk_of(settings),
            descriptors_of(settings),
            time_zones(),
            address_of(settings)};
}

Findings examine_plugins(const loader::PluginSet& set, const config::Problems& problems) {
    Findings findings;
    findings.push_back({.about = "plugins",
                        .found = std::to_string(set.plugins().size()) + " loaded, " +
                                 std::to_string(set.refused().size()) + " refused, " +
                                 std::to_string(set.disabled().size()) + " disabled"});
    for (const auto& problem : problems) {
        const bool is_error = problem.severity == config::Severity::error;
        findings.push_back(
            {.about = problem.plugin.empty() ? "manifests" : "plugin " + problem.plugin,
             .verdict = is_error ? Verdict::fail : Verdict::warn,
             .found = config::to_text(problem),
             .remedy = "`radd why " + problem.code + "` tells what it means"});
    }
    for (const auto& file : set.ignored())
        findings.push_back({.about = "plugins",
                            .verdict = Verdict::warn,
                            .found = file.file + " is ignored: " + file.reason,
                            .remedy = "write a manifest for it, or remove it"});
    const auto* mail = set.find("mail");
    if (mail != nullptr && mail->settings && has_setting(*mail, "from_address"))
        findings.push_back(sender_of(*mail));
    return findings;
}

}  // namespace radd::cli
