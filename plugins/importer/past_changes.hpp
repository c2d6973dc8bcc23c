#pragma once

/// Entries of a Jira change log, in the words of our own events.

#include <functional>
#include <string>
#include <vector>

#include "jira_issue.hpp"
#include <items/service.hpp>
#include <radd/event.hpp>

namespace importer {

/// A person as a difference shows it, from a foreign id and the name that stands beside it.
using PersonValue = std::function<radd::json(const std::string& id, const std::string& name)>;

/// Longer values are not repeated in a difference: a description was rewritten, say.
inline constexpr std::size_t value_bytes_max = 1000;

/// Our name of a field of Jira's: "summary" is "title". Others in lower case.
[[nodiscard]] std::string field_name(const std::string& jira_name);

/// Whether the values of this field of Jira's are people.
[[nodiscard]] bool names_people(const std::string& jira_name);

[[nodiscard]] std::vector<radd::Change> past_changes(const HistoryEntry& entry,
                                                     const StatusMap& statuses,
                                                     const PersonValue& person);

}  // namespace importer
