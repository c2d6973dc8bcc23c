// One-time links: who sets a password by one, and who does not.

#include <future>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/accounts_bench.hpp>

using namespace radd::accounts;
using radd::InvalidInput;
using radd::Role;
using radd::testing::DoorBench;

namespace {

using Outcome = DoorBench::Outcome;

/// The field that is refused when `name` is given, or none is; empty if nothing is.
std::string refused_field(SignIn& door, const std::string& code, std::optional<std::string> name) {
    try {
        (void)door.use_link(code, name, DoorBench::password, {});
    } catch (const InvalidInput& refused) {
        return refused.field();
    }
    return "";
}

}  // namespace

TEST_SUITE("one-time link") {
    TEST_CASE_FIXTURE(DoorBench, "it sets a password once and ends what was open") {
        const auto ada = an_account("ada");
        const auto before = signed_in("ada");
        const auto link = people.make_link(ada.id);
        CHECK(door.find_link(link->code)->account_name == "ada");

        const auto in = door.use_link(link->code, std::nullopt, "another horse", {});

        REQUIRE(in);
        CHECK(identities.by_session(in->session_cookie)->name == "ada");
        CHECK_FALSE(identities.by_session(before.session_cookie));
        CHECK_FALSE(door.use_link(link->code, std::nullopt, "third horse!", {}));
        CHECK_FALSE(door.find_link(link->code));
        CHECK(attempt("ada", password, {.address = "192.0.2.1"}) == Outcome::refused);
        CHECK(attempt("ada", "another horse", {.address = "192.0.2.1"}) == Outcome::in);
    }

    TEST_CASE_FIXTURE(DoorBench, "of many who use one at once exactly one gets in") {
        const auto ada = people.create("ada", Role::member);
        for (int round = 0; round < 5; ++round) {
            const auto link = people.make_link(ada.id);

            std::vector<std::future<bool>> all;
            for (int i = 0; i < 8; ++i)
                all.push_back(std::async(std::launch::async, [&, i] {
                    const auto typed = "horse number " + std::to_string(i);
                    return door.use_link(link->code, std::nullopt, typed, {}).has_value();
                }));
            std::vector<int> winners;
            for (int i = 0; i < 8; ++i)
                if (all[static_cast<std::size_t>(i)].get()) winners.push_back(i);

            REQUIRE(winners.size() == 1);
            CHECK(attempt("ada",
                          "horse number " + std::to_string(winners.front()),
                          {.address = "192.0.2.1"}) == Outcome::in);
        }
    }

    TEST_CASE_FIXTURE(DoorBench, "a new one replaces the one before and an old one expires") {
        const auto ada = people.create("ada", Role::member);
        const auto first = people.make_link(ada.id);
        const auto second = people.make_link(ada.id);

        CHECK_FALSE(door.find_link(first->code));
        CHECK(door.find_link(second->code));
        CHECK(value("SELECT (expires_at - created_at)::text LIKE '23:59:59%' OR "
                    "expires_at - created_at = interval '24 hours' FROM radd.links") == "true");
        database.execute("UPDATE radd.links SET expires_at = clock_timestamp()");
        CHECK_FALSE(door.find_link(second->code));
        CHECK_FALSE(door.use_link(second->code, std::nullopt, password, {}));
        CHECK_FALSE(door.find_link("made up"));
    }

    TEST_CASE_FIXTURE(DoorBench, "what is wrong with a request leaves it good") {
        const auto ada = people.create("ada", Role::member);
        const auto link = people.make_link(ada.id);

        CHECK_THROWS_AS((void)door.use_link(link->code, std::nullopt, "too short", {}),
                        InvalidInput);
        CHECK(refused_field(door, link->code, "grace") == "name");

        CHECK(door.use_link(link->code, "ada", password, {}));
    }

    TEST_CASE_FIXTURE(DoorBench, "whoever has none costs no password's work") {
        const auto before = passwords.derivations();

        CHECK_FALSE(door.use_link("made up", std::nullopt, password, {}));

        CHECK(passwords.derivations() == before);
    }

    TEST_CASE_FIXTURE(DoorBench, "the first administrator is made by one and by no second") {
        CHECK_FALSE(people.has_admin());
        const auto replaced = people.make_first_admin_link();
        const auto link = people.make_first_admin_link();
        CHECK(door.find_link(link.code)->purpose == LinkPurpose::first_admin);
        CHECK(refused_field(door, link.code, {}) == "name");
        CHECK_FALSE(door.use_link(replaced.code, "root", password, {}));

        const auto in = door.use_link(link.code, "root", password, {});

        REQUIRE(in);
        CHECK(in->account.role == Role::admin);
        CHECK(people.has_admin());
        CHECK_FALSE(door.use_link(link.code, "other", password, {}));
    }

    TEST_CASE_FIXTURE(DoorBench, "the first administrator's is worth nothing once there is one") {
        const auto link = people.make_first_admin_link();
        (void)an_account("root", Role::admin);

        CHECK_FALSE(door.find_link(link.code));
        CHECK_FALSE(door.use_link(link.code, "eve", password, {}));
    }

    TEST_CASE_FIXTURE(DoorBench, "the first administrator needs a name that is free") {
        (void)people.create("root", Role::admin);
        const auto link = people.make_first_admin_link();

        CHECK(refused_field(door, link.code, "root") == "name");

        CHECK(door.use_link(link.code, "other", password, {}));
    }
}
