// radd deliveries … and radd webhooks …: what an operator does about what did not arrive, with a
// host that runs, the plugin webhooks and a receiver that is real.

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/http_receiver.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

const std::string queue = "webhooks.deliveries";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship("items");
        ship("webhooks");
        write("keys", std::string(64, 'a') + "\n");
        std::filesystem::permissions(path("keys"), std::filesystem::perms::owner_read);
        Installation::set("RADD_SECRETS_KEY_FILE", path("keys").string());
        Installation::set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        Installation::set("RADD_WEBHOOK_RETRY_SCHEDULE", "0");
        must({"migrate"});
    }
    std::string add(const std::string& name, const std::string& url) {
        return must({"webhooks", "add", name, url, "item.*", "--json"}).json().at("secret");
    }
    void happen() {
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('item.updated', "
            "'item', '1')");
    }
    json list(const std::string& state) {
        return must({"deliveries", "list", "--state", state, "--json"}).json();
    }
    bool becomes(const std::string& state, std::size_t count) {
        return eventually([&] { return list(state).size() == count; });
    }
};

/// With an endpoint whose receiver answers as it is told.
struct Told : Scene {
    Told() { add("one", remote.url()); }
    /// As many dead letters as events, after a first attempt and one more.
    void die(std::size_t count) {
        status = 500;
        for (std::size_t i = 0; i < count; ++i) happen();
        REQUIRE(becomes("dead", count));
        status = 204;
    }
    std::atomic<int> status{204};
    HttpReceiver remote{[this](const Received&) { return HttpReceiver::answer_of(status); }};
};

struct Live : Told {
    Live() {
        REQUIRE(eventually([&] { return is_settled(); }));
    }
    std::unique_ptr<Process> host = serve();
};

}  // namespace

TEST_SUITE("radd deliveries") {
    TEST_CASE_FIXTURE(Scene, "without any says so and knows no queue") {
        CHECK(contains(run({"deliveries", "queues"}).err, "nothing was ever queued"));
        CHECK(must({"deliveries", "queues", "--json"}).json() == json::array());
        CHECK(contains(run({"deliveries", "list"}).err, "no delivery is like that"));
        CHECK(contains(run({"deliveries", "replay", "--dead"}).err, "no dead letters"));
        const auto unknown = run({"deliveries", "lanes", "nowhere"});
        CHECK(unknown.code == 1);
        CHECK(contains(unknown.err, "nothing was ever queued in 'nowhere'"));
        CHECK(run({"deliveries", "show", "1"}).code == 1);
        CHECK(run({"deliveries", "replay"}).code == 2);
        CHECK(run({"deliveries", "replay", "--id", "1", "--dead"}).code == 2);
        CHECK(run({"deliveries", "replay", "--id", "1", "--lane", "1"}).code == 2);
        CHECK(run({"deliveries", "cancel", "--lane", "1"}).code == 2);
        CHECK(run({"deliveries", "list", "--state", "lost"}).code == 2);
    }

    TEST_CASE_FIXTURE(Live, "what died is shown with its reason and sent again") {
        die(2);
        const auto queues = must({"deliveries", "queues"});
        CHECK(contains(queues.out, "DEAD"));
        CHECK(contains(queues.err, "radd deliveries replay --dead"));
        CHECK(must({"deliveries", "queues", "--json"}).json()[0].at("dead") == 2);
        CHECK(must({"deliveries", "lanes", queue, "--json"}).json()[0].at("lane") == "1");
        CHECK(contains(must({"deliveries", "lanes", queue}).out, "LANE"));
        const auto listed = must({"deliveries", "list", "--state", "dead"});
        CHECK(contains(listed.out, "answered 500"));
        const auto first = list("dead").back();
        CHECK(first.at("attempts") == 2);
        CHECK(first.at("last_error") == "answered 500");
        const auto id = std::to_string(first.at("id").get<int>());
        CHECK(contains(must({"deliveries", "show", id}).out, "payload"));
        CHECK(must({"deliveries", "show", id, "--json"}).json().at("payload").at("type") ==
              "item.updated");
        CHECK(must({"deliveries", "list", "--event", first.at("event_id").dump(), "--json"})
                  .json()
                  .size() == 1);

        const auto would = must({"deliveries", "replay", "--dead"});
        CHECK(contains(would.out, "2 dead letters"));
        CHECK(contains(would.out, "would be queued again for 1 receivers"));
        CHECK(contains(would.err, "--yes"));
        CHECK(list("delivered").empty());

        CHECK(contains(must({"deliveries", "replay", "--id", id}).out, "is queued again as 3"));
        CHECK(becomes("delivered", 1));
        CHECK(must({"deliveries", "replay", "--dead", "--queue", queue, "--lane", "2", "--json"})
                  .json()[0]
                  .at("deliveries") == 0);
        const auto done = must({"deliveries", "replay", "--dead", "--yes", "--json"}).json();
        CHECK(done[0].at("queue") == queue);
        CHECK(done[0].at("replayed") == 1);
        CHECK(becomes("delivered", 2));
        CHECK(remote.count() == 6);
        CHECK(must({"deliveries", "queues", "--json"}).json()[0].at("dead") == 0);
    }

    TEST_CASE_FIXTURE(Told, "what waits is cancelled by one or by its lane") {
        execute(
            "INSERT INTO radd.deliveries (queue, lane, payload) VALUES"
            " ('webhooks.deliveries', '1', '{}'), ('webhooks.deliveries', '1', '{}'),"
            " ('webhooks.deliveries', '2', '{}'), ('webhooks.deliveries', '2', '{}')");
        CHECK(contains(must({"deliveries", "cancel", "--id", "1"}).err, "1 is cancelled"));
        const auto again = run({"deliveries", "cancel", "--id", "1"});
        CHECK(again.code == 1);
        CHECK(contains(again.err, "is finished: it is cancelled"));
        CHECK(run({"deliveries", "replay", "--id", "2"}).code == 1);

        const auto would = must({"deliveries", "cancel", "--queue", queue, "--lane", "2"});
        CHECK(contains(would.out, "2 would be cancelled"));
        CHECK(list("cancelled").size() == 1);
        CHECK(must({"deliveries", "cancel", "--queue", queue, "--lane", "2", "--yes", "--json"})
                  .json() == json{{"cancelled", 2}, {"waiting", 2}});
        CHECK(list("cancelled").size() == 3);
        CHECK(list("pending").size() == 1);

        execute(
            "INSERT INTO radd.deliveries (queue, lane, payload) "
            "SELECT 'webhooks.deliveries', '2', '{}' FROM generate_series(1, 10001)");
        const auto all = must({"deliveries", "cancel", "--queue", queue, "--lane", "2", "--yes"});
        CHECK(contains(all.out, "10001 are cancelled"));
        CHECK_FALSE(contains(all.err, "are left"));
        CHECK(list("pending").size() == 1);
    }

    TEST_CASE_FIXTURE(Told, "names of queues complete") {
        execute("INSERT INTO radd.deliveries (queue, lane, payload) VALUES ('a.out', '1', '{}')");
        CHECK(run({"__complete", "deliveries", "lanes", ""}).out == "a.out\n");
        CHECK(run({"__complete", "deliveries", "list", "--queue", "a"}).out == "a.out\n");
        CHECK(run({"__complete", "deliveries", "list", "--state", "de"}).out ==
              "dead\ndelivered\n");
    }
}

