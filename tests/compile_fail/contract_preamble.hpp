#pragma once

// What every case of a contract shares, so that each is one line that must be refused.

#include <array>
#include <string>
#include <tuple>

#include <radd/contract.hpp>
#include <radd/transaction.hpp>
#include <radd/typed_event.hpp>

enum class Thing { order, person };
consteval auto entity_names(Thing) {
    return std::array{radd::Named{Thing::order, "order"}, radd::Named{Thing::person, "person"}};
}

enum class Shop { opened, paid, moved, closed };
consteval auto event_names(Shop) {
    return std::array{radd::Named{Shop::opened, "shop.opened"},
                      radd::Named{Shop::paid, "shop.paid"},
                      radd::Named{Shop::moved, "shop.moved"},
                      radd::Named{Shop::closed, "shop.closed"}};
}

struct Payment {
    std::int64_t amount = 0;

    static consteval auto fields() { return std::tuple{radd::field("amount", &Payment::amount)}; }
};
struct Refund {
    std::int64_t amount = 0;
};

consteval auto event_contracts(Shop) {
    return radd::Contracts{
        radd::Contract<Shop::opened>{.entity_type = Thing::order, .subjects = {Thing::order}},
        radd::Contract<Shop::paid, Payment>{.entity_type = Thing::order},
        radd::Contract<Shop::moved>{.entity_type = Thing::order, .has_changes = true},
    };
}

/// An enum whose contracts a case writes.
enum class Desk { rang };
consteval auto event_names(Desk) {
    return std::array{radd::Named{Desk::rang, "desk.rang"}};
}
