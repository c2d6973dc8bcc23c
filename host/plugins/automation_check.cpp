#include <algorithm>
#include <utility>
#include <vector>

#include <host/log/logging.hpp>
#include <host/plugins/automation_check.hpp>
#include <host/plugins/guarded.hpp>

namespace radd::loader {
namespace {

constexpr std::size_t path_bytes_max = 200;

}  // namespace

config::Problems check_automations(const Manifest& judge,
                                   const Manifest& owner,
                                   const config::PluginFile& file,
                                   const std::string& library) {
    config::Problems problems;
    const auto& placed = file.automations;
    for (const AutomationSpec& spec : owner.automations) {
        std::vector<AutomationFault> faults;
        const auto thrown = guarded([&] { faults = judge.judge_automation(spec); });
        if (thrown) faults.push_back({.problem = "plugin '" + judge.id + "' threw: " + *thrown});
        const auto in_file = std::ranges::find(
            placed, spec.name, [](const auto& automation) { return automation.spec.name; });
        for (const AutomationFault& fault : faults) {
            config::Problem problem{
                .code = "E56",
                .file = library,
                .message =
                    "automation '" + spec.name + "': " +
                    (fault.path.empty() ? "" : log::one_line(fault.path, path_bytes_max) + ": ") +
                    log::one_line(fault.problem)};
            if (in_file != placed.end()) {
                const auto place = in_file->place_of(fault.path);
                problem.file = file.file;
                problem.line = place.line;
                problem.column = place.column;
            }
            problems.push_back(std::move(problem));
        }
    }
    return problems;
}

}  // namespace radd::loader
