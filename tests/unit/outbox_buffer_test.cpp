#include <numeric>

#include <doctest/doctest.h>

#include <host/outbox/stream_buffer.hpp>

namespace {

using radd::outbox::SharedEvent;
using radd::outbox::StreamBuffer;

std::vector<SharedEvent> events(std::int64_t first, std::int64_t last, std::size_t payload = 10) {
    std::vector<SharedEvent> made;
    for (auto id = first; id <= last; ++id) {
        auto event = std::make_shared<radd::Event>();
        event->id = id;
        event->payload_text = std::string(payload, 'x');
        made.push_back(std::move(event));
    }
    return made;
}

std::vector<std::int64_t> ids(const std::optional<std::vector<SharedEvent>>& found) {
    REQUIRE(found);
    std::vector<std::int64_t> all;
    for (const auto& event : *found) all.push_back(event->id);
    return all;
}

}  // namespace

TEST_SUITE("stream buffer") {
    TEST_CASE("it answers for what it has seen and for nothing before") {
        StreamBuffer buffer{1 << 20};
        buffer.restart(10);
        buffer.append(events(12, 14));

        CHECK(ids(buffer.read(10, 100, 1 << 20)) == std::vector<std::int64_t>{12, 13, 14});
        CHECK(ids(buffer.read(13, 100, 1 << 20)) == std::vector<std::int64_t>{14});
        CHECK(ids(buffer.read(14, 100, 1 << 20)).empty());
        CHECK_FALSE(buffer.read(9, 100, 1 << 20));
    }

    TEST_CASE("a read is bounded in rows and bytes and never empty for a fat event") {
        StreamBuffer buffer{1 << 20};
        buffer.restart(0);
        buffer.append(events(1, 5, 1000));

        CHECK(ids(buffer.read(0, 2, 1 << 20)).size() == 2);
        CHECK(ids(buffer.read(0, 100, 1)).size() == 1);
    }

    TEST_CASE("the oldest make room and a reader behind them is told") {
        StreamBuffer buffer{10'000};
        buffer.restart(0);
        buffer.append(events(1, 100, 1000));

        CHECK(buffer.bytes() <= 10'000);
        CHECK_FALSE(buffer.read(0, 1, 1 << 20));
        CHECK(ids(buffer.read(99, 10, 1 << 20)) == std::vector<std::int64_t>{100});
    }

    TEST_CASE("an event larger than the buffer is kept while it is the newest") {
        StreamBuffer buffer{100};
        buffer.restart(0);
        buffer.append(events(1, 1, 5000));

        CHECK(ids(buffer.read(0, 10, 1 << 20)) == std::vector<std::int64_t>{1});
    }
}
