#include <ostream>

#include "rollback.hpp"

namespace importer {

void RollbackReport::add(const RollbackReport& part) {
    items_removed += part.items_removed;
    comments_removed += part.comments_removed;
    items_restored += part.items_restored;
    comments_restored += part.comments_restored;
    people_restored += part.people_restored;
    left.append(part.left);
}

radd::json report_json(const RollbackReport& report) {
    return {{"import", report.import},
            {"items_removed", report.items_removed},
            {"comments_removed", report.comments_removed},
            {"items_restored", report.items_restored},
            {"comments_restored", report.comments_restored},
            {"people_restored", report.people_restored},
            {"left", problems_json(report.left)},
            {"left_total", report.left.total()},
            {"people_kept", report.people_kept},
            {"projects_kept", report.projects_kept},
            {"dry_run", report.dry_run},
            {"stopped", report.stopped},
            {"took_ms", report.took.count()}};
}

void print_report(std::ostream& out, const RollbackReport& report) {
    out << "import " << report.import << " in " << report.took.count() << " ms";
    if (report.dry_run) out << "; dry run, nothing was changed";
    if (report.stopped) out << "; stopped early, run it again to finish";
    out << "\n  removed    " << report.items_removed << " items, " << report.comments_removed
        << " comments\n  restored   " << report.items_restored << " items, "
        << report.comments_restored << " comments, " << report.people_restored
        << " people\n  left       " << report.left.total() << "\n  kept       "
        << report.people_kept << " people, " << report.projects_kept << " projects\n";
    print_problems(out, "left", report.left);
}

}  // namespace importer
