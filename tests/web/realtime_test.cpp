// The feed without sockets: what a client gets when it comes, comes back, and does not keep up.

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <radd/testing/events.hpp>
#include <radd/testing/fixture_host.hpp>

using namespace radd::testing;

namespace {

using Ids = std::vector<std::int64_t>;

/// The ids of what came; 0 for what is no event.
Ids ids(const std::vector<radd::StreamMessage>& messages) {
    Ids found;
    for (const auto& message : messages)
        found.push_back(radd::json::parse(message.data()).value("id", std::int64_t{0}));
    return found;
}

struct Scene : FixtureHost {
    Scene() : FixtureHost{linked_manifest()} {}

    std::int64_t happen(const std::string& type = "item.updated", bool silent = false) {
        radd::Event event;
        event.type = type;
        event.entity_type = "item";
        event.entity_id = "7";
        event.project_id = 3;
        event.silent = silent;
        event.payload_text = R"({"text":")" + std::string(100, 'x') + R"("})";
        return append(event);
    }
    FakeStream follow(const std::string& last_event_id, const std::string& query = "") {
        std::vector<radd::HttpField> headers;
        if (!last_event_id.empty()) headers.emplace_back("last-event-id", last_event_id);
        return open("/api/v1/stream" + query, a_member(), headers);
    }
};

radd::json reset_of(const std::vector<radd::StreamMessage>& messages) {
    REQUIRE(messages.size() == 1);
    return radd::json::parse(messages[0].data()).at("reset");
}

}  // namespace

