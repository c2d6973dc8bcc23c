#pragma once

/// How far long work has come, on a terminal.

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include <radd/clock.hpp>
#include <radd/manifest.hpp>

namespace importer {

/// "[#####-----]  50%  60 of 120, 24/s, 3 s left". Rate and rest are left out before anything is
/// done, and the rest where nothing is left.
[[nodiscard]] std::string progress_bar(std::uint64_t done,
                                       std::uint64_t total,
                                       std::chrono::milliseconds taken);

/// Draws the bar in place, ten times a second at most.
class Progress {
public:
    static constexpr std::chrono::milliseconds between_draws{100};

    /// `what`: stands before the bar. Draws nothing unless `enabled`.
    Progress(std::ostream& err, radd::Clock& clock, std::string what, bool enabled);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< Leaves the line it has drawn on.

    /// On a terminal, and not beside data for machines.
    [[nodiscard]] static bool is_wanted(const radd::CommandContext& context) {
        return context.interactive && !context.json;
    }

    void show(std::uint64_t done, std::uint64_t total);

private:
    std::ostream& err_;
    radd::Clock& clock_;
    std::string what_;
    bool enabled_;
    std::chrono::steady_clock::time_point started_;
    std::optional<std::chrono::steady_clock::time_point> drawn_{};
};

}  // namespace importer
