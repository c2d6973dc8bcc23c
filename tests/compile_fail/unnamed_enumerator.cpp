#include "preamble.hpp"

auto refused() {
    return radd::EventType{Half::second};
}
