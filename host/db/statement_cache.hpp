#pragma once

/// Which statements of a session are prepared, and under which name.

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace radd::db {

/// A statement is worth preparing when it comes back, and not before: half of them never do.
class StatementCache {
public:
    static constexpr std::size_t entries_max = 256;

    struct Entry {
        std::string sql;
        std::string name;       ///< What PostgreSQL knows it by, once prepared.
        bool seen = false;      ///< Not its first use.
        bool prepared = false;  ///< Set by the session when PostgreSQL has agreed.
    };

    /// The entry of `sql`, made if needed; the least recently used one makes room for it.
    /// Valid until the next call.
    Entry& use(std::string_view sql) {
        if (const auto found = by_sql_.find(sql); found != by_sql_.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            entries_.front().seen = true;
            return entries_.front();
        }
        if (entries_.size() == entries_max) forget(entries_.back().sql);
        entries_.push_front({.sql = std::string{sql}, .name = "radd_" + std::to_string(++named_)});
        by_sql_.emplace(entries_.front().sql, entries_.begin());
        return entries_.front();
    }

    /// Starts `sql` over: its next use is its first.
    void forget(std::string_view sql) {
        const auto found = by_sql_.find(sql);
        if (found == by_sql_.end()) return;
        const auto entry = found->second;
        if (entry->prepared) dropped_.push_back(entry->name);
        by_sql_.erase(found);  // Before the text its key points into.
        entries_.erase(entry);
    }

    /// Names the server still holds and nobody will use again. Forgets them.
    [[nodiscard]] std::vector<std::string> take_dropped() { return std::exchange(dropped_, {}); }
    [[nodiscard]] bool has_dropped() const noexcept { return !dropped_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    std::list<Entry> entries_;  ///< Most recently used first.
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_sql_;
    std::vector<std::string> dropped_;
    std::uint64_t named_ = 0;
};

}  // namespace radd::db
