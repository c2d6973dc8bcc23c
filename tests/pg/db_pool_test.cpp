// P08: exhaustion ends in a message and not in a wedge; what comes back is clean.

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/pool.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

using namespace std::chrono_literals;
using radd::ConfigError;
using radd::Unavailable;
using radd::db::Lease;
using radd::db::Pool;
using radd::testing::eventually;
using radd::testing::TestDatabase;

namespace {

struct Bench {
    TestDatabase db;

    std::string connections() {
        return db.value("SELECT count(*) FROM pg_stat_activity WHERE datname = '" + db.name() +
                        "' AND pid <> pg_backend_pid()");
    }
};

std::string failure(Pool& pool, const std::string& purpose, std::chrono::milliseconds timeout) {
    try {
        const Lease lease = pool.lease(purpose, timeout);
    } catch (const Unavailable& error) {
        return error.what();
    }
    return "lent";
}

}  // namespace

TEST_SUITE("pool") {
    TEST_CASE_FIXTURE(Bench, "it opens no session before one is asked for and keeps it then") {
        Pool pool{db.options(), 3};
        CHECK(connections() == "0");

        const int pid = pool.lease("first")->backend_pid();

        CHECK(pool.lease("second")->backend_pid() == pid);
        CHECK(connections() == "1");
        CHECK(pool.leased() == 0);
    }

    // P08
    TEST_CASE_FIXTURE(Bench, "a wait in vain names who holds the sessions and since when") {
        Pool pool{db.options(), 2};
        const Lease one = pool.lease("consumer csat.sender");
        const Lease other = pool.lease("GET /api/v1/items");

        const std::string message = failure(pool, "import", 20ms);

        CHECK(message.find("no session for import within 20 ms") != std::string::npos);
        CHECK(message.find("consumer csat.sender (for ") != std::string::npos);
        CHECK(message.find("GET /api/v1/items (for ") != std::string::npos);
    }

    // P08
    TEST_CASE_FIXTURE(Bench,
                      "a second lease inside the first fails in time when there is but one") {
        Pool pool{db.options(), 1};
        std::optional<Lease> outer{pool.lease("outer")};

        CHECK(failure(pool, "inner", 10ms).find("held by outer") != std::string::npos);
        outer.reset();
        CHECK(failure(pool, "inner", 10ms) == "lent");
    }

    // P08
    TEST_CASE_FIXTURE(Bench, "with one session many threads take turns and all get theirs") {
        Pool pool{db.options(), 1};
        std::vector<std::future<int>> turns;
        for (int i = 0; i < 8; ++i) {
            turns.push_back(std::async(std::launch::async, [&pool] {
                int done = 0;
                for (; done < 20; ++done) pool.lease("turn")->query("SELECT 1");
                return done;
            }));
        }

        for (auto& turn : turns) CHECK(turn.get() == 20);
        CHECK(connections() == "1");
    }

    // P08
    TEST_CASE_FIXTURE(Bench, "a session that comes back in a transaction is rolled back") {
        db.execute("CREATE TABLE kept (id bigint)");
        Pool pool{db.options(), 1};
        {
            const Lease lease = pool.lease("careless");
            lease->begin();
            lease->query("INSERT INTO kept VALUES (1)");
            lease->query("SET LOCAL statement_timeout = 1");
        }

        const Lease next = pool.lease("next");
        CHECK_FALSE(next->in_transaction());
        CHECK(next->query("SELECT current_setting('statement_timeout') AS t")[0].text("t") ==
              "30s");
        next->begin();
        next->commit();
        CHECK(db.value("SELECT count(*) FROM kept") == "0");
    }

    TEST_CASE_FIXTURE(Bench, "a session that comes back in a failed transaction is usable again") {
        Pool pool{db.options(), 1};
        {
            const Lease lease = pool.lease("unlucky");
            lease->begin();
            CHECK_THROWS(lease->query("SELECT 1 / 0"));
        }

        CHECK_NOTHROW(pool.lease("next")->query("SELECT 1"));
    }

    // P08
    TEST_CASE_FIXTURE(Bench, "sessions that died while nobody used them are replaced unseen") {
        Pool pool{db.options(), 2};
        {
            const Lease one = pool.lease("one");
            const Lease other = pool.lease("other");
        }
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                   db.name() + "' AND pid <> pg_backend_pid()");
        REQUIRE(eventually([&] { return connections() == "0"; }));

        const Lease one = pool.lease("one");
        const Lease other = pool.lease("other");
        CHECK_NOTHROW(one->query("SELECT 1"));
        CHECK_NOTHROW(other->query("SELECT 1"));
    }

    TEST_CASE_FIXTURE(Bench, "a session that died in use is not lent again") {
        Pool pool{db.options(), 1};
        {
            const Lease lease = pool.lease("victim");
            CHECK_THROWS_AS(lease->query("SELECT pg_terminate_backend(pg_backend_pid())"),
                            Unavailable);
        }

        CHECK_NOTHROW(pool.lease("next")->query("SELECT 1"));
    }

    TEST_CASE_FIXTURE(Bench, "a session that cannot be opened leaves its slot free") {
        Pool pool{{.url = db.url() + " dbname=nowhere"}, 1};

        CHECK_THROWS_AS((void)pool.lease("first", 10ms), ConfigError);
        CHECK_THROWS_AS((void)pool.lease("second", 10ms), ConfigError);
        CHECK(pool.leased() == 0);
    }

    TEST_CASE("a size outside its limits is refused") {
        const auto size_of = [](std::size_t size) { return Pool{{.url = "host=x"}, size}.size(); };

        CHECK_THROWS_AS(size_of(0), ConfigError);
        CHECK_THROWS_AS(size_of(Pool::size_max + 1), ConfigError);
        CHECK(size_of(Pool::size_max) == Pool::size_max);
    }
}
