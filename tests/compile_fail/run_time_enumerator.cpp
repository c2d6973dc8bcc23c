#include "preamble.hpp"

auto refused(csat::CsatEvent event) {
    return radd::EventType{event};
}
