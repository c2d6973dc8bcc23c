#include "preamble.hpp"

auto refused() {
    return radd::EventType{"csat.requested"};
}
