#pragma once

/// `automations:` in a plugin's manifest: rules that come with it.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/fields.hpp>
#include <radd/action.hpp>

namespace radd::config {

/// Rules of one manifest; E47 past it.
inline constexpr std::size_t automations_max = 100;

/// The value as JSON: what is not quoted and reads as null, a boolean or a number of YAML 1.2 is
/// one, and everything else is a text. A `broken` node has been reported before and reads as null.
[[nodiscard]] json json_of(const YamlNode& node);

/// A rule and where each part of it stands.
struct PlacedAutomation {
    AutomationSpec spec;
    std::map<std::string, Place, std::less<>> places{};  ///< By path: "then.0.action".

    /// Of `path`, or of as much of it as the file has.
    [[nodiscard]] Place place_of(std::string_view path) const;
};

/// A list of maps, each with a name; what else is in them is for whoever runs rules to judge. Empty
/// if `reader` has none.
[[nodiscard]] std::vector<PlacedAutomation> read_automations(MapReader& reader);

}  // namespace radd::config