TEST_SUITE("radd webhooks") {
    TEST_CASE_FIXTURE(Live, "an endpoint lives from add to remove") {
        const auto added = run({"webhooks", "add", "two", remote.url("/two"), "--plain"});
        CHECK(added.code == 0);
        CHECK(added.out.starts_with("2\twhsec_"));
        CHECK(contains(added.err, "not shown again"));
        const auto listed = must({"webhooks", "list"});
        CHECK(contains(listed.out, "two\t" + remote.url("/two") + "\ton"));
        CHECK_FALSE(contains(listed.out, "whsec_"));
        const auto all = must({"webhooks", "list", "--json"}).json();
        REQUIRE(all.size() == 2);
        CHECK(all[1].at("format") == "plain");
        CHECK(all[0].at("event_types") == json{"item.*"});

        CHECK(contains(must({"webhooks", "disable", "1"}).err, "endpoint 1 is off"));
        CHECK(contains(must({"webhooks", "list"}).out, "off: switched off"));
        happen();
        CHECK(becomes("delivered", 1));
        CHECK(remote.received().front().request_line.find("/two") != std::string::npos);
        CHECK(contains(must({"webhooks", "enable", "1"}).err, "endpoint 1 is on"));

        CHECK(must({"webhooks", "rotate", "1"}).out.starts_with("whsec_"));
        CHECK(must({"webhooks", "rotate", "1", "--json"}).json().contains("secret"));
        CHECK(contains(must({"webhooks", "remove", "2"}).err, "endpoint 2 is gone"));
        CHECK(must({"webhooks", "list", "--json"}).json().size() == 1);
    }

    TEST_CASE_FIXTURE(Live, "the dead letters of one endpoint are sent again") {
        die(2);
        CHECK(must({"webhooks", "replay", "1", "--json"}).json() == json{{"replayed", 2}});
        CHECK(becomes("delivered", 2));
        CHECK(contains(must({"webhooks", "replay", "1"}).err, "0 deliveries are queued again"));
    }

    TEST_CASE_FIXTURE(Told, "what is wrong is said and changes nothing") {
        for (const char* verb : {"enable", "disable", "remove", "rotate"}) {
            CAPTURE(verb);
            const auto unknown = run({"webhooks", verb, "9"});
            CHECK(unknown.code == 1);
            CHECK(contains(unknown.err, "there is no such endpoint"));
            const auto word = run({"webhooks", verb, "one"});
            CHECK(word.code == 1);
            CHECK(contains(word.err, "'one' is no number"));
            CHECK(run({"webhooks", verb}).code == 2);
            CHECK(run({"webhooks", verb, "1", "2"}).code == 2);
        }
        CHECK(run({"webhooks", "replay", "9"}).code == 1);
        CHECK(run({"webhooks", "list", "all"}).code == 2);
        CHECK(run({"webhooks", "add", "two"}).code == 2);
        CHECK(contains(run({"webhooks", "add", "two", "ftp://127.0.0.1/"}).err, "url"));
        CHECK(contains(run({"webhooks", "add", "two", "http://10.0.0.1/"}).err, "not allowed"));
        CHECK(contains(run({"webhooks", "add", "two", remote.url(), "item."}).err, "event_types"));
        CHECK(must({"webhooks", "list", "--json"}).json().size() == 1);
    }
}
