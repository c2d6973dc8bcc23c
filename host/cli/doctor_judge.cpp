// radd doctor: what the numbers mean.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <host/cli/consumer_states.hpp>
#include <host/cli/doctor.hpp>

namespace radd::cli {
namespace {

// The tail, the leases, the sampler and the listeners have connections of their own.
constexpr std::size_t connections_beside_the_pool = 6;
// Libraries, logs, plugins' own files.
constexpr std::uint64_t descriptors_beside = 200;

struct SettingRule {
    std::string_view name;
    std::string_view bad;
    Verdict verdict;
    std::string_view means;
    std::string_view remedy;
};

constexpr std::array setting_rules{
    SettingRule{"fsync",
                "off",
                Verdict::fail,
                "what was committed may be gone after a crash of the machine",
                "set fsync = on in postgresql.conf"},
    SettingRule{"full_page_writes",
                "off",
                Verdict::fail,
                "a crash of the machine may damage tables",
                "set full_page_writes = on in postgresql.conf"},
    SettingRule{"synchronous_commit",
                "off",
                Verdict::warn,
                "a crash of the server may take the last commits back, and with them cursors",
                "set synchronous_commit = on for this role or database"},
    SettingRule{"autovacuum",
                "off",
                Verdict::warn,
                "the rows of cursors and deliveries are changed often, and nobody cleans up",
                "set autovacuum = on in postgresql.conf"},
    SettingRule{"idle_in_transaction_session_timeout",
                "0",
                Verdict::warn,
                "an application that forgets its transaction holds the stream, for everybody",
                "set it to a minute, say, for the roles of applications"},
};

}  // namespace

Finding judge_clocks(std::chrono::milliseconds ahead) {
    const auto skew = std::chrono::abs(ahead);
    Finding finding{.about = "clocks",
                    .found = fmt::format("the database's is {} ms {} this machine's",
                                         skew.count(),
                                         ahead.count() < 0 ? "behind" : "ahead of")};
    if (skew <= skew_tolerated) return finding;
    finding.verdict = skew > skew_refused ? Verdict::fail : Verdict::warn;
    finding.remedy = "let both machines follow one time server";
    return finding;
}

Finding judge_disk(const std::string& folder, std::uint64_t bytes_free) {
    constexpr std::uint64_t mebibyte = 1024ULL * 1024;
    Finding finding{.about = "disk space",
                    .found = fmt::format("{} MiB free in {}", bytes_free / mebibyte, folder)};
    if (bytes_free >= disk_bytes_low) return finding;
    finding.verdict = bytes_free < disk_bytes_min ? Verdict::fail : Verdict::warn;
    finding.remedy = "make room, or choose another folder by data_dir";
    return finding;
}

Finding judge_descriptors(std::uint64_t limit, const config::HostSettings& settings) {
    const std::uint64_t needed =
        settings.http_connections_max + settings.database_pool_size + descriptors_beside;
    Finding finding{.about = "open files",
                    .found = fmt::format("{} may be opened, {} may be needed", limit, needed)};
    if (limit >= needed) return finding;
    finding.verdict = Verdict::warn;
    finding.remedy = fmt::format(
        "raise the limit (ulimit -n {0}, or LimitNOFILE={0} in the unit), or lower "
        "http.connections_max",
        needed);
    return finding;
}

Finding judge_server_setting(std::string_view name, const std::string& value) {
    Finding finding{.about = std::string{name}, .found = value};
    const auto rule = std::ranges::find(setting_rules, name, &SettingRule::name);
    if (rule == setting_rules.end() || value != rule->bad) return finding;
    finding.verdict = rule->verdict;
    finding.found += ": " + std::string{rule->means};
    finding.remedy = rule->remedy;
    return finding;
}

Finding judge_connections(std::int64_t limit, std::size_t pool_size) {
    const auto needed = static_cast<std::int64_t>(pool_size + connections_beside_the_pool);
    Finding finding{
        .about = "connections",
        .found = fmt::format("the server takes {}, this host opens {} at most", limit, needed)};
    if (needed <= limit) return finding;
    finding.verdict = Verdict::fail;
    finding.remedy = "raise max_connections, or lower database.pool_size";
    return finding;
}

Finding judge_consumer(const consumers::ConsumerStatus& status) {
    Finding finding{.about = "consumer " + status.name, .found = status.state};
    const bool is_bad = status.state == "stalled" || status.state == "beyond_head";
    const bool is_odd = status.state == "unowned" || status.state == "not_loaded" ||
                        status.state == "waiting" || status.state == "paused";
    if (is_bad || is_odd) {
        finding.verdict = is_bad ? Verdict::fail : Verdict::warn;
        const auto text = std::ranges::find(
            consumer_state_texts, std::string_view{status.state}, &ConsumerStateText::state);
        finding.found += ": " + std::string{text->means};
        finding.remedy = text->remedy;
        if (const auto at = finding.remedy.find("NAME"); at != std::string::npos)
            finding.remedy.replace(at, std::string_view{"NAME"}.size(), status.name);
    } else if (status.skipped > 0) {
        finding.verdict = Verdict::warn;
        finding.found += fmt::format(", {} skipped", status.skipped);
        finding.remedy = fmt::format(
            "`radd consumers skipped {0}` tells why, `radd consumers retry {0} --all` plans them "
            "again",
            status.name);
    }
    if (status.lag > 0) finding.found += fmt::format(", {} behind", status.lag);
    return finding;
}

Finding judge_retention(std::size_t keep_days, const consumers::RetentionStatus& status) {
    Finding finding{.about = "retention", .found = "off: every event is kept"};
    if (status.first_kept > 0)
        finding.found = fmt::format("events below {} are gone", status.first_kept);
    if (keep_days == 0) return finding;
    if (!status.may_drop) {
        finding.verdict = Verdict::warn;
        finding.found = "asked for, and this role does not own radd.events: nothing is dropped";
        finding.remedy =
            "let the host connect as the owner, or leave out retention.events.keep_days";
    } else if (!status.held_by.empty()) {
        finding.verdict = Verdict::warn;
        finding.found =
            fmt::format("events below {} are old enough to go and are held by", status.old_below);
        for (const auto& holder : status.held_by)
            finding.found +=
                fmt::format(" {} ({}, at {})", holder.name, holder.state, holder.cursor);
        finding.remedy =
            fmt::format("let them catch up, or `radd consumers retire {}` if it is not coming back",
                        status.held_by.front().name);
    } else if (status.first_kept == 0) {
        finding.found = fmt::format("no partition is older than {} days", keep_days);
    }
    return finding;
}

}  // namespace radd::cli
