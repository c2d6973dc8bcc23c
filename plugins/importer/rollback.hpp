#pragma once

/// Taking an import back.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "journal.hpp"
#include "transactor.hpp"

namespace importer {

struct RollbackReport {
    ImportId import = 0;
    std::int64_t items_removed = 0;
    std::int64_t comments_removed = 0;  ///< Those that went with their item included.
    std::int64_t items_restored = 0;    ///< One twice that got other fields and then a parent.
    std::int64_t comments_restored = 0;
    std::int64_t people_restored = 0;
    Problems left{};                 ///< What somebody has changed since, and why it stays.
    std::int64_t people_kept = 0;    ///< Made by the import. Histories name them.
    std::int64_t projects_kept = 0;  ///< Made by the import. Numbers are drawn from them.
    bool dry_run = false;
    bool stopped = false;  ///< Told to end early; run it again to go on.
    std::chrono::milliseconds took{0};

    void add(const RollbackReport& part);

    friend bool operator==(const RollbackReport&, const RollbackReport&) = default;
};

[[nodiscard]] radd::json report_json(const RollbackReport& report);
void print_report(std::ostream& out, const RollbackReport& report);

struct RollbackOptions {
    bool dry_run = false;
    /// Called after each batch: writes looked at, writes to look at.
    std::function<void(std::size_t done, std::size_t total)> progress = [](auto, auto) {};
    std::function<bool()> stop_requested = [] { return false; };
};

/// Removes what one import made and puts back what it changed, newest first.
///
/// What somebody has changed since is left as it is and named: an item with another value in a
/// field that the import wrote, with a comment or a child that is not of this import, and whatever
/// an item that stays hangs under. A change is put back field by field.
///
/// Works in batches, one transaction each, that leave nothing to do for a second run; one that was
/// killed is finished by running it again, and running it once more changes nothing. An import
/// that is under way ends with an error at its next chunk. Events are as silent as the caller's
/// radd::Quiet scope has them; what was told of the past is not untold.
class Rollback {
public:
    /// Writes in one transaction.
    static constexpr std::size_t batch_writes = 50;

    Rollback(items::Directory& directory, RollbackOptions options)
        : directory_{directory}, options_{std::move(options)} {}

    /// @throws radd::InvalidInput naming "import" if there is none of this id.
    /// @throws radd::Unavailable, radd::SqlError: the batch at hand was rolled back, the earlier
    ///         ones stand, and a second run continues.
    [[nodiscard]] RollbackReport run(radd::Database& database, ImportId import);

private:
    struct Stored;  ///< A write as it is read back.
    enum class Outcome : std::uint8_t { done, left, later };

    [[nodiscard]] std::vector<Stored> stored(const radd::Rows& rows) const;
    void roll_back(const Transactor& transact);
    void undo_changes(const Transactor& transact);
    void remove_items(const Transactor& transact);
    void finish(radd::Transaction& tx);

    /// One batch in one transaction. Answers what is to be looked at again, by `seq`.
    std::vector<std::string> undo_batch(
        const Transactor& transact,
        const std::function<std::vector<Stored>(radd::Transaction&)>& select,
        std::int64_t& last_seq,
        std::size_t& size);

    Outcome undo(radd::Transaction& tx, const Stored& write, RollbackReport& part);
    Outcome remove_item(radd::Transaction& tx, const Stored& write, RollbackReport& part);
    Outcome restore_item(radd::Transaction& tx, const Stored& write, RollbackReport& part);
    Outcome undo_comment(radd::Transaction& tx, const Stored& write, RollbackReport& part);
    Outcome restore_person(radd::Transaction& tx, const Stored& write, RollbackReport& part);
    [[nodiscard]] Outcome check_children(radd::Transaction& tx,
                                         const items::Item& item,
                                         RollbackReport& part);
    [[nodiscard]] bool has_other_comments(radd::Transaction& tx, items::ItemId item);

    items::Directory& directory_;
    RollbackOptions options_;
    RollbackReport report_{};
    std::size_t total_ = 0;
    std::size_t seen_ = 0;
    bool is_final_round_ = false;  ///< What waits for its children now will wait for ever.
};

}  // namespace importer
