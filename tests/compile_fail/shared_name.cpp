#include "preamble.hpp"

auto refused() {
    return radd::EventType{Twins::left};
}
