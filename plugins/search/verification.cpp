#include "verification.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "entities.hpp"
#include "sql.hpp"
#include "verification_sql.hpp"
#include <items/events.hpp>
#include <radd/catalog.hpp>

namespace search {
namespace {

constexpr std::string_view indexer = "search.indexer";
constexpr radd::EntityType item_type = items::ItemEntity::item;
constexpr radd::EventType item_deleted = items::ItemEvent::deleted;
constexpr auto id_min = std::numeric_limits<std::int64_t>::min();
constexpr auto id_max = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view differs = "_differs";
constexpr std::string_view older = "_older";

const Check& check_of(std::string_view name) {
    return *std::ranges::find(checks, name, &Check::name);
}

std::vector<std::string> comment_events() {
    constexpr radd::EventType one = items::CommentEvent::created;
    return {one.siblings().begin(), one.siblings().end()};
}

}  // namespace

/// What differs, until it is known whether search.indexer was told of it.
struct Verification::Suspect {
    const Check* check;
    std::string type;
    std::string id;
    std::string shown;
    std::int64_t seen;  ///< Events up to here do not have it indexed again.
    bool waits = false;

    [[nodiscard]] bool is_item() const { return type == item_type.name(); }
    /// A document without its item leaves with the item's last event and with no other.
    [[nodiscard]] bool is_orphan() const { return check->name == "document_orphan"; }
};

/// One chunk in its snapshot.
struct Verification::Reading {
    radd::Transaction& tx;
    std::int64_t cursor;
    std::int64_t drawn;
    std::vector<Suspect> suspects{};

    /// Those of rows about items or their documents; returns how many were read.
    std::int64_t suspect_items(const radd::Rows& rows) {
        for (const auto row : rows) {
            if (row.is_null("found")) continue;
            suspects.push_back({.check = &check_of(row.text("found")),
                                .type = std::string{item_type.name()},
                                .id = row.text("id"),
                                .shown = row.text("key"),
                                .seen = row.integer("seen")});
        }
        return rows[0].integer("rows");
    }
    void suspect_entity(std::string_view check,
                        const std::string& type,
                        const std::string& id,
                        std::int64_t seen) {
        suspects.push_back({.check = &check_of(check),
                            .type = type,
                            .id = id,
                            .shown = type + ' ' + id,
                            .seen = seen});
    }
    void suspect_entities(const radd::Rows& rows) {
        for (const auto row : rows) {
            if (row.is_null("found")) continue;
            suspect_entity(row.text("found"),
                           row.text("entity_type"),
                           row.text("entity_id"),
                           row.integer("seen"));
        }
    }

    void note_waiting();
    void note_older();

private:
    /// What a statement is asked about some of the suspects, and which it says they are.
    struct Question {
        std::vector<Suspect*> meant{};
        std::vector<std::string> types{};
        std::vector<std::string> ids{};
        std::vector<std::string> after{};

