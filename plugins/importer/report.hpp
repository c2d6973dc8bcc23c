#pragma once

/// What an import did: counted while it runs, printed at its end.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <radd/error.hpp>
#include <radd/json_text.hpp>

namespace importer {

/// Something about one issue, or about the file where `key` is empty.
struct Problem {
    std::string key;
    std::string field;
    std::string text;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Why an issue was left out. Its field is named once: what() begins with it.
[[nodiscard]] inline Problem rejection(const std::string& key, const radd::InvalidInput& error) {
    const std::string text = error.what();
    const auto prefix = error.field().size() + 2;  // "title: "
    return {.key = key, .field = error.field(), .text = text.substr(std::min(prefix, text.size()))};
}

struct Report {
    std::int64_t issues = 0;  ///< In the file, after --project.
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t unchanged = 0;
    std::int64_t people = 0;    ///< Added.
    std::int64_t comments = 0;  ///< Added or changed.
    std::int64_t events = 0;
    std::vector<Problem> rejected{};  ///< One for each issue that was left out.
    std::vector<Problem> warnings{};  ///< What was imported otherwise than it was written.
    bool dry_run = false;
    bool stopped = false;  ///< Told to end early; what is counted is there.
    std::chrono::milliseconds took{0};

    /// Adds the counts and problems of a part that was committed.
    void add(const Report& part);

    /// Nothing of what the file holds could be imported.
    [[nodiscard]] bool in_vain() const { return issues > 0 && created + updated + unchanged == 0; }
};

[[nodiscard]] radd::json report_json(const Report& report);
void print_report(std::ostream& out, const Report& report);

}  // namespace importer
