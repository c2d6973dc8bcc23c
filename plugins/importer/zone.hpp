#pragma once

/// Time zones, as the database knows them.

#include <string>

#include "jira_time.hpp"
#include <radd/transaction.hpp>

namespace importer {

/// A zone by its name, e.g. "Europe/Berlin". Asks the database once for each day, and for each
/// time of a day on which the clocks are turned.
/// `database` must outlive it. @throws radd::InvalidInput if there is no such zone.
[[nodiscard]] Zone database_zone(radd::Database& database, const std::string& name);

}  // namespace importer
