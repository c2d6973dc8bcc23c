#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <libpq-fe.h>
#include <sys/utsname.h>
#include <tests/bench/report.hpp>

namespace radd::bench {
namespace {

/// What follows `key` and a colon in a file of /proc; empty if it does not say.
std::string from_proc(const std::string& file, const std::string& key) {
    std::ifstream lines{"/proc/" + file};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        const auto at = line.find(": ");
        return at == std::string::npos ? line : line.substr(line.find_first_not_of(' ', at + 1));
    }
    return {};
}

std::string load_average() {
    std::ifstream file{"/proc/loadavg"};
    std::string one;
    file >> one;
    return one;
}

std::string today() {
    const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date{now};
    char text[16]{};
    std::snprintf(text,
                  sizeof text,
                  "%04d-%02u-%02u",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()));
    return text;
}

std::string machine() {
    utsname system{};
    uname(&system);
    return from_proc("cpuinfo", "model name") + ", " +
           std::to_string(std::thread::hardware_concurrency()) + " processors, " +
           std::to_string(std::stoll("0" + from_proc("meminfo", "MemTotal")) / 1024) + " MiB, " +
           system.sysname + " " + system.release + ", load " + load_average() + " at the start";
}

std::string number(double value) {
    char text[32]{};
    std::snprintf(text, sizeof text, "%.*f", value < 100 ? 2 : 0, value);
    return text;
}

std::string number(const std::optional<double>& value) {
    return value ? number(*value) : "";
}

std::string verdict(const Figure& figure) {
    const auto reached = figure.reached();
    if (!reached) return "";
    return *reached >= 1 ? "yes" : "**no**";
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file{path};
    file << text;
    if (!file.flush()) throw std::runtime_error{path.string() + ": not written"};
}

}  // namespace

double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(share * last + 0.5)];
}

double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

std::optional<double> Figure::reached() const {
    if (goal.empty()) return std::nullopt;
    const double wanted = std::stod(goal.substr(3));
    // A statement or a millisecond that was saved to nothing is beyond any goal.
    const double found = std::max(ratio.value_or(ours), 1e-9);
    return goal.starts_with(">=") ? found / wanted : wanted / found;
}

void Report::begin(int server_version, int of) {
    heading_ = today() + ". " + machine() + ". PostgreSQL " + std::to_string(server_version) +
               ", libpq " + std::to_string(PQlibVersion()) + ", g++ " + __VERSION__ +
               ". Medians of " + std::to_string(of) + ".";
    std::printf("%s\n%-72s %10s %10s %7s  %s\n",
                heading_.c_str(),
                "",
                "raw libpq",
                "radd",
                "ratio",
                "goal");
}

void Report::ratio(const std::string& what,
                   const std::vector<double>& reference,
                   const std::vector<double>& ours,
                   const std::string& goal) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / reference[i]);
    add({what, median(reference), median(ours), median(ratios), goal});
}

void Report::value(const std::string& what,
                   const std::vector<double>& values,
                   const std::string& goal) {
    add({what, std::nullopt, median(values), std::nullopt, goal});
}

void Report::add(Figure figure) {
    std::printf("%-72s %10s %10s %7s  %s\n",
                figure.what.c_str(),
                number(figure.reference).c_str(),
                number(figure.ours).c_str(),
                number(figure.ratio).c_str(),
                figure.goal.c_str());
    std::fflush(stdout);
    figures_.push_back(std::move(figure));
}

void Report::write(const std::filesystem::path& folder) const {
    std::filesystem::create_directories(folder);
    std::string page = "# What the outbox costs\n\n" + heading_ +
                       "\n\nA ratio is to raw libpq in the same run, or to what its row names.\n\n"
                       "| figure | reference | radd | ratio | goal | reached |\n"
                       "|---|--:|--:|--:|---|---|\n";
    for (const Figure& figure : figures_) {
        page += "| " + figure.what + " | " + number(figure.reference) + " | " +
                number(figure.ours) + " | " + number(figure.ratio) + " | " + figure.goal + " | " +
                verdict(figure) + " |\n";
    }
    page += "\n![How far each figure is beyond its goal](report.svg)\n";
    write_file(folder / "report.md", page);
    write_file(folder / "report.svg", plot(figures_));
}

}  // namespace radd::bench
