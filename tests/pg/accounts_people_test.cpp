// Accounts as an administrator manages them; what a lost right takes with it.

#include <future>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/accounts_bench.hpp>

using namespace radd::accounts;
using radd::InvalidInput;
using radd::Role;
using radd::testing::AccountsBench;

namespace {

/// The field that was refused; empty if nothing was.
template <typename Call>
std::string refused_field(Call&& call) {
    try {
        (void)call();
    } catch (const InvalidInput& refused) {
        return refused.field();
    }
    return "";
}

}  // namespace

TEST_SUITE("accounts") {
    TEST_CASE_FIXTURE(AccountsBench, "a name belongs to one account in whatever case") {
        const auto ada = people.create("Ada", Role::member);

        CHECK(refused_field([&] { return people.create("aDA", Role::admin); }) == "name");
        CHECK(people.find("ADA")->id == ada.id);
        CHECK(people.find(ada.id)->name == "Ada");
        CHECK_FALSE(people.find("grace"));
        CHECK_FALSE(people.find("00000000-0000-0000-0000-000000000000"));
        CHECK(refused_field([&] { return people.create(ada.id, Role::admin); }) == "name");
    }

    TEST_CASE_FIXTURE(AccountsBench, "an account and its link are made together or not at all") {
        const auto invited = people.invite("ada", Role::member);
        CHECK(people.find("ada")->id == invited.account.id);
        CHECK(door.use_link(invited.link.code, std::nullopt, password, {.address = "192.0.2.1"}));
        database.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no link'; END $$;"
            "CREATE TRIGGER fail BEFORE INSERT ON radd.links FOR EACH ROW EXECUTE FUNCTION fail()");

        CHECK_THROWS_AS((void)people.invite("bob", Role::member), radd::SqlError);

        CHECK_FALSE(people.find("bob"));
    }

    TEST_CASE_FIXTURE(AccountsBench, "the list is by name and comes in pages") {
        for (const char* name : {"bob", "Ada", "Cid"}) (void)people.create(name, Role::member);

        const auto first = people.list(std::nullopt, 2);
        const auto second = people.list(first.next_after, 2);

        REQUIRE(first.rows.size() == 2);
        CHECK(first.rows[0].name == "Ada");
        CHECK(first.rows[1].name == "bob");
        REQUIRE(second.rows.size() == 1);
        CHECK(second.rows[0].name == "Cid");
        CHECK_FALSE(second.next_after);
        CHECK_FALSE(people.list(std::nullopt, 3).next_after);
        CHECK(refused_field([&] { return people.list("x"); }) == "after");
    }

    TEST_CASE_FIXTURE(AccountsBench, "another role ends sessions and tokens at once") {
        (void)an_account("root", Role::admin);
        const auto ada = an_account("ada", Role::admin);
        const auto session = signed_in("ada");
        const auto token = tokens.create({.name = "ci", .role = Role::admin, .account_id = ada.id});
        const auto other = tokens.create({.name = "other", .role = Role::admin});
        CHECK(identities.by_session(session.session_cookie)->role == Role::admin);
        CHECK(identities.by_token(token.secret)->name == "ada");

        const auto changed = people.change(ada.id, {.role = Role::member});
        identities.forget();

        CHECK(changed->account.role == Role::member);
        CHECK(changed->sessions_ended == 2);
        CHECK(changed->tokens_ended == 1);
        CHECK_FALSE(identities.by_session(session.session_cookie));
        CHECK_FALSE(identities.by_token(token.secret));
        CHECK(identities.by_token(other.secret));
        CHECK(signed_in("ada").account.role == Role::member);
    }

    TEST_CASE_FIXTURE(AccountsBench, "who is disabled is out and stays out of what was ended") {
        const auto ada = an_account("ada");
        const auto session = signed_in("ada");
        const auto token =
            tokens.create({.name = "ci", .role = Role::member, .account_id = ada.id});
        const auto link = people.make_link(ada.id);

        CHECK(people.change(ada.id, {.disabled = true})->account.disabled_at);

        CHECK_FALSE(identities.by_session(session.session_cookie));
        CHECK_FALSE(identities.by_token(token.secret));
        CHECK_FALSE(door.find_link(link->code));
        CHECK_FALSE(door.sign_in("ada", password, {.address = "192.0.2.9"}));
        CHECK(refused_field([&] { return people.make_link(ada.id); }) == "disabled");
        CHECK(refused_field([&] {
                  return tokens.create({.name = "ci", .role = Role::member, .account_id = ada.id});
              }) == "account_id");

        CHECK_FALSE(people.change(ada.id, {.disabled = false})->account.disabled_at);

        CHECK_FALSE(identities.by_session(session.session_cookie));
        CHECK_FALSE(identities.by_token(token.secret));
        CHECK_FALSE(door.find_link(link->code));
        CHECK(signed_in("ada").account.id == ada.id);
    }

    TEST_CASE_FIXTURE(AccountsBench, "what is so already changes nothing and ends nothing") {
        const auto ada = an_account("ada");

        const auto changed = people.change(ada.id, {.role = Role::member, .disabled = false});

        CHECK(changed->sessions_ended == 0);
        CHECK(value("SELECT count(*) FROM radd.sessions") == "1");
        CHECK_FALSE(people.change("00000000-0000-0000-0000-000000000000", {.disabled = true}));
        CHECK_FALSE(people.change("ada", {.disabled = true}));
    }

    TEST_CASE_FIXTURE(AccountsBench, "the last who can sign in as administrator stays one") {
        const auto root = an_account("root", Role::admin);
        // Invited, and not yet able to sign in.
        const auto next = people.create("next", Role::admin);
        CHECK(people.has_admin());

        CHECK(refused_field([&] { return people.change(root.id, {.disabled = true}); }) ==
              "disabled");
        CHECK(refused_field([&] { return people.change(root.id, {.role = Role::member}); }) ==
              "role");
        CHECK(people.find(root.id)->role == Role::admin);
        CHECK(people.change(next.id, {.disabled = true}));

        (void)an_account("other", Role::admin);
        CHECK(people.change(root.id, {.disabled = true}));
    }

    TEST_CASE_FIXTURE(AccountsBench, "two administrators cannot remove each other") {
        for (int round = 0; round < 10; ++round) {
            const auto name = std::to_string(round);
            const auto a = an_account("a" + name, Role::admin);
            const auto b = an_account("b" + name, Role::admin);
            const auto demote = [&](const std::string& id) {
                radd::db::Session session{database.options()};
                return refused_field([&] {
                    return Accounts{session, random}.change(id, {.role = Role::member});
                });
            };

            auto other = std::async(std::launch::async, demote, a.id);
            const auto here = demote(b.id);
            const auto there = other.get();

            CHECK((here == "role") != (there == "role"));
            CHECK(value("SELECT count(*) FROM radd.accounts WHERE role = 'admin'") == "1");
            database.execute("UPDATE radd.accounts SET role = 'member'");
        }
    }
}

