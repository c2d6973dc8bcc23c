#include <algorithm>
#include <charconv>
#include <string_view>

#include <host/outbox/settling.hpp>

namespace radd::outbox {
namespace {

// A sequence that was never used says last_value 1. It may be ahead of what was drawn (see
// radd.drawn()), which only makes a look at the holders due.
constexpr Sql peek_head = R"sql(
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS head
      FROM radd.events_id_seq)sql";

// `h.head` inside the subquery makes PostgreSQL read the head before it looks at the locks. A
// plain look at the sequence may be ahead; the mark is taken from this head alone.
constexpr Sql look_at_holders = R"sql(
    WITH h AS MATERIALIZED (SELECT radd.drawn() AS head)
    SELECT h.head,
           array_to_string(ARRAY(
               SELECT DISTINCT l.virtualtransaction FROM pg_catalog.pg_locks l
                WHERE l.locktype = 'relation' AND l.relation = 'radd.events_id_seq'::regclass
                  AND l.mode = 'RowExclusiveLock'
                  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                                     WHERE d.datname = current_database())
                  AND h.head IS NOT NULL), ',') AS holders
      FROM h)sql";

constexpr Sql settle = "SELECT radd.settle() AS settled";

constexpr Sql select_published = R"sql(
    SELECT settled, head, array_to_string(holders, ',') AS holders,
           array_to_string(lows, ',') AS lows, radd.head() AS last_row, radd.drawn() AS drawn
      FROM radd.stream)sql";

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        parts.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return parts;
}

std::int64_t to_id(std::string_view text) {
    std::int64_t id = 0;
    std::from_chars(text.data(), text.data() + text.size(), id);
    return id;
}

}  // namespace

std::int64_t Settling::start() {
    publish();
    const Rows rows = session_.query(select_published);
    const Row row = rows[0];
    base_ = mark_ = published_ = row.integer("settled");
    head_at_look_ = row.integer("head");
    // That look may be an old one: whoever is at it has not published yet.
    head_ = row.integer("drawn");
    // Of one look with that head: who is not among them has drawn only ids above it.
    const auto holders = split(row.text("holders"));
    const auto lows = split(row.text("lows"));
    lows_.clear();
    for (std::size_t i = 0; i < holders.size() && i < lows.size(); ++i)
        lows_.emplace(holders[i], to_id(lows[i]));
    blocked_ = false;
    return row.integer("last_row");
}

void Settling::publish() {
    // settle() refuses any other isolation, and a database may have another default.
    session_.begin();
    const Rows rows = session_.query(settle);
    published_ = rows[0].integer("settled");
    session_.commit();
}

Settling::Step Settling::step() {
    Step step;
    head_ = session_.query(peek_head)[0].integer("head");
    if (head_ <= base_) {
        blocked_ = false;
        return step;
    }
    if (blocked_) {
        look();
        // Two holders seen for the first time in one look share a low; then only the row itself
        // shows that the lower of them has committed.
        const bool moved =
            mark_ > base_ || !reader_.read(session_, base_, base_ + 1).events.empty();
        if (!moved) return step;
    }
    blocked_ = !take(step);
    if (!blocked_) return step;

    look();
    if (mark_ > base_) blocked_ = !take(step);
    return step;
}

/// Reads on from base_ and hands out what is final. False at a hole that is not.
bool Settling::take(Step& step) {
    const auto chunk = reader_.read(session_, base_, head_);
    for (const SharedEvent& event : chunk.events) {
        const bool is_final = event->id == base_ + 1 || event->id <= mark_ + 1;
        if (!is_final) return false;
        base_ = event->id;
        step.events.push_back(event);
    }
    base_ = std::max(base_, std::min(chunk.covered, mark_));
    step.more = base_ < head_ && base_ == chunk.covered;
    return base_ >= chunk.covered;
}

void Settling::look() {
    const Rows rows = session_.query(look_at_holders);
    const Row row = rows[0];
    const std::int64_t head = row.integer("head");
    std::map<std::string, std::int64_t> lows;
    std::int64_t mark = head;
    for (const auto& holder : split(row.text("holders"))) {
        const auto known = lows_.find(holder);
        // A prepared transaction whose name is new may have drawn its ids under another one.
        const auto first_low = holder.starts_with("-1/") ? std::max(base_, mark_) : head_at_look_;
        const auto low = known == lows_.end() ? first_low : known->second;
        lows.emplace(holder, low);
        mark = std::min(mark, low);
    }
    lows_ = std::move(lows);
    head_at_look_ = head;
    mark_ = std::max(mark_, mark);
}

std::string Settling::holder() const {
    const auto lowest = std::ranges::min_element(
        lows_, [](const auto& a, const auto& b) { return a.second < b.second; });
    return lowest == lows_.end() ? std::string{} : lowest->first;
}

}  // namespace radd::outbox
