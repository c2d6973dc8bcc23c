#include <mutex>

#include <doctest/doctest.h>

#include <host/consumers/position.hpp>

using radd::consumers::Acquired;
using radd::consumers::Position;
using radd::consumers::Receipt;
using radd::consumers::splitmix64;
using radd::consumers::Standing;

namespace {

Acquired lease(std::int64_t epoch, std::int64_t cursor) {
    return {.name = "probe", .standing = {.epoch = epoch, .cursor = cursor}};
}

}  // namespace

TEST_SUITE("receipt") {
    TEST_CASE("its hash is that of the published generator") {
        CHECK(splitmix64(0) == 0xe220a8397b1dcdafU);
        CHECK(splitmix64(0x9e3779b97f4a7c15U) == 0x6e789e6aa1b965f4U);
    }

    TEST_CASE("it does not depend on order and tells a missing event from one seen twice") {
        Receipt forth;
        Receipt back;
        Receipt twice;
        for (const int id : {1, 2, 3}) forth.add(id);
        for (const int id : {3, 1, 2}) back.add(id);
        for (const int id : {1, 2, 2}) twice.add(id);

        CHECK(forth == back);
        CHECK(forth.count == twice.count);
        CHECK(forth.hash != twice.hash);
    }
}

TEST_SUITE("position") {
    TEST_CASE("a move in memory is written from what is on disk") {
        Position position;
        position.take(lease(4, 10));

        position.pass({.epoch = 4, .cursor = 12});
        position.pass({.epoch = 4, .cursor = 15});

        REQUIRE(position.unwritten());
        CHECK(position.unwritten()->old_cursor == 10);
        CHECK(position.unwritten()->new_cursor == 15);
        CHECK(position.move_to({.epoch = 4, .cursor = 20})->old_cursor == 10);
    }

    TEST_CASE("what is written is unwritten no more and later moves stay") {
        Position position;
        position.take(lease(4, 10));
        position.pass({.epoch = 4, .cursor = 12});
        const auto move = position.unwritten();

        position.pass({.epoch = 4, .cursor = 15});
        position.persist({.epoch = 4, .cursor = move->new_cursor});

        CHECK(position.current()->cursor == 15);
        CHECK(position.unwritten()->old_cursor == 12);
        position.persist({.epoch = 4, .cursor = 15});
        CHECK_FALSE(position.unwritten());
    }

    TEST_CASE("an epoch that is over moves nothing") {
        Position position;
        position.take(lease(4, 10));
        position.take(lease(5, 11));

        position.pass({.epoch = 4, .cursor = 99});
        position.persist({.epoch = 4, .cursor = 99});
        position.lose(4);

        CHECK(position.current()->cursor == 11);
        CHECK_FALSE(position.move_to({.epoch = 4, .cursor = 99}));
        position.lose(5);
        CHECK_FALSE(position.current());
        CHECK_FALSE(position.unwritten());
    }
}
