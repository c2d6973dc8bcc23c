#include <iterator>
#include <map>

#include <host/plugins/command_check.hpp>

namespace radd::loader {

std::vector<CommandClash> command_clashes(std::span<const Manifest* const> manifests) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < manifests.size(); ++i) {
        if (manifests[i] == nullptr) continue;
        for (const CommandSpec& spec : manifests[i]->commands) owners.emplace(spec.words, i);
    }
    std::vector<CommandClash> clashes;
    for (auto next = owners.begin(); next != owners.end(); ++next) {
        for (auto longer = std::next(next); longer != owners.end(); ++longer) {
            if (!longer->first.starts_with(next->first + ' ')) continue;
            clashes.push_back(
                {next->second,
                 longer->second,
                 "command '" + longer->first + "' begins with command '" + next->first + "'"});
        }
    }
    return clashes;
}

}  // namespace radd::loader
