#include "cascades.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "sql.hpp"
#include <items/events.hpp>

namespace importer {
namespace {

/// Ids of events are text, and SQL may have written any; nothing hangs on one that is no number.
void forget_changes(radd::Transaction& tx, std::string_view item) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (error == std::errc{} && end == item.data() + item.size())
        tx.execute(sql::delete_changes, id);
}

}  // namespace

std::vector<radd::CascadeSpec> cascades() {
    return {{.name = "importer.changes",
             .parent_event = items::ItemEvent::deleted,
             .sweep = forget_changes}};
}

}  // namespace importer
