#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <thread>

#include <libpq-fe.h>
#include <tests/bench/table.hpp>

namespace radd::bench {

double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(share * last + 0.5)];
}

double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

void print_heading(int server_version) {
    std::printf("PostgreSQL %d, libpq %d, g++ %s, %u cores, medians of %d\n",
                server_version,
                PQlibVersion(),
                __VERSION__,
                std::thread::hardware_concurrency(),
                rounds);
    std::printf("%-58s %10s %10s %7s  %s\n", "", "reference", "radd", "ratio", "goal");
}

void print_ratio(const std::string& what,
                 const std::vector<double>& reference,
                 const std::vector<double>& ours,
                 const std::string& goal) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / reference[i]);
    std::printf("%-58s %10.0f %10.0f %7.2f  %s\n",
                what.c_str(),
                median(reference),
                median(ours),
                median(ratios),
                goal.c_str());
    std::fflush(stdout);
}

void print_value(const std::string& what,
                 const std::vector<double>& values,
                 const std::string& goal) {
    const double value = median(values);
    std::printf("%-58s %10s %10.*f %7s  %s\n",
                what.c_str(),
                "",
                value < 100 ? 2 : 0,
                value,
                "",
                goal.c_str());
    std::fflush(stdout);
}

}  // namespace radd::bench
