#pragma once

/// From a file to its issues.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "issue_source.hpp"

namespace importer {

/// The whole file. @throws radd::InvalidInput naming "file" if it cannot be read or is larger than
///         `bytes_max`: the document is held in memory, at several times its size.
[[nodiscard]] std::string read_file(const std::string& path, std::uint64_t bytes_max);

/// JSON text in which halves of surrogate pairs, bytes that are not UTF-8 and raw NUL bytes stand
/// as `\u0000`. A parser would refuse the whole file for any of them; now the one issue that holds
/// it is refused, by its field, because no text of ours holds a NUL.
[[nodiscard]] std::string repair_text(const std::string& json);

/// What a file holds, as far as it can be imported.
struct Export : Outline {
    std::vector<Issue> issues{};
};

/// Reads search results of the REST interface (`{"issues": […]}`), or a bare list of issues.
/// `projects`: only these keys; all if empty.
/// @throws radd::InvalidInput naming "file" if it is neither, or no JSON.
[[nodiscard]] Export parse_export(const std::string& text,
                                  const std::vector<std::string>& projects,
                                  const Zone& zone);

/// Whether an issue of this key is asked for. `projects`: only these keys; all if empty.
[[nodiscard]] bool is_wanted(const std::string& key, const std::vector<std::string>& projects);

/// Warns of each status that has no category in the file.
void warn_of_guesses(Outline& out);

/// Lends `file`, which must outlive it.
class ExportSource final : public IssueSource {
public:
    explicit ExportSource(const Export& file) : file_{file} {}

    [[nodiscard]] const Outline& outline() const override { return file_; }
    [[nodiscard]] std::vector<Issue> next(std::size_t count_max) override;

private:
    const Export& file_;
    std::size_t at_ = 0;
};

}  // namespace importer
