#include <chrono>
#include <filesystem>

#include <host/plugins/child.hpp>
#include <host/plugins/library.hpp>
#include <host/plugins/library_file.hpp>
#include <host/plugins/probe.hpp>

namespace radd::loader {
namespace {

// The child's last line: an exit code alone says nothing, a constructor can call _exit(0).
constexpr std::string_view complete = ".";

void tell_entities(const DisabledPlugin& plugin, int output) {
    const auto bytes = read_library(plugin.file);
    const ElfFile elf = read_elf(bytes);
    if (config::has_errors(check_library(elf, plugin.file))) return;
    const Library library{std::filesystem::absolute(plugin.file), plugin.file, *elf.note};
    for (const EntityRefSpec& spec : library.manifest().entity_refs)
        write_line(output, std::string{spec.entity_type.name()});
    write_line(output, std::string{complete});
}

}  // namespace

std::vector<std::string> described_entities(const DisabledPlugin& plugin,
                                            std::size_t idle_threads) {
    if (!may_fork(idle_threads)) return {};
    const auto until = std::chrono::steady_clock::now() + probe_deadline;
    try {
        Child child{[&plugin](int output) { tell_entities(plugin, output); }};
        std::vector<std::string> entities;
        for (auto line = child.line(until); line; line = child.line(until)) {
            if (*line == complete) return entities;
            entities.push_back(*line);
        }
    } catch (const Error&) {
        return {};  // Without a process to ask the message is the shorter one.
    }
    return {};
}

}  // namespace radd::loader
