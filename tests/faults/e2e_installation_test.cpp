// Who a host is to others of its database, and what it says of its settings.

#include <string>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

void stop(Process& host) {
    host.signal(SIGTERM);
    REQUIRE(host.wait() == 0);
}

/// Until it has declared what it has and looked for what it lacks, which comes before it owns any.
void run_and_stop(const Installation& installation) {
    const auto host = installation.serve();
    REQUIRE(eventually([&] {
        const auto own = installation.consumer("radd.partitions");
        return !own.is_null() && !own.at("owner").is_null();
    }));
    stop(*host);
}

struct WebOnly : TestDatabase, Installation {
    WebOnly() : Installation{static_cast<TestDatabase&>(*this)} {
        install_chores();
        Installation::set("RADD_RUN_WORKERS", "false");
    }
};

/// Two folders, as two starts of a container have two host names.
struct Restarted : TestDatabase {
    Restarted() {
        before.install_chores();
        before.set("RADD_INSTALLATION_NAME", "shop");
        run_and_stop(before);
    }
    bool is_marked_as_removed() {
        return value(
                   "SELECT count(disabled_since) FROM radd.consumers "
                   "WHERE name = 'chores.doer'") == "1";
    }
    Installation before{static_cast<TestDatabase&>(*this)};
    Installation after{static_cast<TestDatabase&>(*this)};
};

}  // namespace

TEST_SUITE("an installation") {
    TEST_CASE_FIXTURE(Restarted, "is known by its name wherever it starts") {
        after.set("RADD_INSTALLATION_NAME", "shop");

        run_and_stop(after);

        CHECK(is_marked_as_removed());
    }

    TEST_CASE_FIXTURE(Restarted, "of another name takes nothing of it for removed") {
        after.set("RADD_INSTALLATION_NAME", "office");

        run_and_stop(after);

        CHECK_FALSE(is_marked_as_removed());
    }

    TEST_CASE_FIXTURE(WebOnly, "without workers says why no consumer has started") {
        stop(*serve());

        CHECK(contains(run({"consumers", "list"}).err, "here it is false"));
    }

    TEST_CASE_FIXTURE(Installation, "that waits for its database says for how long") {
        set("RADD_DATABASE_URL", "host=/nonexistent dbname=radd user=radd");
        set("RADD_STARTUP_TIMEOUT", "300ms");

        const auto ran = run({"serve"});

        CHECK(ran.code == 4);
        CHECK(contains(ran.err, "trying for up to 300ms"));
    }
}
