#include <nlohmann/json.hpp>

#include <host/verify/report.hpp>

namespace radd::verify {

using nlohmann::ordered_json;

std::string remedy_of(const Finding& finding) {
    std::string text{finding.check->remedy};
    constexpr std::string_view placeholder = "NAME";
    for (auto at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + finding.subject.size()))
        text.replace(at, placeholder.size(), finding.subject);
    return text;
}

ordered_json to_json(const Report& report) {
    auto consumers = ordered_json::array();
    for (const auto& one : report.consumers) {
        consumers.push_back({{"name", one.name},
                             {"plugin", one.plugin},
                             {"seeded_at", one.seeded_at},
                             {"cursor", one.cursor},
                             {"handled", one.handled},
                             {"expected", one.expected},
                             {"skipped", one.skipped},
                             {"retried", one.retried},
                             {"verdict", one.verdict}});
    }
    auto findings = ordered_json::array();
    for (const auto& one : report.findings) {
        findings.push_back({{"check", one.check->name},
                            {"subject", one.subject},
                            {"found", one.check->found},
                            {"detail", one.detail},
                            {"count", one.count},
                            {"examples", one.examples},
                            {"remedy", remedy_of(one)}});
    }
    return {{"sound", report.findings.empty()},
            {"events", report.events},
            {"skipped_events", report.skips},
            {"deliveries", report.deliveries},
            {"first_kept", report.first_kept},
            {"consumers", std::move(consumers)},
            {"findings", std::move(findings)}};
}

}  // namespace radd::verify
