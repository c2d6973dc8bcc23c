#include <optional>
#include <string>
#include <utility>

#include <host/plugins/factory.hpp>
#include <host/plugins/guarded.hpp>

namespace radd::loader {

void call_factory(const LoadedPlugin& plugin,
                  std::string_view kind,
                  std::string_view name,
                  const std::function<bool()>& make,
                  config::Problems& problems) {
    bool is_made = false;
    std::optional<std::string> unavailable;
    const auto thrown = guarded([&] {
        try {
            is_made = make();
        } catch (const Unavailable& failure) {
            unavailable = caught_text(failure.what());
        }
    });
    const std::string what = std::string{kind} + " '" + std::string{name} + "'";
    if (unavailable) throw Unavailable{"plugin " + plugin.id + ": " + what + ": " + *unavailable};
    config::Problem problem{.code = "", .plugin = plugin.id, .file = plugin.file, .message = ""};
    if (thrown) {
        problem.code = "E63";
        problem.message = what + ": its factory threw: " + *thrown;
    } else if (!is_made) {
        problem.code = "E64";
        problem.message = what + ": its factory made nothing";
        problem.hint = "Return an object, or throw what keeps it from being made";
    } else {
        return;
    }
    problems.push_back(std::move(problem));
}

}  // namespace radd::loader
