#pragma once

/// Writing what a file holds, so that a second run writes only what has changed since.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "issue_source.hpp"
#include "journal.hpp"
#include "report.hpp"
#include "transactor.hpp"
#include <items/service.hpp>
#include <radd/transaction.hpp>

namespace importer {

/// One transaction holds this many issues: a commit for each would be slow, and one for all would
/// hold every lock to the end and lose everything to a failure in the last.
inline constexpr std::size_t chunk_issues = 50;

struct ImportOptions {
    std::string kind = "jira";    ///< As it is listed.
    std::string file{};           ///< As it is listed.
    std::string source = "jira";  ///< What foreign ids are unique in.
    bool dry_run = false;         ///< Do it all in one transaction and roll that back.
    bool strict = false;          ///< Stop at the first issue that cannot be imported.
    /// Called after each chunk: issues done, issues in total.
    std::function<void(std::size_t done, std::size_t total)> progress = [](auto, auto) {};
    std::function<bool()> stop_requested = [] { return false; };
};

/// One import of one file.
///
/// First people, projects and states; then all issues, in chunks, each issue in a savepoint, so
/// that one that is refused takes nothing along; then parents, which may stand after their
/// children in the file. Whether anybody outside is told is the caller's radd::Quiet scope.
///
/// What a foreign system says happened becomes events at the time it happened, by who did it: an
/// issue's creation, each entry of its change log, each comment. Fields that differ without an
/// entry that says so become one more event, by nobody.
///
/// A user is the person whom an earlier import made of them; else whoever is here under the same
/// address, who stays as he is; else a new person.
///
/// What it writes is kept in its journal, by which Rollback takes it back, and `import.finished`
/// tells of its end.
class Import {
public:
    /// `source` is read to its end and must outlive this.
    Import(items::Directory& directory, IssueSource& source, ImportOptions options);

    /// @throws radd::Unavailable, radd::SqlError: the chunk at hand was rolled back, the earlier
    ///         ones stand, and a second run continues.
    /// @throws radd::InvalidInput naming "strict": an issue cannot be imported, and that was to be
    ///         the end. The chunk it is in was rolled back, the earlier ones stand.
    [[nodiscard]] Report run(radd::Database& database);

private:
    /// What one transaction did: counted, and written down, once it is committed.
    struct Part : Report {
        std::vector<Write> writes{};

        void add(Part&& other);
    };

    /// An issue that is there, while its chunk is written.
    struct Imported {
        const Issue* issue;
        items::ItemId id;
        std::optional<items::ItemId> parent{};
        bool created = false;
        bool changed = false;
        std::vector<std::string> told{};  ///< Fields whose change the change log has told.
        std::optional<std::vector<items::Comment>> comments{};  ///< Those that were here before.
    };

    /// One whose parent the second pass has to see to: it has one, here or in the file.
    struct Child {
        std::string key;
        std::string id;
        std::optional<ParentRef> wanted;
        items::ItemId item;
        std::optional<items::ItemId> parent;  ///< That it has here.
        bool created;
        bool changed;
        bool is_told;  ///< By the change log.
        items::Act act;
    };

    using PartWork = std::function<void(radd::Transaction&, Part&)>;

    void import_all(const Transactor& transact);
    /// Runs `work` in one transaction and counts what it did once that is committed.
    void transact_part(const Transactor& transact, const PartWork& work);
    void import_shared(radd::Transaction& tx, Part& part);
    void import_person(radd::Transaction& tx, const User& user, Part& part);
    void write_person(radd::Transaction& tx, const User& user, Part& part);
    [[nodiscard]] std::optional<items::Person> known_person(radd::Transaction& tx,
                                                            const User& user,
                                                            Part& part);
    void import_chunk(const Transactor& transact, const std::vector<Issue>& issues);
    void remember_child(const Imported& imported, std::vector<Child>& children) const;
    void import_parents(const Transactor& transact, std::size_t first, std::size_t count);

    [[nodiscard]] Imported import_issue(radd::Transaction& tx, const Issue& issue, Part& part);
    [[nodiscard]] Imported create(radd::Transaction& tx, const Issue& issue, Part& part);
    [[nodiscard]] Imported update(radd::Transaction& tx,
                                  const Issue& issue,
                                  const items::Item& item,
                                  Part& part);
    /// What update_item() has just changed of `before`.
    [[nodiscard]] Write change_of(radd::Transaction& tx, const items::Item& before);
    [[nodiscard]] items::ItemPatch patch_of(const Imported& imported) const;
    void tell_history(radd::Transaction& tx, Imported& imported, Part& part);
    void tell_comment(radd::Transaction& tx,
                      Imported& imported,
                      const IssueComment& comment,
                      Part& part);
    [[nodiscard]] std::optional<items::Comment> find_comment(radd::Transaction& tx,
                                                             Imported& imported,
                                                             const IssueComment& comment);
    void link(radd::Transaction& tx, const Child& child, Part& part);
    [[nodiscard]] std::optional<items::ItemId> parent_of(radd::Transaction& tx,
                                                         const Child& child,
                                                         Part& part);

    [[nodiscard]] std::optional<items::PersonId> person(const std::optional<std::string>& id) const;
    [[nodiscard]] radd::json person_value(const std::string& id, const std::string& name) const;
    [[nodiscard]] items::SourceId source_id(const std::string& id) const {
        return {.source = options_.source, .id = id};
    }

    items::Directory& directory_;
    IssueSource& source_;
    const Outline& outline_;
    ImportOptions options_;
    Report report_;
    std::optional<Journal> journal_;               // There once the first transaction is committed.
    std::map<std::string, items::Person> people_;  // By foreign id.
    std::set<items::PersonId> people_of_source_;   // Those of them that an import has made.
    std::map<std::string, items::ProjectId> projects_;  // By key.
    std::set<std::string> rings_;                       // Foreign ids.
    std::vector<Child> children_;
};

}  // namespace importer
