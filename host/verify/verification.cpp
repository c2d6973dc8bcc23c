#include <algorithm>
#include <utility>

#include <host/db/scope.hpp>
#include <host/verify/sql.hpp>
#include <host/verify/verification.hpp>

namespace radd::verify {
namespace {

/// A read-only snapshot, for as long as this lives.
class Snapshot {
public:
    explicit Snapshot(db::Session& session) : scope_{session} {
        session.query(sql::one_snapshot);
        session.query(sql::read_only);
    }

private:
    db::Scope scope_;
};

std::string numbers(std::int64_t is, std::int64_t should_be) {
    return std::to_string(is) + " instead of " + std::to_string(should_be);
}

}  // namespace

struct Verification::Known {
    ConsumerProof proof;
    std::int64_t handled_hash;
    bool is_task;
    bool lease_orphan;
    bool lease_without_owner;
    std::vector<Run> left_out{};

    /// Its receipt can be compared with the stream.
    [[nodiscard]] bool comparable(std::int64_t drawn) const {
        return !is_task && proof.cursor <= drawn && proof.seeded_at <= proof.cursor;
    }
};

Report Verification::run() {
    auto all = read_state();
    for (const Known& known : all) judge_row(known);
    walk_events(all);
    for (Known& known : all) {
        if (known.is_task) continue;
        judge_receipt(known);
        report_.consumers.push_back(std::move(known.proof));
    }
    report_.skips = judge_slices(sql::judge_skips, "skipped events");
    report_.deliveries = judge_slices(sql::judge_deliveries, "deliveries");
    return std::move(report_);
}

std::vector<Verification::Known> Verification::read_state() {
    const Snapshot snapshot{session_};
    std::vector<Known> all;
    const Rows rows = session_.query(sql::select_consumers, orphan_after_seconds);
    for (const auto row : rows) {
        all.push_back({.proof = {.name = row.text("name"),
                                 .plugin = row.text("plugin"),
                                 .seeded_at = row.integer("seeded_at"),
                                 .cursor = row.integer("cursor"),
                                 .handled = row.integer("handled_count"),
                                 .skipped = 0,
                                 .retried = row.integer("retried")},
                       .handled_hash = row.integer("handled_hash"),
                       .is_task = row.text("kind") == "task",
                       .lease_orphan = row.boolean("lease_orphan"),
                       .lease_without_owner = row.boolean("lease_without_owner")});
    }
    const Rows left_out = session_.query(sql::select_left_out);
    for (const auto row : left_out) {
        const auto known = std::ranges::find(
            all, row.text("consumer"), [](const Known& one) { return one.proof.name; });
        const Run run{row.integer("first"), row.integer("last")};
        known->proof.skipped += run.last - run.first + 1;
        known->left_out.push_back(run);
    }
    const Rows stream = session_.query(sql::select_stream);
    drawn_ = stream[0].integer("drawn");
    report_.first_kept = stream[0].integer("first_kept");
    judge_stream(stream[0].integer("settled"), stream[0].integer("newest"));
    return all;
}

void Verification::judge_stream(std::int64_t settled, std::int64_t newest) {
    if (newest > drawn_) add(check::sequence_set_back, "stream", numbers(drawn_, newest));
    if (settled > drawn_) add(check::settled_beyond_head, "stream", numbers(settled, drawn_));
}

void Verification::judge_row(const Known& known) {
    const auto& proof = known.proof;
    if (known.lease_orphan) add(check::lease_orphan, proof.name);
    if (known.lease_without_owner) add(check::lease_without_owner, proof.name);
    if (known.is_task) return;
    if (proof.cursor > drawn_)
        add(check::cursor_beyond_head,
            proof.name,
            "cursor " + std::to_string(proof.cursor) + ", head " + std::to_string(drawn_));
    if (proof.cursor < proof.seeded_at)
        add(check::cursor_before_seed,
            proof.name,
            "cursor " + std::to_string(proof.cursor) + ", seed " + std::to_string(proof.seeded_at));
}

void Verification::walk_events(const std::vector<Known>& all) {
    std::int64_t at = drawn_;
    std::int64_t until = 0;
    for (const Known& known : all) {
        if (!known.comparable(drawn_)) continue;
        ledger_.ask(known.proof.seeded_at);
        ledger_.ask(known.proof.cursor);
        at = std::min(at, known.proof.seeded_at);
        until = std::max(until, known.proof.cursor);
    }
    at = std::max(at, report_.first_kept - 1);
    while (at < until) {
        const Snapshot snapshot{session_};
        const Rows runs = session_.query(sql::select_runs, at, until, slices_.events);
        if (runs.empty()) break;
        for (const auto row : runs) {
            ledger_.add({row.integer("first"), row.integer("last")});
            at = row.integer("last");
        }
        on_progress_({"events", at, until});
    }
    ledger_.finish();
    report_.events = ledger_.events();
}

void Verification::judge_receipt(Known& known) {
    auto& proof = known.proof;
    proof.verdict = "contradicted";
    if (!known.comparable(drawn_)) return;
    if (proof.seeded_at < report_.first_kept - 1) {
        proof.verdict = "unproven";
        return;
    }
    if (proof.cursor != proof.seeded_at && !ledger_.has(proof.cursor))
        add(check::cursor_without_event, proof.name, "cursor " + std::to_string(proof.cursor));
    auto expected = ledger_.between(proof.seeded_at, proof.cursor);
    const auto left_out = receipt_of(known.left_out);
    expected.count -= left_out.count;
    expected.hash -= left_out.hash;
    proof.expected = expected.count;
    if (proof.handled != expected.count)
        return add(check::receipt_count, proof.name, numbers(proof.handled, expected.count));
    if (static_cast<std::uint64_t>(known.handled_hash) != expected.hash)
        return add(check::receipt_hash, proof.name);
    proof.verdict = "each once";
}

std::int64_t Verification::judge_slices(Sql judge, std::string_view reading) {
    std::int64_t total = 0;
    std::int64_t at = 0;
    for (std::int64_t read = slices_.rows; read == slices_.rows;) {
        const Snapshot snapshot{session_};
        const Rows rows = session_.query(judge, at, slices_.rows, report_.first_kept);
        read = rows[0].integer("rows");
        at = rows[0].optional_integer("last").value_or(at);
        total += read;
        for (const auto row : rows) {
            const auto& found = row.optional_text("found");
            if (!found) continue;
            const Check* const check = find_check(*found);
            const auto known = std::ranges::find_if(report_.findings, [&](const Finding& one) {
                return one.check == check && one.subject == row.text("subject");
            });
            if (known != report_.findings.end()) {
                known->count += row.integer("count");
                continue;
            }
            report_.findings.push_back({.check = check,
                                        .subject = row.text("subject"),
                                        .count = row.integer("count"),
                                        .examples = row.text("examples")});
        }
        on_progress_({reading, at, 0});
    }
    return total;
}

void Verification::add(const Check& check, std::string subject, std::string detail) {
    report_.findings.push_back(
        {.check = &check, .subject = std::move(subject), .detail = std::move(detail)});
}

}  // namespace radd::verify
