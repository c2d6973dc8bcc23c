#pragma once

/// From a file to its issues.

#include <cstdint>
#include <string>
#include <vector>

#include "jira_issue.hpp"

namespace importer {

/// The whole file. @throws radd::InvalidInput naming "file" if it cannot be read or is larger than
///         `bytes_max`: the document is held in memory, at several times its size.
[[nodiscard]] std::string read_file(const std::string& path, std::uint64_t bytes_max);

/// JSON text in which halves of surrogate pairs, bytes that are not UTF-8 and raw NUL bytes stand
/// as `\u0000`. A parser would refuse the whole file for any of them; now the one issue that holds
/// it is refused, by its field, because no text of ours holds a NUL.
[[nodiscard]] std::string repair_text(const std::string& json);

/// What a file holds, as far as it can be imported.
struct Export {
    std::vector<Issue> issues{};
    Shared shared{};
    std::int64_t issues_total = 0;  ///< Rejected ones included.
    std::vector<Problem> rejected{};
    std::vector<Problem> warnings{};
};

/// Reads search results of the REST interface (`{"issues": […]}`), or a bare list of issues.
/// `projects`: only these keys; all if empty.
/// @throws radd::InvalidInput naming "file" if it is neither, or no JSON.
[[nodiscard]] Export parse_export(const std::string& text,
                                  const std::vector<std::string>& projects,
                                  const Zone& zone);

}  // namespace importer
