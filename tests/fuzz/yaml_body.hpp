#pragma once

/// Any bytes as a manifest: there is a tree or a reason, and both keep the limits.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include <host/config/utf8.hpp>
#include <host/config/yaml.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

class YamlTree {
public:
    void walk(const radd::config::YamlNode& node, std::size_t depth = 0) {
        using Kind = radd::config::YamlNode::Kind;
        require(++nodes_ <= radd::config::yaml_nodes_max, "the nodes are limited");
        const bool nests = node.kind == Kind::list || node.kind == Kind::map;
        require(!nests || depth < radd::config::yaml_depth_max, "the depth is limited");
        require(node.kind == Kind::list || node.items.empty(), "only lists have items");
        require(node.kind == Kind::map || node.members.empty(), "only maps have members");
        if (node.kind == Kind::broken) has_broken = true;
        if (node.kind == Kind::scalar) {
            require(node.text.find('\0') == std::string::npos, "a text has no NUL");
            require(!radd::config::first_invalid_utf8(node.text), "a text is UTF-8");
        }
        std::set<std::string_view> keys;
        for (const auto& member : node.members) {
            require(!member.key.empty(), "a key is a name");
            require(keys.insert(member.key).second, "a key is there once");
            walk(member.value, depth + 1);
        }
        for (const auto& item : node.items) walk(item, depth + 1);
    }

    bool has_broken = false;

private:
    std::size_t nodes_ = 0;
};

inline void check_yaml(std::string_view text) {
    radd::config::Problems problems;
    const auto tree = radd::config::parse_yaml(text, "fuzz.yaml", problems);

    const auto lines = std::ranges::count(text, '\n') + 1;
    // One beyond the limit says that there are more.
    require(problems.size() <= radd::config::yaml_problems_max + 1, "the problems are limited");
    for (const auto& problem : problems) {
        require(problem.code == "E40" || problem.code == "E41" || problem.code == "E42",
                "a problem has a code of this parser");
        require(problem.line >= 0 && problem.line <= lines && problem.column >= 0,
                "a problem lies in the text");
        require(!problem.message.empty(), "a problem says what it is");
        const auto shown = radd::config::to_text(problem);
        require(!radd::config::first_control_character(shown) &&
                    shown.find_first_of("\r\n") == std::string::npos,
                "a problem is shown in one line");
    }

    const bool is_refused = std::ranges::count(problems, "E40", &radd::config::Problem::code) > 0;
    require(tree || is_refused, "no tree without a reason");
    if (!tree) return;
    YamlTree walker;
    walker.walk(*tree);
    require(!walker.has_broken || !problems.empty(), "what is broken was reported");
}

}  // namespace fuzz
