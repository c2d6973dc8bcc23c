#pragma once

/// What was measured: a table while it runs, and at the end a page with the same table and a plot.
/// Each figure is a median; a ratio is the median of the ratios of rounds in which both sides took
/// turns, so that a slow phase of the machine hits both.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace radd::bench {

inline constexpr int rounds = 5;

[[nodiscard]] double median(std::vector<double> values);

/// The value that `share` of `values` are not above.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// One row of the table.
struct Figure {
    std::string what;
    std::optional<double> reference;
    double ours;
    std::optional<double> ratio;
    std::string goal;  ///< Of the ratio where there is one, with its sign: ">= 0.9". Empty: none.

    /// How far beyond the goal it is, as a factor: 1 is the goal itself, less falls short of it.
    [[nodiscard]] std::optional<double> reached() const;
};

/// Not synchronised.
class Report {
public:
    /// The machine and the versions, which every figure stands for; `of` is of how many each
    /// median is.
    void begin(int server_version, int of = rounds);

    /// `ours[i]` was measured next to `reference[i]`.
    void ratio(const std::string& what,
               const std::vector<double>& reference,
               const std::vector<double>& ours,
               const std::string& goal);

    /// A figure with nothing to compare it with but its goal.
    void value(const std::string& what, const std::vector<double>& values, const std::string& goal);

    /// Writes report.md and report.svg. @throws std::runtime_error.
    void write(const std::filesystem::path& folder) const;

private:
    void add(Figure figure);

    std::string heading_;
    std::vector<Figure> figures_;
};

/// The plot: a bar for each figure that has a goal, as long as it is beyond it.
[[nodiscard]] std::string plot(const std::vector<Figure>& figures);

}  // namespace radd::bench
