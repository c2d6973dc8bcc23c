#include "rollback.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "all_comments.hpp"
#include "journal_sql.hpp"
#include "sql.hpp"
#include <importer/events.hpp>
#include <radd/error.hpp>

namespace importer {

struct Rollback::Stored {
    ImportId import;
    std::int64_t seq;
    std::string kind;
    std::string entity_id;
    std::int64_t id;  ///< The entity's, where it is a number.
    radd::json before;
    radd::json after;
};

namespace {

std::int64_t number_or_zero(const std::string& text) {
    std::int64_t number = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// The fields of `after` that hold another value now: "title, state".
std::string changed_since(const radd::json& now, const radd::json& after) {
    std::string fields;
    for (const auto& [field, written] : after.items()) {
        if (radd::json(digest(now.at(field))) != written)
            fields += (fields.empty() ? "" : ", ") + field;
    }
    return fields;
}

void leave(RollbackReport& part, std::string key, std::string field, std::string why) {
    part.left.push_back({.key = std::move(key), .field = std::move(field), .text = std::move(why)});
}

constexpr const char* is_changed = "changed since; it stays";

}  // namespace

std::vector<Rollback::Stored> Rollback::stored(const radd::Rows& rows) const {
    std::vector<Stored> writes;
    for (const auto& row : rows) {
        const auto& before = row.optional_text("before");
        writes.push_back({.import = report_.import,
                          .seq = row.integer("seq"),
                          .kind = row.text("kind"),
                          .entity_id = row.text("entity_id"),
                          .id = number_or_zero(row.text("entity_id")),
                          .before = before ? radd::json::parse(*before) : radd::json(),
                          .after = radd::json::parse(row.text("after"))});
    }
    return writes;
}

RollbackReport Rollback::run(radd::Database& database, ImportId import) {
    report_ = {.import = import, .dry_run = options_.dry_run};
    total_ = seen_ = 0;
    is_final_round_ = false;
    run_transactions(
        database, options_.dry_run, [this](const Transactor& transact) { roll_back(transact); });
    return report_;
}

void Rollback::roll_back(const Transactor& transact) {
    transact([this](radd::Transaction& tx) {
        if (!tx.query_one(sql::begin_rollback, report_.import))
            throw radd::InvalidInput{"import",
                                     "there is no " + std::to_string(report_.import) +
                                         "; `radd import list` shows them"};
        const auto row = tx.query_one(sql::count_pending, report_.import);
        total_ = static_cast<std::size_t>(row->integer("pending"));
        report_.people_kept = row->integer("people");
        report_.projects_kept = row->integer("projects");
    });
    undo_changes(transact);
    if (!report_.stopped) remove_items(transact);
    if (!report_.stopped) transact([this](radd::Transaction& tx) { finish(tx); });
}

void Rollback::undo_changes(const Transactor& transact) {
    auto last_seq = std::numeric_limits<std::int64_t>::max();
    for (std::size_t size = batch_writes; size == batch_writes && !report_.stopped;) {
        (void)undo_batch(
            transact,
            [this, &last_seq](radd::Transaction& tx) {
                return stored(
                    tx.query(sql::select_changes, report_.import, last_seq, batch_writes));
            },
            last_seq,
            size);
    }
}

/// Parents wait for their children, so there are as many rounds as they stand over each other.
void Rollback::remove_items(const Transactor& transact) {
    std::vector<std::string> waiting;
    auto last_seq = std::numeric_limits<std::int64_t>::max();
    for (std::size_t size = batch_writes; size == batch_writes && !report_.stopped;) {
        auto later = undo_batch(
            transact,
            [this, &last_seq](radd::Transaction& tx) {
                return stored(
                    tx.query(sql::select_made_items, report_.import, last_seq, batch_writes));
            },
            last_seq,
            size);
        std::ranges::move(later, std::back_inserter(waiting));
    }
    while (!waiting.empty() && !report_.stopped) {
        std::vector<std::string> still;
        for (std::size_t at = 0; at < waiting.size() && !report_.stopped; at += batch_writes) {
            const auto first = waiting.begin() + static_cast<std::ptrdiff_t>(at);
            const auto count = std::min(batch_writes, waiting.size() - at);
            const std::vector<std::string> seqs{first, first + static_cast<std::ptrdiff_t>(count)};
            std::size_t size = 0;
            auto later = undo_batch(
                transact,
                [this, &seqs](radd::Transaction& tx) {
                    return stored(
                        tx.query(sql::select_writes, report_.import, radd::text_array(seqs)));
                },
                last_seq,
                size);
            std::ranges::move(later, std::back_inserter(still));
        }
        is_final_round_ = still.size() == waiting.size();
        waiting = std::move(still);
    }
}

std::vector<std::string> Rollback::undo_batch(
    const Transactor& transact,
    const std::function<std::vector<Stored>(radd::Transaction&)>& select,
    std::int64_t& last_seq,
    std::size_t& size) {
    RollbackReport part;
    std::vector<std::string> later;
    std::int64_t last = last_seq;
    transact([&](radd::Transaction& tx) {
        part = {};
        later.clear();
        tx.query(sql::lock_imports);
        const auto writes = select(tx);
        size = writes.size();
        for (const auto& write : writes) {
            last = write.seq;
            RollbackReport of_write;
            const auto outcome = undo(tx, write, of_write);
            part.add(of_write);
            if (outcome == Outcome::later) later.push_back(std::to_string(write.seq));
        }
    });
    last_seq = last;
    report_.add(part);
    seen_ += size - later.size();
    options_.progress(std::min(seen_, total_), total_);
    report_.stopped = options_.stop_requested();
    return later;
}

Rollback::Outcome Rollback::undo(radd::Transaction& tx, const Stored& write, RollbackReport& part) {
    Outcome outcome = Outcome::left;
    try {
        outcome = tx.in_savepoint([&] {
            if (write.kind == "person") return restore_person(tx, write, part);
            if (write.kind == "comment") return undo_comment(tx, write, part);
            return write.before.is_null() ? remove_item(tx, write, part)
                                          : restore_item(tx, write, part);
        });
    } catch (const radd::Contention&) {
        throw;
    } catch (const radd::InvalidInput& error) {
        part = {};
        leave(part, write.kind + " " + write.entity_id, error.field(), error.what());
    } catch (const radd::SqlError& error) {
        part = {};
        leave(part, write.kind + " " + write.entity_id, "", error.what());
    }
    if (outcome == Outcome::done) tx.execute(sql::mark_undone, write.import, write.seq);
    return outcome;
}

Rollback::Outcome Rollback::check_children(radd::Transaction& tx,
                                           const items::Item& item,
                                           RollbackReport& part) {
    const auto row = tx.query_one(sql::select_children, report_.import, item.id);
    if (row->integer("children") == 0) return Outcome::done;
    const auto other = row->optional_text("other");
    if (!other && !is_final_round_) return Outcome::later;
    leave(part,
          item.key,
          "",
          other.value_or(row->text("first")) + " stands under it and stays; so does this");
    return Outcome::left;
}

bool Rollback::has_other_comments(radd::Transaction& tx, items::ItemId item) {
    std::map<std::string, std::string> made;
    for (const auto& row : tx.query(sql::select_made_comments, report_.import, item))
        made[row.text("entity_id")] = row.text("body");
    return std::ranges::any_of(all_comments(tx, directory_, item), [&](const auto& comment) {
        const auto found = made.find(std::to_string(comment.id));
        return found == made.end() || found->second != digest(comment.body);
    });
}

Rollback::Outcome Rollback::remove_item(radd::Transaction& tx,
                                        const Stored& write,
                                        RollbackReport& part) {
    const auto item = directory_.find_item(tx, write.id);
    if (!item) {
        tx.execute(sql::mark_item_undone, write.import, write.id);
        return Outcome::done;
    }
    if (const auto fields = changed_since(field_values(*item), write.after); !fields.empty()) {
        leave(part, item->key, fields, is_changed);
        return Outcome::left;
    }
    if (has_other_comments(tx, item->id)) {
        leave(part, item->key, "comments", is_changed);
        return Outcome::left;
    }
    if (const auto outcome = check_children(tx, *item, part); outcome != Outcome::done)
        return outcome;

    part.comments_removed +=
        static_cast<std::int64_t>(all_comments(tx, directory_, item->id).size());
    directory_.delete_item(tx, item->id, {});
    ++part.items_removed;
    // Before the cascade finds the time: whoever imports it again at once wants its history told.
    tx.execute(sql::delete_changes, item->id);
    tx.execute(sql::mark_item_undone, write.import, item->id);
    return Outcome::done;
}

Rollback::Outcome Rollback::restore_item(radd::Transaction& tx,
                                         const Stored& write,
                                         RollbackReport& part) {
    const auto item = directory_.find_item(tx, write.id);
    if (!item) return Outcome::done;

    const auto now = field_values(*item);
    auto restored = radd::json::object();
    auto left_before = radd::json::object();
    auto left_after = radd::json::object();
    for (const auto& [field, value] : write.before.items()) {
        if (radd::json(digest(now.at(field))) == write.after.at(field)) {
            restored[field] = value;
        } else {
            left_before[field] = value;
            left_after[field] = write.after.at(field);
        }
    }
    if (!restored.empty() && !directory_.update_item(tx, item->id, patch_of(restored), {}).empty())
        ++part.items_restored;
    if (left_before.empty()) return Outcome::done;
    leave(part, item->key, changed_since(now, left_after), is_changed);
    tx.execute(sql::narrow_write, write.import, write.seq, left_before.dump(), left_after.dump());
    return Outcome::left;
}

Rollback::Outcome Rollback::undo_comment(radd::Transaction& tx,
                                         const Stored& write,
                                         RollbackReport& part) {
    const auto comment = directory_.find_comment(tx, write.id);
    if (!comment) return Outcome::done;
    if (radd::json(digest(comment->body)) != write.after.at("body")) {
        leave(part, comment->item.key, "comment " + write.entity_id, is_changed);
        return Outcome::left;
    }
    if (write.before.is_null()) {
        directory_.delete_comment(tx, comment->id, {});
        ++part.comments_removed;
    } else if (directory_.update_comment(
                   tx, comment->id, write.before.at("body").get<std::string>(), {})) {
        ++part.comments_restored;
    }
    return Outcome::done;
}

Rollback::Outcome Rollback::restore_person(radd::Transaction& tx,
                                           const Stored& write,
                                           RollbackReport& part) {
    const auto person = directory_.find_person(tx, write.entity_id);
    if (!person) return Outcome::done;
    if (const auto fields = changed_since(field_values(*person), write.after); !fields.empty()) {
        leave(part, person->name, fields, is_changed);
        return Outcome::left;
    }
    const auto& email = write.before.at("email");
    const items::Person before{
        .id = person->id,
        .name = write.before.at("name").get<std::string>(),
        .email = email.is_null() ? std::nullopt : std::optional{email.get<std::string>()}};
    if (directory_.update_person(tx, before, {})) ++part.people_restored;
    return Outcome::done;
}

void Rollback::finish(radd::Transaction& tx) {
    const auto pending = tx.query_one(sql::count_pending, report_.import)->integer("pending");
    const char* state = pending == 0 ? "rolled_back" : "partly_rolled_back";
    tx.execute(sql::end_rollback, report_.import, state);
    const auto undone = report_.items_removed + report_.comments_removed + report_.items_restored +
                        report_.comments_restored + report_.people_restored;
    if (undone == 0) return;
    auto counts = report_json(report_);
    for (const char* name : {"import", "left", "dry_run", "stopped", "took_ms"}) counts.erase(name);
    tx.emit(radd::NewEvent{.type = ImportEvent::rolled_back,
                           .entity = ImportEntity::file_import,
                           .entity_id = report_.import,
                           .payload = radd::json{{"counts", counts}},
                           .silent = false});
}

}  // namespace importer
