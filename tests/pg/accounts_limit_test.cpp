// How often sign-in may be tried, and that nobody can keep somebody else out.

#include <algorithm>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/accounts_bench.hpp>

using namespace radd::accounts;
using radd::testing::DoorBench;

namespace {

using Outcome = DoorBench::Outcome;

struct LimitBench : DoorBench {
    /// Attempts until one is refused unseen; how many were looked at.
    int attempts_until_limited(const std::string& name, const Browser& browser) {
        int seen = 0;
        while (attempt(name, wrong, browser) == Outcome::refused) ++seen;
        return seen;
    }
    /// Guesses from so many addresses that the name's own bucket is full.
    void attack(const std::string& name) {
        for (int i = 0; i < 2 * per_name.depth; ++i)
            (void)attempt(name, wrong, {.address = a_new_address()});
        REQUIRE(attempt(name, wrong, {.address = a_new_address()}) == Outcome::limited);
    }
};

}  // namespace

TEST_SUITE("sign-in limit in the database") {
    TEST_CASE_FIXTURE(LimitBench, "one address has a few guesses at a name and then one a minute") {
        (void)an_account("ada");
        const Browser here{.address = "203.0.113.7"};

        CHECK(attempts_until_limited("ada", here) == per_name_and_address.depth);
        CHECK(retry_after > std::chrono::seconds{0});
        CHECK(retry_after <= per_name_and_address.step);
        CHECK(attempt("ADA", password, here) == Outcome::limited);

        let_pass_for_buckets(60);
        CHECK(attempts_until_limited("ada", here) == 1);
        let_pass_for_buckets(60);
        CHECK(attempt("ada", password, here) == Outcome::in);
    }

    TEST_CASE_FIXTURE(LimitBench, "a name nobody has is limited alike") {
        CHECK(attempts_until_limited("nobody", {.address = "203.0.113.7"}) ==
              per_name_and_address.depth);
    }

    TEST_CASE_FIXTURE(LimitBench, "the limit holds over hosts and restarts") {
        (void)an_account("ada");
        (void)attempts_until_limited("ada", {.address = "203.0.113.7"});
        radd::db::Pool other_pool{database.options(), 1};
        SignIn other{other_pool, passwords, random, log};

        CHECK_THROWS_AS((void)other.sign_in("ada", password, {.address = "203.0.113.7"}),
                        TooManyAttempts);
    }

    TEST_CASE_FIXTURE(LimitBench, "guesses at once are counted before they are looked at") {
        (void)an_account("ada");
        const auto before = passwords.derivations();

        std::vector<std::future<Outcome>> all;
        for (int i = 0; i < 20; ++i)
            all.push_back(std::async(std::launch::async, [&] {
                try {
                    (void)door.sign_in("ada", wrong, {.address = "203.0.113.7"});
                    return Outcome::refused;
                } catch (const TooManyAttempts&) {
                    return Outcome::limited;
                }
            }));
        const auto seen = std::ranges::count_if(
            all, [](auto& outcome) { return outcome.get() == Outcome::refused; });

        CHECK(seen == per_name_and_address.depth);
        CHECK(passwords.derivations() - before ==
              static_cast<std::uint64_t>(per_name_and_address.depth));
    }

    TEST_CASE_FIXTURE(LimitBench, "one address cannot try one password with every name") {
        int seen = 0;
        const auto guess = [&] {
            return attempt("person " + std::to_string(seen),
                           wrong,
                           {.address = "2001:db8:1:2::" + std::to_string(seen % 10)});
        };
        while (guess() == Outcome::refused) ++seen;

        CHECK(seen == per_address.depth);
        CHECK(attempt("anybody", wrong, {.address = "2001:db8:1:3::1"}) == Outcome::refused);
    }

    TEST_CASE_FIXTURE(LimitBench, "who is guessed at from one address signs in from another") {
        (void)an_account("ada");
        forgive_everybody();
        for (int i = 0; i < 100; ++i) (void)attempt("ada", wrong, {.address = "203.0.113.7"});

        CHECK(attempt("ada", password, {.address = "198.51.100.1"}) == Outcome::in);
    }

    TEST_CASE_FIXTURE(LimitBench,
                      "who is guessed at from everywhere signs in from a known browser") {
        (void)an_account("ada");
        (void)an_account("eve");
        const auto browser = signed_in("ada").device_cookie;
        const auto stranger = signed_in("eve").device_cookie;

        attack("ada");

        const auto address = a_new_address();
        CHECK(attempt("ada", password, {.address = address}) == Outcome::limited);
        CHECK(attempt("ada", password, {.address = address, .device_cookie = stranger}) ==
              Outcome::limited);
        CHECK(attempt("ada", password, {.address = address, .device_cookie = "made up"}) ==
              Outcome::limited);
        CHECK(attempt("ada", password, {.address = address, .device_cookie = browser}) ==
              Outcome::in);
    }

    TEST_CASE_FIXTURE(LimitBench, "who is guessed at from everywhere gets in by a link") {
        const auto ada = an_account("ada");
        attack("ada");

        const auto link = people.make_link(ada.id);

        CHECK(door.use_link(link->code, std::nullopt, password, {.address = "203.0.113.7"}));
    }

    TEST_CASE_FIXTURE(LimitBench, "a known browser is not limited by strangers and has a limit") {
        (void)an_account("ada");
        const Browser browser{.address = "203.0.113.7",
                              .device_cookie = signed_in("ada").device_cookie};

        CHECK(attempts_until_limited("ada", browser) == per_device.depth);
        CHECK(attempt("ada", wrong, {.address = "203.0.113.7"}) == Outcome::refused);
    }

    TEST_CASE_FIXTURE(LimitBench, "a device cookie that we did not give is replaced") {
        (void)an_account("ada");
        const auto given = signed_in("ada").device_cookie;

        const auto planted =
            door.sign_in("ada", password, {.address = "203.0.113.7", .device_cookie = "planted"});
        const auto kept =
            door.sign_in("ada", password, {.address = "203.0.113.7", .device_cookie = given});

        CHECK(planted->device_cookie != "planted");
        CHECK(kept->device_cookie == given);
    }

    TEST_CASE_FIXTURE(LimitBench, "signing in again and again is not limited") {
        (void)an_account("ada");

        for (int i = 0; i < 3 * per_name_and_address.depth; ++i)
            CHECK(attempt("ada", password, {.address = "203.0.113.7"}) == Outcome::in);
    }

    TEST_CASE_FIXTURE(LimitBench, "no name that was typed is kept") {
        (void)attempt("my secret as a name", wrong, {.address = "203.0.113.7"});

        CHECK(value("SELECT count(*) FROM radd.sign_in_limits") == "3");
        CHECK(value("SELECT count(*) FROM radd.sign_in_limits l WHERE l::text LIKE '%secret%'") ==
              "0");
    }
}
