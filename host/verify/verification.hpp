#pragma once

/// Proving from the tables alone that what consumers promise was kept.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>
#include <host/verify/ledger.hpp>
#include <host/verify/report.hpp>

namespace radd::verify {

/// How far it has come with what it reads at the moment.
struct Progress {
    std::string_view reading;  ///< "events", "skipped events", "deliveries".
    std::int64_t at;           ///< Id.
    std::int64_t until;        ///< The last one; 0 if that is not known.
};

/// May run beside hosts and writers at any load: it only reads, in slices that each are a snapshot
/// of their own, so that it holds back no vacuum for longer than one takes.
///
/// Why slices are enough: cursors, receipts and skipped records come from one snapshot, and an
/// event at or below a cursor of it is final. If one turns up later all the same, it was passed
/// before it was there, which is just what is looked for.
///
/// A cursor is one number and moves up alone, so a receipt that is right proves the order as well:
/// what an operator had planned again outside the cursor is counted apart.
class Verification {
public:
    /// How much one statement reads at most: some tenths of a second.
    struct Slices {
        std::int64_t events = 200'000;
        std::int64_t rows = 20'000;
    };
    /// A host that is up takes a lease over within a second of its end.
    static constexpr std::int64_t orphan_after_seconds = 60;

    Verification(db::Session& session, std::function<void(const Progress&)> on_progress)
        : Verification{session, std::move(on_progress), Slices{}} {}
    Verification(db::Session& session,
                 std::function<void(const Progress&)> on_progress,
                 Slices slices)
        : session_{session}, on_progress_{std::move(on_progress)}, slices_{slices} {}

    /// @throws Unavailable, SqlError as Session::query().
    [[nodiscard]] Report run();

private:
    struct Known;

    [[nodiscard]] std::vector<Known> read_state();
    void judge_stream(std::int64_t settled, std::int64_t newest);
    void judge_row(const Known& known);
    void walk_events(const std::vector<Known>& all);
    void judge_receipt(Known& known);
    [[nodiscard]] std::int64_t judge_slices(Sql judge, std::string_view reading);
    void add(const Check& check, std::string subject, std::string detail = {});

    db::Session& session_;
    std::function<void(const Progress&)> on_progress_;
    Slices slices_;
    std::int64_t drawn_ = 0;
    Ledger ledger_;
    Report report_;
};

}  // namespace radd::verify
