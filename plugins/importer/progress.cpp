#include "progress.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace importer {
namespace {

constexpr std::size_t bar_cells = 30;

}  // namespace

std::string progress_bar(std::uint64_t done, std::uint64_t total, std::chrono::milliseconds taken) {
    const auto cells = total == 0 ? bar_cells : bar_cells * std::min(done, total) / total;
    const auto percent = total == 0 ? 100 : 100 * std::min(done, total) / total;
    std::string bar = "[" + std::string(cells, '#') + std::string(bar_cells - cells, '-') + "] " +
                      std::to_string(percent) + "%  " + std::to_string(done) + " of " +
                      std::to_string(total);
    if (done == 0 || taken.count() <= 0) return bar;
    const auto taken_ms = static_cast<std::uint64_t>(taken.count());
    bar += ", " + std::to_string(done * 1000 / taken_ms) + "/s";
    if (done < total)
        bar += ", " + std::to_string((total - done) * taken_ms / done / 1000 + 1) + " s left";
    return bar;
}

Progress::Progress(std::ostream& err, radd::Clock& clock, std::string what, bool enabled)
    : err_{err},
      clock_{clock},
      what_{std::move(what)},
      enabled_{enabled},
      started_{clock.steady_now()} {}

Progress::~Progress() {
    if (drawn_) err_ << std::endl;
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
    if (!enabled_) return;
    const auto now = clock_.steady_now();
    if (drawn_ && done < total && now - *drawn_ < between_draws) return;
    drawn_ = now;
    const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
    // What a longer line has left behind is wiped.
    err_ << '\r' << what_ << ' ' << progress_bar(done, total, taken) << "\x1b[K" << std::flush;
}

}  // namespace importer
