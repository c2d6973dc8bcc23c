#pragma once

/// Time zones, as the database knows them.

#include <string>

#include "jira_time.hpp"
#include <radd/transaction.hpp>

namespace importer {

/// A zone by its name, e.g. "Europe/Berlin". Asks the database once for each distinct wall time.
/// `database` must outlive it. @throws radd::InvalidInput if there is no such zone.
[[nodiscard]] Zone database_zone(radd::Database& database, const std::string& name);

}  // namespace importer
