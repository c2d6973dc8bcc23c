#pragma once

// What every case shares, so that each is one line that must be refused. The enums are ours and
// not a plugin's: a case must fail for its own reason, whatever the plugins declare.

#include <array>

#include <csat/events.hpp>
#include <items/events.hpp>
#include <radd/sql.hpp>
#include <radd/vocabulary.hpp>

enum class Half { first, second };
consteval auto event_names(Half) {
    return std::array{radd::Named{Half::first, "half.first"}};
}

enum class Loud { shout };
consteval auto event_names(Loud) {
    return std::array{radd::Named{Loud::shout, "Loud.Shout"}};
}

enum class Twins { left, right };
consteval auto event_names(Twins) {
    return std::array{radd::Named{Twins::left, "twin"}, radd::Named{Twins::right, "twin"}};
}
