#pragma once

/// Every comment of an item, however many.

#include <vector>

#include <items/service.hpp>

namespace importer {

/// Oldest first.
[[nodiscard]] std::vector<items::Comment> all_comments(radd::Transaction& tx,
                                                       items::Directory& directory,
                                                       items::ItemId item);

}  // namespace importer
