#include "preamble.hpp"

auto refused() {
    return radd::EventType{Loud::shout};
}
