#include "report.hpp"

#include <ostream>

#include <radd/terminal_text.hpp>

namespace importer {
/// What a file holds may hold escape sequences, too.
void print_problems(std::ostream& out, const char* title, const Problems& problems) {
    if (problems.empty()) return;
    out << title << ":\n";
    for (const auto& problem : problems.kept()) {
        out << "  " << (problem.key.empty() ? "file" : radd::terminal_text(problem.key));
        if (problem.line != 0) out << " in line " << problem.line;
        if (!problem.field.empty()) out << ' ' << radd::terminal_text(problem.field);
        out << ": " << radd::terminal_text(problem.text) << '\n';
    }
    const auto untold = problems.total() - problems.kept().size();
    if (untold > 0) out << "  and " << untold << " more\n";
}

radd::json problems_json(const Problems& problems) {
    auto list = radd::json::array();
    for (const auto& problem : problems.kept()) {
        list.push_back({{"key", problem.key}, {"field", problem.field}, {"problem", problem.text}});
        if (problem.line != 0) list.back()["line"] = problem.line;
    }
    return list;
}

void Report::add(const Report& part) {
    created += part.created;
    updated += part.updated;
    unchanged += part.unchanged;
    people += part.people;
    comments += part.comments;
    events += part.events;
    rejected.append(part.rejected);
    warnings.append(part.warnings);
}

radd::json report_json(const Report& report) {
    return {{"import", report.import ? radd::json(*report.import) : radd::json()},
            {"issues", report.issues},
            {"created", report.created},
            {"updated", report.updated},
            {"unchanged", report.unchanged},
            {"rejected", problems_json(report.rejected)},
            {"rejected_total", report.rejected.total()},
            {"warnings", problems_json(report.warnings)},
            {"warnings_total", report.warnings.total()},
            {"people", report.people},
            {"comments", report.comments},
            {"events", report.events},
            {"dry_run", report.dry_run},
            {"stopped", report.stopped},
            {"took_ms", report.took.count()}};
}

void print_report(std::ostream& out, const Report& report) {
    if (report.import) out << "import " << *report.import << ": ";
    out << report.issues << (report.issues == 1 ? " issue" : " issues") << " in "
        << report.took.count() << " ms";
    if (report.dry_run) out << "; dry run, nothing was written";
    if (report.stopped) out << "; stopped early, run it again to finish";
    out << "\n  created    " << report.created << "\n  updated    " << report.updated
        << "\n  unchanged  " << report.unchanged << "\n  rejected   " << report.rejected.total()
        << "\n  warnings   " << report.warnings.total() << "\n  people     " << report.people
        << "\n  comments   " << report.comments << "\n  events     " << report.events << '\n';
    print_problems(out, "rejected", report.rejected);
    print_problems(out, "warnings", report.warnings);
}

}  // namespace importer
