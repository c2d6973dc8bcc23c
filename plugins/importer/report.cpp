#include "report.hpp"

#include <ostream>

namespace importer {
namespace {

void print_problems(std::ostream& out, const char* title, const std::vector<Problem>& problems) {
    if (problems.empty()) return;
    out << title << ":\n";
    for (const auto& problem : problems) {
        out << "  " << (problem.key.empty() ? "file" : problem.key);
        if (!problem.field.empty()) out << ' ' << problem.field;
        out << ": " << problem.text << '\n';
    }
}

radd::json problems_json(const std::vector<Problem>& problems) {
    auto list = radd::json::array();
    for (const auto& problem : problems)
        list.push_back({{"key", problem.key}, {"field", problem.field}, {"problem", problem.text}});
    return list;
}

}  // namespace

void Report::add(const Report& part) {
    created += part.created;
    updated += part.updated;
    unchanged += part.unchanged;
    people += part.people;
    comments += part.comments;
    events += part.events;
    rejected.insert(rejected.end(), part.rejected.begin(), part.rejected.end());
    warnings.insert(warnings.end(), part.warnings.begin(), part.warnings.end());
}

radd::json report_json(const Report& report) {
    return {{"issues", report.issues},
            {"created", report.created},
            {"updated", report.updated},
            {"unchanged", report.unchanged},
            {"rejected", problems_json(report.rejected)},
            {"warnings", problems_json(report.warnings)},
            {"people", report.people},
            {"comments", report.comments},
            {"events", report.events},
            {"dry_run", report.dry_run},
            {"stopped", report.stopped},
            {"took_ms", report.took.count()}};
}

void print_report(std::ostream& out, const Report& report) {
    out << report.issues << (report.issues == 1 ? " issue" : " issues") << " in "
        << report.took.count() << " ms";
    if (report.dry_run) out << "; dry run, nothing was written";
    if (report.stopped) out << "; stopped early, run it again to finish";
    out << "\n  created    " << report.created << "\n  updated    " << report.updated
        << "\n  unchanged  " << report.unchanged << "\n  rejected   " << report.rejected.size()
        << "\n  warnings   " << report.warnings.size() << "\n  people     " << report.people
        << "\n  comments   " << report.comments << "\n  events     " << report.events << '\n';
    print_problems(out, "rejected", report.rejected);
    print_problems(out, "warnings", report.warnings);
}

}  // namespace importer
