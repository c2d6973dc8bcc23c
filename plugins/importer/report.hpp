#pragma once

/// What an import did: counted while it runs, printed at its end.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <radd/error.hpp>
#include <radd/json_text.hpp>

namespace importer {

/// Something about one issue, or about the file where `key` is empty.
struct Problem {
    std::string key;
    std::string field;  ///< As the file calls it, where it does.
    std::string text;
    std::int64_t line = 0;  ///< Of the file; 0: it has none that mean anything.

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Why an issue was left out. Its field is named once: what() begins with it.
[[nodiscard]] inline Problem rejection(const std::string& key, const radd::InvalidInput& error) {
    const std::string text = error.what();
    const auto prefix = error.field().size() + 2;  // "title: "
    return {.key = key, .field = error.field(), .text = text.substr(std::min(prefix, text.size()))};
}

/// Problems in the order they were met. The first `kept_max` are kept and all are counted: a large
/// file of which nothing fits must not fill the memory with reasons.
class Problems {
public:
    static constexpr std::size_t kept_max = 1000;

    void push_back(Problem problem) {
        ++total_;
        if (kept_.size() < kept_max) kept_.push_back(std::move(problem));
    }
    void append(const Problems& others) {
        for (const auto& problem : others.kept_) push_back(problem);
        total_ += others.total_ - others.kept_.size();
    }

    [[nodiscard]] std::size_t total() const noexcept { return total_; }
    [[nodiscard]] const std::vector<Problem>& kept() const noexcept { return kept_; }
    [[nodiscard]] bool empty() const noexcept { return total_ == 0; }

    friend bool operator==(const Problems&, const Problems&) = default;

private:
    std::vector<Problem> kept_{};
    std::size_t total_ = 0;
};

/// [{"key","field","problem","line"}]: those that are kept.
[[nodiscard]] radd::json problems_json(const Problems& problems);
/// Those that are kept, a line each, and how many there are more.
void print_problems(std::ostream& out, const char* title, const Problems& problems);

struct Report {
    /// By which it can be taken back. Empty: nothing was begun, or it was a dry run.
    std::optional<std::int64_t> import{};
    std::int64_t issues = 0;  ///< In the file, after --project.
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t unchanged = 0;
    std::int64_t people = 0;    ///< Added.
    std::int64_t comments = 0;  ///< Added or changed.
    std::int64_t events = 0;
    Problems rejected{};  ///< One for each issue that was left out.
    Problems warnings{};  ///< What was imported otherwise than it was written.
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
