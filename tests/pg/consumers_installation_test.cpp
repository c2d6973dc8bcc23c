// Hosts of one database with different plugins: what one lacks, another runs.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using namespace std::chrono_literals;
using radd::consumers::ConsumerStore;
using radd::consumers::Declaration;
using radd::testing::Bench;

namespace {

const std::vector<std::string> one_name{"probe.one"};
const std::vector<std::string> nothing_of_it{"somebody.else"};

struct Installations : Bench {
    /// A head-resuming consumer that `ours` has run, and five events it has not seen.
    void run_and_stop() {
        ours.declare(declaration, 0);
        const auto taken = ours.acquire(one_name, me, 10s);
        REQUIRE(taken.size() == 1);
        held = {{"probe.one", taken[0].standing.epoch}};
        append(5);
    }
    bool is_marked() { return number("SELECT count(disabled_since) FROM radd.consumers") == 1; }

    Declaration declaration{.name = "probe.one",
                            .plugin = "probe",
                            .plugin_version = "1.0.0",
                            .resume = radd::Resume::head};
    ConsumerStore ours{database.session(), "one:/etc/radd"};
    ConsumerStore theirs{database.session(), "two:/etc/radd"};
    std::vector<ConsumerStore::Held> held;
};

}  // namespace

TEST_SUITE("installations") {
    TEST_CASE_FIXTURE(Installations, "a start without the plugin elsewhere makes nobody skip") {
        run_and_stop();
        ours.release(held);

        CHECK(theirs.mark_disabled(nothing_of_it) == 0);
        const auto found = ours.declare(declaration, 5);

        CHECK_FALSE(found.passed);
        CHECK(cursor() == 0);
    }

    TEST_CASE_FIXTURE(Installations, "the installation that ran it last finds it disabled") {
        run_and_stop();
        ours.release(held);
        REQUIRE(theirs.acquire(one_name, "two:2:2", 10s).size() == 1);
        theirs.release(std::vector<ConsumerStore::Held>{{"probe.one", held[0].epoch + 1}});

        CHECK(ours.mark_disabled(nothing_of_it) == 0);
        CHECK(theirs.mark_disabled(nothing_of_it) == 1);
        CHECK(ours.declare(declaration, 5).passed == 5);
    }

    TEST_CASE_FIXTURE(Installations, "a plugin that could not be loaded is not disabled") {
        run_and_stop();
        ours.release(held);

        CHECK(ours.mark_disabled(nothing_of_it, std::vector<std::string>{"probe"}) == 0);
        CHECK_FALSE(is_marked());
    }

    TEST_CASE_FIXTURE(Installations, "an owner whose renewal came late is disabled no more") {
        run_and_stop();
        database.execute(
            "UPDATE radd.consumers SET lease_until = clock_timestamp() - interval '1 s'");
        REQUIRE(ours.mark_disabled(nothing_of_it) == 1);

        CHECK(ours.renew(held, 10s).size() == 1);

        CHECK_FALSE(is_marked());
    }
}