TEST_SUITE("realtime") {
    TEST_CASE_FIXTURE(Scene, "who comes new hears from now on and not what was") {
        happen();
        start();
        auto stream = follow("");
        const auto first = stream.read();
        happen();
        happen("item.updated", true);
        happen();
        listen();

        REQUIRE(first.size() == 1);
        CHECK(radd::json::parse(first[0].data()).at("ready").at("head") == 1);
        CHECK(ids(stream.read()) == Ids{2, 4});
    }

    TEST_CASE_FIXTURE(Scene,
                      "what is for administrators reaches no member whether live or missed") {
        services().history.for_administrators = {"csat.responded"};
        for (const char* type : {"csat.responded", "item.updated"}) happen(type);
        start();
        auto member = follow("0");
        auto admin = open("/api/v1/stream", an_admin(), {{"last-event-id", "0"}});
        CHECK(ids(member.read()) == Ids{2});
        CHECK(ids(admin.read()) == Ids{1, 2});

        for (const char* type : {"csat.responded", "item.updated"}) happen(type);
        listen();

        CHECK(ids(member.read()) == Ids{4});
        CHECK(ids(admin.read()) == Ids{3, 4});
    }

    TEST_CASE_FIXTURE(Scene, "who comes back gets what it has missed and then what comes") {
        for (int i = 0; i < 300; ++i) happen();
        start();
        auto stream = follow("290");
        CHECK(ids(stream.read()) == Ids{291, 292, 293, 294, 295, 296, 297, 298, 299, 300});
        happen();
        listen();
        CHECK(ids(stream.read()) == Ids{301});
    }

    TEST_CASE_FIXTURE(Scene, "a resume that the tail overtakes has no gap and repeats nothing") {
        start();
        for (int i = 0; i < 20; ++i) happen();
        listen();
        for (int i = 0; i < 5; ++i) happen();  // Stored, and not heard yet.
        auto stream = follow("10");
        auto got = ids(stream.read());
        listen();
        for (const auto id : ids(stream.read())) got.push_back(id);

        Ids expected;
        for (std::int64_t id = 11; id <= 25; ++id) expected.push_back(id);
        CHECK(got == expected);
    }

    TEST_CASE_FIXTURE(Scene, "an id beyond the stream or too old is answered by one reset") {
        happen();
        start();
        SUBCASE("beyond") {
            auto stream = follow("9223372036854775807");
            const auto reset = reset_of(stream.read());
            CHECK(reset.at("reason") == "beyond");
            CHECK(reset.at("head") == 1);
            happen();
            listen();
            CHECK(ids(stream.read()) == Ids{2});
        }
        SUBCASE("at the bound of what is looked up it is none") {
            for (int i = 1; i < 10'002; ++i) append_hole();
            happen();  // 10,003
            overflow();
            auto stream = follow("3");
            CHECK(ids(stream.read()) == Ids{10'003});
        }
        SUBCASE("past it") {
            for (int i = 1; i < 10'002; ++i) append_hole();
            happen();
            overflow();
            auto stream = follow("2");
            CHECK(reset_of(stream.read()).at("reason") == "too_old");
        }
        SUBCASE("what it saw elsewhere is there and only this process has not heard of it") {
            happen();
            auto stream = follow("2");
            CHECK(stream.read().empty());
            happen();
            listen();
            CHECK(ids(stream.read()) == Ids{3});
        }
        SUBCASE("older than what is kept") {
            for (int i = 0; i < 9; ++i) happen();
            overflow();
            services().history.rows.erase(services().history.rows.begin(),
                                          services().history.rows.begin() + 5);
            auto stream = follow("2");
            CHECK(reset_of(stream.read()).at("reason") == "too_old");
        }
    }

    TEST_CASE_FIXTURE(Scene, "what no event can have as its id is a bad request") {
        start();
        for (const std::string given : {"abc", "-1", "9223372036854775808", "1 ", "0x1", "1.0"}) {
            CAPTURE(given);
            auto stream = follow(given);
            CHECK(stream.refused.status == 400);
            CHECK_FALSE(stream.session);
        }
        CHECK(follow("").session);
        CHECK(open("/api/v1/stream/ws?last_event_id=x", a_member()).refused.status == 400);
    }

    TEST_CASE_FIXTURE(Scene, "a client sees what it has asked for and nobody else may look") {
        start();
        auto typed = follow("", "?type=item.created&type=item.deleted");
        auto entity = follow("", "?entity_type=item&entity_id=7");
        auto other = follow("", "?entity_id=8");
        auto project = follow("", "?project_id=3");
        for (auto* stream : {&typed, &entity, &other, &project}) CHECK(stream->read().size() == 1);
        happen("item.created");
        happen("item.updated");
        listen();

        CHECK(ids(typed.read()) == Ids{1});
        CHECK(ids(entity.read()) == Ids{1, 2});
        CHECK(other.read().empty());
        CHECK(ids(project.read()) == Ids{1, 2});
        CHECK(open("/api/v1/stream").refused.status == 401);
        CHECK(follow("", "?colour=red").refused.status == 422);
    }

    TEST_CASE_FIXTURE(Scene, "a client that does not keep up loses time and no event") {
        start();
        auto stream = follow("");
        (void)stream.read();
        stream.client->room = 1000;
        Ids expected;
        Ids got;
        for (int i = 0; i < 5000; ++i) {  // Far more than the hub keeps.
            expected.push_back(happen());
            if (i % 10 == 0) listen();
        }
        listen();
        for (auto batch = ids(stream.read()); !batch.empty(); batch = ids(stream.read()))
            got.insert(got.end(), batch.begin(), batch.end());
        CHECK(got == expected);
    }

    TEST_CASE_FIXTURE(Scene, "what the tail could not offer is fetched") {
        start();
        auto stream = follow("");
        (void)stream.read();
        for (int i = 0; i < 3; ++i) happen();
        overflow();
        happen();
        listen();
        CHECK(ids(stream.read()) == Ids{1, 2, 3, 4});
    }

    TEST_CASE_FIXTURE(Scene, "a client that leaves is told nothing more") {
        start();
        {
            auto stream = follow("");
            stream.session.reset();
        }
        happen();
        CHECK_NOTHROW(listen());
    }
}

TEST_SUITE("stream message") {
    TEST_CASE("no text breaks out of its frame") {
        using radd::StreamKind;
        const radd::StreamMessage message{"a\nb\r\nc\rid: 9\n\nevent: x", "note", "5"};
        CHECK(*message.frame(StreamKind::events) ==
              "id: 5\nevent: note\ndata: a\ndata: b\ndata: c\ndata: id: 9\ndata: \n"
              "data: event: x\n\n");
        CHECK(*message.frame(StreamKind::websocket) == "a\nb\r\nc\rid: 9\n\nevent: x");
        CHECK(*radd::StreamMessage{""}.frame(StreamKind::events) == "data: \n\n");
    }

    TEST_CASE("a name or an id with a line break is refused") {
        CHECK_THROWS_AS(radd::StreamMessage("x", "a\nb"), radd::InvalidInput);
        CHECK_THROWS_AS(radd::StreamMessage("x", "a", "1\r2"), radd::InvalidInput);
        CHECK_THROWS_AS(radd::StreamMessage("x", "a", std::string(1, '\0')), radd::InvalidInput);
    }
}
