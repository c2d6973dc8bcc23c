#pragma once

/// What an `item.updated` event says about the change from one item to another.

#include <vector>

#include <items/service.hpp>
#include <radd/event.hpp>

namespace items {

/// Differences in a fixed order of fields; empty if there is none. Times are not compared: they
/// follow from the change. The shapes are documented at Directory.
[[nodiscard]] std::vector<radd::Change> diff(const Item& before, const Item& after);

/// The value of a state in a difference: {"name":"Done","category":"done"}.
[[nodiscard]] radd::json state_value(const State& state);

/// The value of a person in a difference: {"id":…,"name":…}, or null.
[[nodiscard]] radd::json person_value(const std::optional<PersonName>& person);

}  // namespace items
