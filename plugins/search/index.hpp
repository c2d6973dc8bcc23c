#pragma once

/// The rows that are searched: one an item, brought up to date and built anew.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <radd/services.hpp>

namespace search {

/// What bringing one item up to date has done.
enum class Indexed : std::uint8_t {
    nothing,    ///< The item is gone, or the index has it as it is.
    whole,      ///< Every word of it can be found.
    shortened,  ///< It has more words than a vector holds: the beginning of its texts is indexed.
};

class Index {
public:
    static constexpr std::int64_t chunk_items = 200;  ///< Of a rebuild, in one transaction.

    /// `configuration` is one of PostgreSQL's text search configurations.
    explicit Index(std::string configuration) : configuration_{std::move(configuration)} {}

    /// Reads the item and its comments as they are now; after `event`, whose effect may be in the
    /// index already. @throws as Transaction::query().
    Indexed refresh(radd::Transaction& tx, std::int64_t item_id, std::int64_t event_id) const;
    void remove(radd::Transaction& tx, std::int64_t item_id) const;

    struct Progress {
        std::int64_t done = 0;
        std::int64_t total = 0;  ///< As counted at the start.
        std::int64_t shortened = 0;
    };
    /// Indexes every item anew, whatever the index has, and takes out what is no item. In short
    /// transactions beside the consumer, which goes on: people search all the while, and whatever
    /// of both is newer stays. Ends early, between two of them, when the host is told to stop.
    Progress rebuild(radd::Services& host, const std::function<void(const Progress&)>& tell) const;

private:
    std::string configuration_;
};

}  // namespace search
