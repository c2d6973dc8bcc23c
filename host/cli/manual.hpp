#pragma once

/// `--help` as a manual: every command's page in the same sections, 80 columns wide.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace radd::cli {

struct Example {
    std::string_view command;  ///< As it is typed, beginning with `radd`.
    std::string_view does;
};

/// What the parser does not know of a command.
struct ManualPage {
    std::string_view command;      ///< "consumers seek"; empty: `radd` itself.
    std::string_view description;  ///< Paragraphs, separated by an empty line.
    std::vector<Example> examples{};
};

[[nodiscard]] std::span<const ManualPage> manual_pages();
[[nodiscard]] const std::vector<ManualPage>& account_pages();   ///< A part of these.
[[nodiscard]] const std::vector<ManualPage>& author_pages();    ///< The same.
[[nodiscard]] const std::vector<ManualPage>& delivery_pages();  ///< The same.
[[nodiscard]] const ManualPage* find_manual_page(std::string_view command);

/// "consumers seek"; empty for the root.
[[nodiscard]] std::string command_path(const CLI::App& command);

/// "radd 0.1.0"
[[nodiscard]] std::string version_text();

/// Breaks at spaces so that no line is longer than the manual is wide, each after `indent` spaces.
/// A word that is longer stands alone.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

class ManualFormatter final : public CLI::FormatterBase {
public:
    /// NAME, SYNOPSIS, DESCRIPTION, COMMANDS, OPTIONS, SETTINGS, EXAMPLES, EXIT STATUS,
    /// ENVIRONMENT and FILES, as far as there is something to say.
    std::string make_help(const CLI::App* command,
                          std::string name,
                          CLI::AppFormatMode mode) const override;
};

}  // namespace radd::cli
