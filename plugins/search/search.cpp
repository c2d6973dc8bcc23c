/// Full-text search over items and their comments, in PostgreSQL.
///
/// Read in this order: migrations/search is what a document is, index.hpp how it is kept, query.hpp
/// how it is asked.

#include <memory>
#include <string>

#include "commands.hpp"
#include "indexer.hpp"
#include "routes.hpp"
#include "sql.hpp"
#include <radd/plugin.hpp>

namespace search {
namespace {

/// Those that PostgreSQL ships since version 13.
std::vector<std::string> configurations() {
    return {"simple",  "arabic",     "danish",  "dutch",     "english",    "finnish",
            "french",  "german",     "greek",   "hungarian", "indonesian", "irish",
            "italian", "lithuanian", "nepali",  "norwegian", "portuguese", "romanian",
            "russian", "spanish",    "swedish", "tamil",     "turkish"};
}

/// Half an index in another language finds by chance.
void warn_about_configuration(radd::Services& host) {
    const auto& wanted = host.settings().text("configuration");
    const auto other = host.database().transact([&](radd::Transaction& tx) {
        const auto row = tx.query_one(sql::select_other_configuration, wanted);
        return row ? row->text("configuration") : std::string{};
    });
    if (other.empty()) return;
    host.log().warn("index: items are indexed as '" + other + "' and searched as '" + wanted +
                    "'; run `radd search rebuild`");
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Full-text search over items, comments and whatever else describes itself.",
        .depends_on = {"items"},
        .settings = {radd::choice("configuration",
                                  "simple",
                                  configurations(),
                                  "PostgreSQL's text search configuration. \"simple\" finds words "
                                  "as they are written, in any language; a language also finds "
                                  "their other forms. After a change: radd search rebuild.")},
        // It hears of everything: which entities describe themselves is known to the host alone.
        .consumers = {{.name = "search.indexer",
                       .resume = radd::Resume::cursor,
                       .make =
                           [](radd::Services& host) { return std::make_unique<Indexer>(host); }}},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
        .on_startup = warn_about_configuration,
    };
}

}  // namespace
}  // namespace search

RADD_PLUGIN(search::manifest)
