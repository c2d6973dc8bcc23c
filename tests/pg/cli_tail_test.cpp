// radd events tail, as tail(1) is used: watched for long, piped into something short.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

constexpr const char* append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('a.b', 'a', '1')";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} { must({"migrate"}); }
};

/// `radd events tail …` as one end of a pipe, run by a shell.
std::unique_ptr<Process> piped(const TestDatabase& database, const std::string& line) {
    return std::make_unique<Process>(
        std::vector<std::string>{"/bin/bash", "-c", "radd() { \"$RADD\" \"$@\"; }; " + line},
        std::map<std::string, std::string>{{"RADD", RADD_BINARY_DIR "/bin/radd"},
                                           {"RADD_DATABASE_URL", database.url()},
                                           {"RADD_PLUGINS_DIR", "/nowhere"},
                                           {"RADD_MANIFESTS_DIR", "/nowhere"}});
}

std::vector<std::int64_t> ids_of(const std::string& output) {
    std::vector<std::int64_t> ids;
    for (const auto& line : lines_of(output)) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        // The last line may be half there yet.
        if (!event.is_discarded()) ids.push_back(event.at("id"));
    }
    return ids;
}

std::vector<std::int64_t> counted_from(std::int64_t first, std::size_t count) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(first + static_cast<std::int64_t>(i));
    return ids;
}

}  // namespace

TEST_SUITE("radd events tail") {
    TEST_CASE_FIXTURE(Scene, "ends when its reader does though no event comes") {
        execute(append);

        const auto pipe = piped(*this, "radd events tail | head -n 1; echo ${PIPESTATUS[0]}");

        CHECK(pipe->wait() == 0);
        CHECK(contains(pipe->output(), "a.b"));
        CHECK(lines_of(pipe->output()).back() == "0");
        CHECK(pipe->errors().empty());
    }

    TEST_CASE_FIXTURE(Scene, "says that its output cannot be written") {
        execute(append);

        const auto full = piped(*this, "radd events tail > /dev/full");
        CHECK(full->wait() == 1);
        CHECK(contains(full->errors(), "standard output: what was printed could not be written"));
        const auto query = piped(*this, "radd events query > /dev/full");
        CHECK(query->wait() == 1);
    }

    TEST_CASE_FIXTURE(Scene, "begins with as many as asked for and follows unless told not to") {
        for (int i = 0; i < 12; ++i) execute(append);
        const auto ids = [&](std::vector<std::string> more) {
            std::vector<std::string> command{"events", "tail", "--json", "--no-follow"};
            command.insert(command.end(), more.begin(), more.end());
            return ids_of(must(command).out);
        };

        CHECK(ids({}) == counted_from(3, 10));
        CHECK(ids({"-n", "0"}).empty());
        CHECK(ids({"-n", "1"}) == counted_from(12, 1));
        CHECK(ids({"--lines", "1000"}) == counted_from(1, 12));
        CHECK(run({"events", "tail", "-n", "1001"}).code == 2);
        CHECK(run({"events", "tail", "-f", "--no-follow"}).code == 2);
        const auto follower = start({"events", "tail", "-f", "-n", "0", "--json"});
        // Ready once it has connected to follow: what comes from then on is shown.
        CHECK(eventually([&] {
            execute(append);
            return !follower->output().empty();
        }));
        follower->signal(SIGINT);
        CHECK(follower->wait() == 0);
    }

    // P07
    TEST_CASE("goes on over restarts of the database without a gap and without a repetition") {
        PrivateCluster cluster;
        Installation radd;
        radd.set("RADD_DATABASE_URL", cluster.url());
        radd.must({"migrate"});
        const auto emit = [&](int count) {
            radd::db::Session session{{.url = cluster.url()}};
            for (int i = 0; i < count; ++i) session.run_script(append);
        };
        emit(3);
        const auto tail = radd.start({"events", "tail", "--json"});
        const auto shows = [&](std::size_t count) {
            return eventually([&] { return ids_of(tail->output()).size() >= count; },
                              std::chrono::seconds{30});
        };
        REQUIRE(shows(3));

        std::size_t emitted = 3;
        for (const auto end : {&PrivateCluster::stop_fast, &PrivateCluster::kill}) {
            (cluster.*end)();
            cluster.start();
            emit(50);
            emitted += 50;
            CHECK(shows(emitted));
        }
        tail->signal(SIGINT);

        const auto code = tail->wait();
        CAPTURE(tail->errors());
        CHECK(code == 0);
        auto ids = ids_of(tail->output());
        CHECK(ids.size() == emitted);
        // A crash may cost ids that nobody drew; never one that was committed.
        std::vector<std::int64_t> stored;
        radd::db::Session session{{.url = cluster.url()}};
        for (const radd::Row row : session.query("SELECT id FROM radd.events ORDER BY id"))
            stored.push_back(row.integer("id"));
        CHECK(ids == stored);
        CHECK(contains(tail->errors(), "the database is back"));
    }
}
