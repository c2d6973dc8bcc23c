#pragma once

/// Strict YAML: text in, a tree of values with their places out, and every fault at once.
///
/// What YAML offers and manifests do not need is refused, because each of it has surprised
/// somebody: anchors and aliases, merge keys, tags, a second document, a key given twice.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/problem.hpp>

namespace radd::config {

inline constexpr std::size_t yaml_bytes_max = std::size_t{1024} * 1024;
inline constexpr std::size_t yaml_depth_max = 64;
inline constexpr std::size_t yaml_nodes_max = 100'000;
/// Problems of one file; then the rest of it is not read.
inline constexpr std::size_t yaml_problems_max = 100;

/// From 1, in characters. 0: unknown.
struct Place {
    int line = 0;
    int column = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

struct Member;

/// One value, not yet interpreted: whether `5` is a number is for whoever asks to say.
struct YamlNode {
    enum class Kind : std::uint8_t {
        null,    ///< Nothing, `~` or `null`.
        scalar,  ///< `text`.
        list,    ///< `items`.
        map,     ///< `members`, in the order of the file, each key once.
        broken,  ///< Refused when it was read, and reported: ask nothing more of it.
    };

    Kind kind = Kind::null;
    Place place{};
    std::string text{};   ///< As written, quotes and escapes resolved.
    bool quoted = false;  ///< Or a block scalar: text, whatever it looks like.
    std::vector<YamlNode> items{};
    std::vector<Member> members;  // No {}: that would need Member complete here.

    /// Null if this is no map or has no such key.
    [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

struct Member {
    std::string key;
    Place place;  ///< Of the key.
    YamlNode value;
};

/// Reads one document from `text`. `file` is only for the problems, which are added to those
/// that are there. Empty text gives a null node.
///
/// Empty when there is no tree to go on with: not UTF-8, not YAML, over a limit (E40). With
/// anything else that is refused (E41, duplicate keys E42) the tree is there and its culprits are
/// `broken` or left out, so that the caller can report its own findings in the same pass.
/// Time is linear in the text, and both are bounded by the limits above.
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text,
                                                 const std::string& file,
                                                 Problems& problems);

/// The same for a regular file, read to at most `yaml_bytes_max`. E40 if it cannot be read.
[[nodiscard]] std::optional<YamlNode> read_yaml_file(const std::filesystem::path& path,
                                                     Problems& problems);

}  // namespace radd::config
