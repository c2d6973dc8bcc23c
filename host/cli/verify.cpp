// radd verify: what consumers promise, proven from the tables.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/table.hpp>
#include <host/verify/verification.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

using radd::verify::ConsumerProof;
using radd::verify::Finding;
using radd::verify::Report;

Tone tone_of(const ConsumerProof& proof) {
    if (proof.verdict == "each once") return Tone::good;
    return proof.verdict == "contradicted" ? Tone::bad : Tone::busy;
}

void print_consumers(Invocation& invocation, const Report& report) {
    constexpr std::size_t name_width_min = 20;
    Table table{{{"CONSUMER", Align::left, name_width_min},
                 {"VERDICT"},
                 {"SEED", Align::right},
                 {"CURSOR", Align::right},
                 {"HANDLED", Align::right},
                 {"SKIPPED", Align::right},
                 {"RETRIED", Align::right}}};
    for (const auto& one : report.consumers) {
        table.add({terminal_text(one.name),
                   Cell{one.verdict, tone_of(one)},
                   std::to_string(one.seeded_at),
                   std::to_string(one.cursor),
                   std::to_string(one.handled),
                   std::to_string(one.skipped),
                   std::to_string(one.retried)});
    }
    if (!table.empty()) table.print(invocation.out, invocation.terminal);
}

void print_finding(std::ostream& out, const Finding& finding) {
    fmt::print(out,
               "\n{}: {}: {}",
               finding.check->name,
               terminal_text(finding.subject),
               finding.check->found);
    if (!finding.detail.empty()) fmt::print(out, ": {}", finding.detail);
    if (!finding.examples.empty())
        fmt::print(out,
                   ": {} row{}, ids {}{}",
                   finding.count,
                   finding.count == 1 ? "" : "s",
                   finding.examples,
                   finding.count > std::ranges::count(finding.examples, ',') + 1 ? ", …" : "");
    fmt::print(out, "\n    {}\n", terminal_text(radd::verify::remedy_of(finding)));
}

void print_report(Invocation& invocation, const Report& report) {
    print_consumers(invocation, report);
    for (const auto& finding : report.findings) print_finding(invocation.out, finding);
    const bool unproven = std::ranges::any_of(
        report.consumers, [](const ConsumerProof& one) { return one.verdict == "unproven"; });
    if (unproven)
        fmt::print(invocation.err,
                   "events below {} are gone with their partition: what was handled of them cannot "
                   "be proven\n",
                   report.first_kept);
    fmt::print(invocation.err,
               "{} events, {} skipped and {} deliveries were read: {}\n",
               report.events,
               report.skips,
               report.deliveries,
               report.findings.empty() ? std::string{"all as promised"}
                                       : fmt::format("{} found", report.findings.size()));
}

}  // namespace

int verify(Invocation& invocation) {
    Opened opened{invocation, "verify"};
    bool told = false;
    radd::verify::Verification verification{
        opened.session(), [&](const radd::verify::Progress& now) {
            if (!invocation.interactive) return;
            told = true;
            fmt::print(invocation.err, "\r{} up to {}", now.reading, now.at);
            if (now.until > 0) fmt::print(invocation.err, " of {}", now.until);
            invocation.err << "\x1b[K" << std::flush;
        }};
    const auto report = verification.run();
    if (told) invocation.err << "\r\x1b[K";
    if (invocation.json)
        invocation.out << to_json(report).dump(
                              2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                       << '\n';
    else
        print_report(invocation, report);
    return report.findings.empty() ? exit_ok : exit_found;
}

}  // namespace radd::cli
