#include "contract_preamble.hpp"

auto refused() {
    return radd::event_spec<Shop::closed>({.label = "Closed"});
}
