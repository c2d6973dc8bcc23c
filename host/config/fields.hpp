#pragma once

/// Typed reading of a YAML tree: each value that is not what was asked for becomes a problem with
/// its place, and reading goes on.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/problem.hpp>
#include <host/config/scalars.hpp>
#include <host/config/yaml.hpp>

namespace radd::config {

/// Items of one list; E47 past it.
inline constexpr std::size_t list_items_max = 1000;

/// Where a value stands, for the person who must mend it.
struct Context {
    std::string file;
    std::string plugin;  ///< Empty in host.yaml.
    std::string path;    ///< "settings.poll", or empty at the top.
    Problems* problems;  ///< Lent; never null.

    /// The same for a key below or for an item of a list.
    [[nodiscard]] Context below(std::string_view key) const;
    [[nodiscard]] Context item(std::size_t index) const;

    void report(std::string code, Place place, std::string message, std::string hint = {}) const;
    void report(Place place, const Complaint& complaint) const;
};

/// "a list", "nothing", `'5'`, `the text "5"`: what stands where something else was expected.
[[nodiscard]] std::string described(const YamlNode& node);

/// Each returns the value, or nothing after reporting why not: E45 if there is none (nothing or
/// `~`), E46 if it is of another type, E47 if it is out of range, E48 if it is not a choice. A
/// `broken` node has been reported before and is passed over in silence.
///
/// A quoted number or boolean is a text, and refused as one. The other way round, a text may be
/// written without quotes whatever it looks like: `name: no` is the text "no".
[[nodiscard]] std::optional<bool> read_boolean(const YamlNode& node, const Context& context);
[[nodiscard]] std::optional<std::int64_t> read_integer(const YamlNode& node,
                                                       const Context& context,
                                                       Range range);
[[nodiscard]] std::optional<std::chrono::milliseconds> read_duration(const YamlNode& node,
                                                                     const Context& context,
                                                                     Range range);
[[nodiscard]] std::optional<std::string> read_text(const YamlNode& node, const Context& context);
[[nodiscard]] std::optional<std::size_t> read_choice(const YamlNode& node,
                                                     const Context& context,
                                                     std::span<const std::string_view> choices);
[[nodiscard]] std::optional<std::vector<std::string>> read_texts(const YamlNode& node,
                                                                 const Context& context);

/// One map whose keys are known. Ask for every key, then finish().
class MapReader {
public:
    /// E46 if `node` is no map; it then reads as an empty one. Both are lent for the reader's life.
    MapReader(const YamlNode& node, Context context);

    /// The value of `key`, which is a known key from now on; null if it is not given.
    [[nodiscard]] const YamlNode* find(std::string_view key);

    /// Null, after E45, if it is not given. `help` says what it is for.
    [[nodiscard]] const YamlNode* require(std::string_view key, std::string_view help);

    /// The value of `key`, or `otherwise` if it is not given or wrong (and then reported).
    [[nodiscard]] bool boolean(std::string_view key, bool otherwise);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, Range range);
    [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view key,
                                                                    Range range);
    [[nodiscard]] std::optional<std::string> text(std::string_view key);
    [[nodiscard]] std::optional<std::size_t> choice(std::string_view key,
                                                    std::span<const std::string_view> choices);
    [[nodiscard]] std::vector<std::string> texts(std::string_view key);

    /// E43 for each key that was never asked for, with the nearest that was; after
    /// yaml_problems_max of them one for the rest.
    void finish();

    [[nodiscard]] const Context& context() const noexcept { return context_; }
    [[nodiscard]] Place place() const noexcept { return node_.place; }

private:
    const YamlNode& node_;
    Context context_;
    std::vector<std::string> known_;
    bool is_map_;
};

}  // namespace radd::config
