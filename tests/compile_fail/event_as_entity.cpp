#include "preamble.hpp"

auto refused() {
    return radd::EntityType{items::ItemEvent::updated};
}
