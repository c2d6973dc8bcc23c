#pragma once

/// The one table that the benchmark prints. Each figure is a median; a ratio is the median of the
/// ratios of rounds in which both sides took turns, so that a slow phase of the machine hits both.

#include <string>
#include <vector>

namespace radd::bench {

inline constexpr int rounds = 5;

[[nodiscard]] double median(std::vector<double> values);

/// The value that `share` of `values` are not above.
[[nodiscard]] double quantile(std::vector<double> values, double share);

void print_heading(int server_version);

/// `ours[i]` was measured next to `reference[i]`. The goal is a ratio, with its sign: ">= 0.9".
void print_ratio(const std::string& what,
                 const std::vector<double>& reference,
                 const std::vector<double>& ours,
                 const std::string& goal);

/// A figure with nothing to compare it with but its goal.
void print_value(const std::string& what,
                 const std::vector<double>& values,
                 const std::string& goal);

}  // namespace radd::bench
