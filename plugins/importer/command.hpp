#pragma once

/// `radd import …`.

#include <vector>

#include <radd/manifest.hpp>

namespace importer {

/// `radd import jira FILE`, `radd import csv FILE`.
[[nodiscard]] std::vector<radd::CommandSpec> import_commands();

/// `radd import list`, `radd import rollback ID`.
[[nodiscard]] std::vector<radd::CommandSpec> manage_commands();

}  // namespace importer