TEST_SUITE("tokens") {
    TEST_CASE_FIXTURE(AccountsBench, "one is shown once and kept as its hash") {
        const auto made = tokens.create({.name = "ci", .role = Role::admin});

        CHECK(made.secret.starts_with("radd_"));
        CHECK(value("SELECT encode(token_hash, 'hex') FROM radd.tokens") == hash_of(made.secret));
        CHECK(value("SELECT t::text LIKE '%" + made.secret + "%' FROM radd.tokens t") == "false");
        const auto who = identities.by_token(made.secret);
        REQUIRE(who);
        CHECK(who->id == made.token.id);
        CHECK(who->name == "ci");
        CHECK(who->role == Role::admin);
    }

    TEST_CASE_FIXTURE(AccountsBench, "an unknown or revoked or expired one is nobody") {
        const auto made =
            tokens.create({.name = "ci", .role = Role::member, .lifetime = std::chrono::hours{24}});
        const auto revoked = tokens.create({.name = "gone", .role = Role::member});
        CHECK(identities.by_token(revoked.secret));

        CHECK(tokens.revoke(revoked.token.id)->revoked_at);
        CHECK(tokens.revoke(revoked.token.id)->revoked_at);
        CHECK_FALSE(tokens.revoke("nobody"));
        identities.forget();

        CHECK_FALSE(identities.by_token(revoked.secret));
        CHECK_FALSE(identities.by_token(made.secret + "x"));
        CHECK_FALSE(identities.by_token(""));
        CHECK_FALSE(identities.by_token("radd_"));
        CHECK_FALSE(identities.by_token(std::string(100'000, 'x')));
        CHECK_FALSE(identities.by_session(made.secret));
        CHECK(identities.by_token(made.secret));

        database.execute("UPDATE radd.tokens SET expires_at = clock_timestamp()");
        identities.forget();
        CHECK_FALSE(identities.by_token(made.secret));
    }

    TEST_CASE_FIXTURE(AccountsBench, "one that acts for a person has that person's rights") {
        (void)an_account("root", Role::admin);
        const auto ada = an_account("ada");

        const auto made = tokens.create({.name = "ci", .role = Role::member, .account_id = ada.id});

        CHECK(identities.by_token(made.secret)->id == ada.id);
        CHECK(identities.by_token(made.secret)->name == "ada");
        CHECK(refused_field([&] {
                  return tokens.create({.name = "ci", .role = Role::admin, .account_id = ada.id});
              }) == "account_id");
        CHECK(refused_field([&] {
                  return tokens.create({.name = "ci", .role = Role::admin, .account_id = "ada"});
              }) == "account_id");
    }

    TEST_CASE_FIXTURE(AccountsBench, "a lifetime has bounds and ends by the database's clock") {
        using namespace std::chrono_literals;
        const auto create = [&](std::chrono::seconds lifetime) {
            return tokens.create({.name = "ci", .role = Role::member, .lifetime = lifetime});
        };

        CHECK(refused_field([&] { return create(Tokens::lifetime_min - 1s); }) == "lifetime");
        CHECK(refused_field([&] { return create(Tokens::lifetime_max + 1s); }) == "lifetime");
        CHECK(create(Tokens::lifetime_max).token.expires_at);
        const auto made = create(Tokens::lifetime_min);

        CHECK(value("SELECT expires_at - created_at BETWEEN interval '59 s' AND interval '60 s' "
                    "FROM radd.tokens WHERE id = '" +
                    made.token.id + "'") == "true");
    }

    TEST_CASE_FIXTURE(AccountsBench, "its use is written down once a minute") {
        const auto made = tokens.create({.name = "ci", .role = Role::member});
        CHECK_FALSE(made.token.last_used_at);
        const auto use = [&] {
            identities.forget();
            REQUIRE(identities.by_token(made.secret));
            return value("SELECT last_used_at FROM radd.tokens");
        };

        const auto first = use();
        CHECK(first != "(null)");
        CHECK(use() == first);
        database.execute("UPDATE radd.tokens SET last_used_at = last_used_at - interval '61 s'");
        CHECK(use() > first);
    }

    TEST_CASE_FIXTURE(AccountsBench, "who uses one does not wait for others who touch it") {
        const auto made = tokens.create({.name = "ci", .role = Role::member});
        database.session().begin();
        database.session().query("SELECT id FROM radd.tokens FOR UPDATE");

        CHECK(identities.by_token(made.secret));

        database.session().rollback();
        CHECK(value("SELECT last_used_at FROM radd.tokens") == "(null)");
    }

    TEST_CASE_FIXTURE(AccountsBench, "the list is newest first and comes in pages") {
        for (const char* name : {"one", "two", "three"})
            (void)tokens.create({.name = name, .role = Role::member});

        const auto first = tokens.list(std::nullopt, 2);
        const auto second = tokens.list(first.next_after, 2);

        REQUIRE(first.rows.size() == 2);
        CHECK(first.rows[0].name == "three");
        CHECK(first.rows[1].name == "two");
        REQUIRE(second.rows.size() == 1);
        CHECK(second.rows[0].name == "one");
        CHECK_FALSE(second.next_after);
        CHECK(refused_field([&] { return tokens.list("x"); }) == "after");
    }
}

TEST_SUITE("identities") {
    TEST_CASE_FIXTURE(AccountsBench, "what is known is looked up once for two seconds") {
        const auto made = tokens.create({.name = "ci", .role = Role::member});
        const auto session = pool.lease("test")->backend_pid();
        const auto sent = [&] { return pool.lease("test")->statements_sent(); };
        REQUIRE(session == pool.lease("test")->backend_pid());
        for (int i = 0; i < 3; ++i) {  // Until the statement is prepared.
            identities.forget();
            CHECK(identities.by_token(made.secret));
        }

        const auto before = sent();
        CHECK(identities.by_token(made.secret));
        CHECK(sent() == before);
        clock.advance(Identities::remembered_for);
        CHECK(identities.by_token(made.secret));
        CHECK(sent() == before + 1);
    }

    TEST_CASE_FIXTURE(AccountsBench, "what another process has ended ends within two seconds") {
        const auto made = tokens.create({.name = "ci", .role = Role::member});
        CHECK(identities.by_token(made.secret));

        (void)tokens.revoke(made.token.id);

        CHECK(identities.by_token(made.secret));
        clock.advance(Identities::remembered_for);
        CHECK_FALSE(identities.by_token(made.secret));
    }

    TEST_CASE_FIXTURE(AccountsBench, "nothing is remembered beyond its own end") {
        const auto made =
            tokens.create({.name = "ci", .role = Role::member, .lifetime = Tokens::lifetime_min});
        database.execute("UPDATE radd.tokens SET expires_at = clock_timestamp() + interval '1 s'");
        CHECK(identities.by_token(made.secret));

        clock.advance(std::chrono::seconds{1});
        database.execute("UPDATE radd.tokens SET expires_at = clock_timestamp()");

        CHECK_FALSE(identities.by_token(made.secret));
    }

    TEST_CASE_FIXTURE(AccountsBench, "a database that is away is said to be and not waited for") {
        const auto made = tokens.create({.name = "ci", .role = Role::member});
        radd::db::Pool nowhere{{.url = "host=127.0.0.1 port=1 dbname=x"}, 1};
        Identities away{nowhere, clock};

        CHECK_THROWS_AS((void)away.by_token(made.secret), radd::Unavailable);
        CHECK_THROWS_AS((void)away.by_session(made.secret), radd::Unavailable);
        CHECK_FALSE(away.by_token("not one of ours"));
    }
}
