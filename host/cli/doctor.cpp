// radd doctor: everything that an operator should look at, in one go.

#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/doctor.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return "ok";
        case Verdict::warn:
            return "warn";
        case Verdict::fail:
            return "fail";
    }
    return "";
}

Tone tone_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return Tone::good;
        case Verdict::warn:
            return Tone::busy;
        case Verdict::fail:
            return Tone::bad;
    }
    return Tone::plain;
}

void print(Invocation& invocation, const Finding& finding) {
    constexpr std::size_t verdict_width = 6;
    constexpr std::size_t about_width = 20;
    std::string verdict{name_of(finding.verdict)};
    const std::string gap(verdict_width - verdict.size(), ' ');
    std::string about = terminal_text(finding.about);
    if (about.size() < about_width) about.resize(about_width, ' ');
    if (invocation.terminal.colour) verdict = painted(verdict, tone_of(finding.verdict));
    invocation.out << verdict << gap << about << ' ' << terminal_text(finding.found) << '\n';
    if (!finding.remedy.empty())
        invocation.out << std::string(verdict_width, ' ') << "do: " << terminal_text(finding.remedy)
                       << '\n';
}

void print_json(Invocation& invocation, const Findings& findings) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [about, verdict, found, remedy] : findings)
        list.push_back({{"about", about},
                        {"verdict", name_of(verdict)},
                        {"found", found},
                        {"remedy", remedy}});
    using Json = nlohmann::ordered_json;
    invocation.out << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Findings examine(Invocation& invocation) {
    Findings findings;
    const auto append = [&](Findings more) {
        findings.insert(findings.end(), more.begin(), more.end());
    };
    try {
        host::Installation installation{invocation.settings};
        append(examine_machine(installation.settings()));
        const auto& set = installation.load_plugins();
        append(examine_plugins(set, installation.plugin_problems()));
        append(examine_database(installation));
    } catch (const host::Refused& refused) {
        for (const auto& problem : refused.problems())
            findings.push_back({.about = "settings",
                                .verdict = problem.severity == config::Severity::error
                                               ? Verdict::fail
                                               : Verdict::warn,
                                .found = config::to_text(problem),
                                .remedy = "`radd why " + problem.code + "` tells what it means"});
    }
    return findings;
}

}  // namespace

int doctor(Invocation& invocation) {
    const auto findings = examine(invocation);
    const auto count = [&](Verdict verdict) {
        return std::ranges::count(findings, verdict, &Finding::verdict);
    };
    const int code = count(Verdict::fail) == 0 ? exit_ok : exit_failed;
    if (invocation.json) {
        print_json(invocation, findings);
        return code;
    }
    for (const auto& finding : findings) print(invocation, finding);
    invocation.err << count(Verdict::ok) << " ok, " << count(Verdict::warn) << " to look at, "
                   << count(Verdict::fail) << " broken\n";
    return code;
}

}  // namespace radd::cli
