#include "preamble.hpp"

auto refused() {
    return radd::EventType{items::ItemEntity::item};
}