        [[nodiscard]] std::vector<Suspect*> answered(const radd::Rows& places) const {
            std::vector<Suspect*> found;
            for (const auto row : places)
                found.push_back(meant.at(static_cast<std::size_t>(row.integer("place") - 1)));
            return found;
        }
    };
    template <typename Wanted>
    [[nodiscard]] Question about(Wanted wanted, std::int64_t after) {
        Question question;
        for (Suspect& one : suspects) {
            if (one.waits || !wanted(one)) continue;
            question.meant.push_back(&one);
            question.types.push_back(one.type);
            question.ids.push_back(one.id);
            question.after.push_back(std::to_string(std::max(after, one.seen)));
        }
        return question;
    }
    [[nodiscard]] std::vector<Suspect*> told(
        const Question& question,
        std::int64_t until,
        std::optional<std::string_view> event_type = std::nullopt) const {
        if (question.meant.empty()) return {};
        return question.answered(tx.query(sql::select_told_between,
                                          radd::text_array(question.types),
                                          radd::text_array(question.ids),
                                          radd::text_array(question.after),
                                          until,
                                          event_type));
    }
    [[nodiscard]] std::vector<Suspect*> commented(const Question& question) const {
        if (question.meant.empty()) return {};
        return question.answered(tx.query(sql::select_commented_after,
                                          radd::text_array(question.ids),
                                          radd::text_array(question.after),
                                          radd::text_array(comment_events()),
                                          cursor));
    }
};

/// Comments last, and of what is left: their events are found by reading all that wait.
void Verification::Reading::note_waiting() {
    const auto wait = [](const std::vector<Suspect*>& which) {
        for (Suspect* one : which) one->waits = true;
    };
    wait(told(about([](const Suspect& one) { return one.is_orphan(); }, cursor),
              id_max,
              item_deleted.name()));
    wait(told(about([](const Suspect& one) { return !one.is_orphan(); }, cursor), id_max));
    wait(commented(
        about([](const Suspect& one) { return one.is_item() && !one.is_orphan(); }, cursor)));
}

void Verification::Reading::note_older() {
    const auto may_be = [](const Suspect& one) { return one.check->name.ends_with(differs); };
    for (Suspect* one : told(about(may_be, id_min), cursor)) {
        std::string name{one->check->name};
        one->check = &check_of(name.replace(name.size() - differs.size(), differs.size(), older));
    }
}

Verification::Verification(radd::Services& host, std::function<void(const Report&)> tell)
    : host_{host}, tell_{std::move(tell)}, configuration_{host.settings().text("configuration")} {}

Report Verification::run() {
    walk_items();
    walk_documents();
    walk_entities();
    for (const auto& entity : host_.catalog().entities()) {
        if (entity.spec->document) walk_told(*entity.spec);
    }
    std::ranges::sort(report_.findings, {}, &Finding::check);
    return std::move(report_);
}

/// `judge` returns how many it has read: fewer than a chunk are the last.
void Verification::walk(std::int64_t chunk, const std::function<std::int64_t(Reading&)>& judge) {
    for (std::int64_t rows = chunk; rows == chunk;) {
        if (host_.stop_requested()) {
            report_.is_whole = false;
            return;
        }
        rows = host_.database().transact([&](radd::Transaction& tx) {
            tx.execute(sql::one_snapshot);
            tx.execute(sql::read_only);
            const auto read = tx.query_one(sql::select_read, indexer);
            Reading reading{
                .tx = tx, .cursor = read->integer("cursor"), .drawn = read->integer("drawn")};
            const auto count = judge(reading);
            reading.note_waiting();
            reading.note_older();
            for (const Suspect& one : reading.suspects) add(one);
            return count;
        });
        tell_(report_);
    }
}

void Verification::walk_items() {
    auto last = id_min;
    walk(chunk_items, [&](Reading& reading) {
        const auto rows =
            reading.tx.query(sql::judge_items, last, configuration_, chunk_items, reading.drawn);
        last = rows[0].integer("last");
        const auto count = reading.suspect_items(rows);
        report_.items += count;
        return count;
    });
}

void Verification::walk_documents() {
    auto last = id_min;
    walk(chunk_documents, [&](Reading& reading) {
        const auto rows = reading.tx.query(sql::judge_documents, last, chunk_documents);
        last = rows[0].integer("last");
        const auto count = reading.suspect_items(rows);
        report_.documents += count;
        return count;
    });
}

void Verification::walk_entities() {
    std::string type;
    std::string id;
    walk(EntityIndex::chunk_entities, [&](Reading& reading) {
        std::map<std::string, std::vector<std::string>> chunk;
        std::map<std::pair<std::string, std::string>, std::int64_t> seen;
        std::int64_t count = 0;
        for (const auto& row :
             reading.tx.query(sql::select_entities, type, id, EntityIndex::chunk_entities)) {
            type = row.text("entity_type");
            id = row.text("entity_id");
            chunk[type].push_back(id);
            seen[{type, id}] = row.integer("as_of");
            ++count;
        }
        for (const auto& [name, ids] : chunk) {
            const auto* spec = host_.catalog().entity(name);
            // Of a plugin that is not loaded nobody knows what its documents should be.
            if (spec == nullptr || !spec->document) continue;
            for (const auto& gone : judge_entities(reading, *spec, ids))
                reading.suspect_entity("entity_orphan", name, gone, seen.at({name, gone}));
        }
        report_.entities += count;
        return count;
    });
}

/// Returns those that are gone.
std::vector<std::string> Verification::judge_entities(Reading& reading,
                                                      const radd::EntityRefSpec& spec,
                                                      const std::vector<std::string>& ids) const {
    const auto documents = documents_of(reading.tx, spec, ids);
    std::vector<std::string> gone;
    std::vector<std::string> kept;
    std::vector<std::string> titles;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!documents[i]) {
            gone.push_back(ids[i]);
            continue;
        }
        kept.push_back(ids[i]);
        titles.push_back(documents[i]->title);
        texts.push_back(documents[i]->text);
    }
    reading.suspect_entities(reading.tx.query(sql::judge_entities,
                                              spec.entity_type.name(),
                                              radd::text_array(kept),
                                              radd::text_array(titles),
                                              radd::text_array(texts),
                                              configuration_,
                                              reading.drawn));
    return gone;
}

/// Nobody can list what a plugin keeps, but each has an event that says it was made.
void Verification::walk_told(const radd::EntityRefSpec& spec) {
    const std::string type{spec.entity_type.name()};
    std::string last;
    walk(EntityIndex::chunk_entities, [&](Reading& reading) {
        std::vector<std::string> unindexed;
        std::int64_t count = 0;
        for (const auto& row : reading.tx.query(
                 sql::select_told, type, last, reading.cursor, EntityIndex::chunk_entities)) {
            last = row.text("entity_id");
            if (!row.boolean("is_indexed")) unindexed.push_back(last);
            ++count;
        }
        if (unindexed.empty()) return count;
        const auto documents = documents_of(reading.tx, spec, unindexed);
        for (std::size_t i = 0; i < unindexed.size(); ++i) {
            if (documents[i]) reading.suspect_entity("entity_missing", type, unindexed[i], 0);
        }
        return count;
    });
}

void Verification::add(const Suspect& suspect) {
    if (suspect.waits) {
        ++report_.waiting;
        return;
    }
    auto known = std::ranges::find(report_.findings, suspect.check, &Finding::check);
    if (known == report_.findings.end())
        known = report_.findings.insert(known, Finding{.check = suspect.check});
    ++known->count;
    if (known->examples.size() < examples_max) known->examples.push_back(suspect.shown);
}

}  // namespace search
