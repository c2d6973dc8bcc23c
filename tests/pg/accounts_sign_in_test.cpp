// Getting in by password, and for how long.

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <tests/pg/accounts_bench.hpp>

using namespace radd::accounts;
using radd::Role;
using radd::testing::DoorBench;

TEST_SUITE("sign-in") {
    TEST_CASE_FIXTURE(DoorBench, "the right password opens a session") {
        const auto ada = an_account("Ada");

        const auto in = door.sign_in("ada", password, {.address = "192.0.2.1"});

        REQUIRE(in);
        CHECK(in->account.id == ada.id);
        CHECK(in->account.last_sign_in_at);
        CHECK(in->csrf_token == csrf_token_of(in->session_cookie));
        CHECK(identities.by_session(in->session_cookie)->name == "Ada");
        CHECK(value("SELECT count(*) FROM radd.sessions WHERE encode(session_hash, 'hex') = '" +
                    hash_of(in->session_cookie) + "'") == "1");
    }

    TEST_CASE_FIXTURE(DoorBench, "every way to be refused does the same work") {
        (void)an_account("root", Role::admin);
        (void)an_account("ada");
        (void)people.create("invited", Role::member);
        (void)people.change(an_account("gone").id, {.disabled = true});
        radd::db::Pool one{database.options(), 1};
        SignIn narrow{one, passwords, random, log};
        const auto work = [&](const std::string& name, const std::string& typed) {
            forgive_everybody();
            const auto statements = one.lease("test")->statements_sent();
            const auto derivations = passwords.derivations();
            CHECK_FALSE(narrow.sign_in(name, typed, {.address = "192.0.2.5"}));
            return std::pair{one.lease("test")->statements_sent() - statements,
                             passwords.derivations() - derivations};
        };
        for (int i = 0; i < 3; ++i) (void)work("ada", wrong);  // Until everything is prepared.

        const auto expected = work("ada", wrong);

        CHECK(expected.second == 1);
        CHECK(work("nobody", wrong) == expected);
        CHECK(work("invited", wrong) == expected);
        CHECK(work("gone", wrong) == expected);
        CHECK(work("gone", password) == expected);
    }

    TEST_CASE_FIXTURE(DoorBench, "a password that was kept at another cost is kept anew") {
        (void)an_account("ada");
        Passwords today{random, {.log_n = 5, .r = 8, .p = 1}};
        SignIn tomorrow{pool, today, random, log};
        const auto stored = [&] { return value("SELECT left(password, 13) FROM radd.accounts"); };
        CHECK(stored() == "$scrypt$ln=4,");

        CHECK(tomorrow.sign_in("ada", password, {.address = "192.0.2.1"}));

        CHECK(stored() == "$scrypt$ln=5,");
        CHECK(tomorrow.sign_in("ada", password, {.address = "192.0.2.1"}));
    }

    TEST_CASE_FIXTURE(DoorBench, "signing out ends this session and no other") {
        (void)an_account("ada");
        const auto one = signed_in("ada");
        const auto two = signed_in("ada");

        door.sign_out(one.session_cookie);
        door.sign_out(one.session_cookie);
        door.sign_out("nobody");

        CHECK_FALSE(identities.by_session(one.session_cookie));
        CHECK(identities.by_session(two.session_cookie));
    }

    TEST_CASE_FIXTURE(DoorBench,
                      "a session lasts while it is used and ends by the database's clock") {
        (void)an_account("ada");
        const auto in = signed_in("ada");
        const auto seen = [&] {
            identities.forget();
            return identities.by_session(in.session_cookie).has_value();
        };
        const auto age = [&](const std::string& time) {
            database.execute("UPDATE radd.sessions SET created_at = created_at - interval '" +
                             time + "', last_seen_at = last_seen_at - interval '" + time +
                             "', expires_at = expires_at - interval '" + time + "'");
        };

        age("11 hours");
        CHECK(seen());
        age("11 hours");
        CHECK(seen());
        age("12 hours");
        CHECK_FALSE(seen());
    }

    TEST_CASE_FIXTURE(DoorBench, "a session ends a week after it began however busy it is") {
        (void)an_account("ada");
        database.execute("DELETE FROM radd.sessions");
        const auto in = signed_in("ada");
        database.execute(
            "UPDATE radd.sessions SET created_at = created_at - interval '167 hours', "
            "last_seen_at = last_seen_at - interval '1 hour'");

        CHECK(identities.by_session(in.session_cookie));

        CHECK(value("SELECT expires_at - created_at = interval '168 hours' FROM radd.sessions") ==
              "true");
    }

    TEST_CASE_FIXTURE(DoorBench, "one session more than an account may have ends the oldest") {
        const auto ada = an_account("ada");
        database.execute("DELETE FROM radd.sessions");
        const auto first = signed_in("ada");
        for (int i = 1; i < sessions_per_account_max; ++i) (void)signed_in("ada");
        CHECK(identities.by_session(first.session_cookie));
        identities.forget();

        (void)signed_in("ada");

        CHECK_FALSE(identities.by_session(first.session_cookie));
        CHECK(value("SELECT count(*) FROM radd.sessions") ==
              std::to_string(sessions_per_account_max));
        CHECK(value("SELECT count(*) FROM radd.devices") ==
              std::to_string(devices_per_account_max));
    }

    TEST_CASE_FIXTURE(DoorBench, "what has expired is cleared away") {
        (void)an_account("ada");
        database.execute(
            "UPDATE radd.sessions SET expires_at = clock_timestamp(); "
            "UPDATE radd.devices SET expires_at = clock_timestamp(); "
            "UPDATE radd.sign_in_limits SET busy_until = clock_timestamp()");

        (void)signed_in("ada");

        CHECK(value("SELECT count(*) FROM radd.sessions") == "1");
        CHECK(value("SELECT count(*) FROM radd.devices") == "1");
        CHECK(value("SELECT count(*) FROM radd.sign_in_limits") == "3");
    }

    TEST_CASE_FIXTURE(DoorBench, "no line of the log holds what was typed or given") {
        const auto ada = an_account("ada");
        const auto in = signed_in("ada");
        (void)door.sign_in("my secret as a name", wrong, {.address = "192.0.2.2"});
        (void)door.sign_in("ada", wrong, {.address = "192.0.2.2"});
        door.sign_out(in.session_cookie);

        const auto lines = log.text();
        for (const std::string& secret : {std::string{password},
                                          std::string{wrong},
                                          std::string{"my secret"},
                                          in.session_cookie,
                                          in.csrf_token,
                                          in.device_cookie})
            CHECK(lines.find(secret) == std::string::npos);
        CHECK(lines.find("sign-in: 'ada' signed in") != std::string::npos);
        CHECK(lines.find("sign-in: refused for 'ada'") != std::string::npos);
        CHECK(lines.find("sign-in: refused for a name nobody has") != std::string::npos);
    }
}
