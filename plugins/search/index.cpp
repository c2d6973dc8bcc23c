#include "index.hpp"

#include "sql.hpp"

namespace search {

Indexed Index::refresh(radd::Transaction& tx, std::int64_t item_id, std::int64_t event_id) const {
    const auto row = tx.query_one(sql::index_item, item_id, event_id, configuration_);
    if (!row) return Indexed::nothing;
    return row->boolean("shortened") ? Indexed::shortened : Indexed::whole;
}

void Index::remove(radd::Transaction& tx, std::int64_t item_id) const {
    tx.execute(sql::delete_document, item_id);
}

Index::Progress Index::rebuild(radd::Services& host,
                               const std::function<void(const Progress&)>& tell) const {
    auto& database = host.database();
    Progress progress;
    database.transact([&](radd::Transaction& tx) {
        progress.total = tx.query_one(sql::count_items)->integer("items");
        tx.execute(sql::delete_orphans);
    });
    std::int64_t last = 0;
    for (std::int64_t items = chunk_items; items == chunk_items && !host.stop_requested();) {
        database.transact([&](radd::Transaction& tx) {
            const auto row = tx.query_one(sql::index_chunk, last, configuration_, chunk_items);
            items = row->integer("items");
            last = row->integer("last");
            progress.shortened += row->integer("shortened");
        });
        progress.done += items;
        tell(progress);
    }
    return progress;
}

}  // namespace search
