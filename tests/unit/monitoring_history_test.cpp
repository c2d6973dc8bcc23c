#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/monitoring/history.hpp>

using nlohmann::json;
using radd::consumers::ConsumerStatus;
using radd::monitoring::History;

namespace {

ConsumerStatus status(const std::string& name, std::int64_t lag, bool task = false) {
    ConsumerStatus one{};
    one.name = name;
    one.lag = lag;
    one.task = task;
    one.last_event_id = 10 - lag;
    one.state = lag > 0 ? "catching_up" : "ok";
    return one;
}

json parsed(const History& history, std::optional<std::int64_t> after = {}) {
    return json::parse(history.json(after));
}

}  // namespace

TEST_SUITE("history") {
    TEST_CASE("is empty before the first sample") {
        CHECK(parsed(History{}).at("at").empty());
    }

    TEST_CASE("says null for what it does not know") {
        History history;
        history.add(100, 10, {status("a", 3)});
        history.add_unknown(102);
        history.add(104, 10, {status("b", 0), status("a", 0), status("tick", 0, true)});

        const auto found = parsed(history);

        CHECK(found.at("at") == json::array({100, 102, 104}));
        CHECK(found.at("stream_head") == json::array({10, nullptr, 10}));
        CHECK(found.at("consumers").at("a").at("lag") == json::array({3, nullptr, 0}));
        CHECK(found.at("consumers").at("a").at("last_event_id") == json::array({7, nullptr, 10}));
        CHECK(found.at("consumers").at("b").at("state") == json::array({nullptr, nullptr, "ok"}));
        CHECK_FALSE(found.at("consumers").contains("tick"));
    }

    TEST_CASE("gives only what came later than asked") {
        History history;
        for (std::int64_t at = 0; at < 10; ++at) history.add(at, at, {status("a", at)});

        CHECK(parsed(history, 7).at("at") == json::array({8, 9}));
        CHECK(parsed(history, 7).at("consumers").at("a").at("lag") == json::array({8, 9}));
        CHECK(parsed(history, 9).at("at").empty());
    }

    TEST_CASE("keeps half an hour and no sample more") {
        History history;
        const auto max = static_cast<std::int64_t>(History::samples_max);
        for (std::int64_t at = 0; at < max; ++at) history.add(at, 1, {});
        CHECK(parsed(history).at("at").front() == 0);

        history.add(max, 1, {});

        CHECK(history.size() == History::samples_max);
        CHECK(parsed(history).at("at").front() == 1);
    }

    TEST_CASE("keeps so many consumers and no more") {
        std::vector<ConsumerStatus> many;
        for (std::size_t one = 0; one <= History::consumers_max; ++one)
            many.push_back(status("c" + std::to_string(one), 0));
        History history;

        history.add(1, 1, many);

        CHECK(parsed(history).at("consumers").size() == History::consumers_max);
    }
}
