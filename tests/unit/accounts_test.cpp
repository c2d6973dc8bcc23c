// What is kept of a secret, which passwords and names are taken, and who counts as one client.

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/accounts/account.hpp>
#include <host/accounts/passwords.hpp>
#include <host/accounts/secret.hpp>
#include <radd/testing/services.hpp>

using namespace radd::accounts;
using radd::InvalidInput;
using radd::testing::FakeRandom;

namespace {

constexpr ScryptCost cheap{.log_n = 4, .r = 8, .p = 1};

std::string hex(const std::string& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

/// What is said against it; empty if it is taken.
std::string complaint(const std::string& password) {
    try {
        Passwords::require_acceptable(password);
    } catch (const InvalidInput& refused) {
        CHECK(refused.field() == "password");
        return refused.what();
    }
    return "";
}

bool is_name(const std::string& name) {
    try {
        require_name("name", name);
    } catch (const InvalidInput& refused) {
        CHECK(refused.field() == "name");
        return false;
    }
    return true;
}

}  // namespace

TEST_SUITE("secret") {
    TEST_CASE("base64url has the digits of RFC 4648 and no padding") {
        CHECK(base64url("").empty());
        CHECK(base64url("f") == "Zg");
        CHECK(base64url("fo") == "Zm8");
        CHECK(base64url("foobar") == "Zm9vYmFy");
        CHECK(base64url("\xfb\xff") == "-_8");
    }

    TEST_CASE("what is kept is SHA-256 of what is shown") {
        CHECK(hash_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

        FakeRandom random;
        const Secret secret = new_secret(random, token_prefix);

        CHECK(secret.hash == hash_of(secret.text));
        CHECK(secret.text.starts_with("radd_"));
        CHECK(secret.text.size() == 5 + 43);
    }

    TEST_CASE("every bit of a secret is drawn") {
        FakeRandom random;
        for (int i = 0; i < 3; ++i) random.queue(0);
        random.queue(1);
        FakeRandom other;
        for (int i = 0; i < 4; ++i) other.queue(0);

        CHECK(new_secret(random).text != new_secret(other).text);
        CHECK(new_secret(random).text != new_secret(random).text);
    }

    TEST_CASE("a CSRF token belongs to one session and does not tell its cookie") {
        const auto token = csrf_token_of("cookie");

        CHECK(token == csrf_token_of("cookie"));
        CHECK(token != csrf_token_of("cookiE"));
        CHECK(token.size() == 43);
        CHECK(hex(token) != hash_of("cookie"));
    }

    TEST_CASE("two texts are equal only as a whole") {
        CHECK(equal_in_constant_time("", ""));
        CHECK(equal_in_constant_time("abc", "abc"));
        CHECK_FALSE(equal_in_constant_time("abc", "abd"));
        CHECK_FALSE(equal_in_constant_time("abc", "ab"));
    }
}

TEST_SUITE("password") {
    // https://www.rfc-editor.org/rfc/rfc7914#section-12
    TEST_CASE("scrypt is that of RFC 7914") {
        CHECK(hex(scrypt("", "", {.log_n = 4, .r = 1, .p = 1}, 64)) ==
              "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
              "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906");
        CHECK(hex(scrypt("password", "NaCl", {.log_n = 10, .r = 8, .p = 16}, 64)) ==
              "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
              "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640");
        CHECK(hex(scrypt("pleaseletmein", "SodiumChloride", {.log_n = 14, .r = 8, .p = 1}, 64)) ==
              "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
              "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887");
    }

    TEST_CASE("it has 12 to 1024 bytes of UTF-8") {
        CHECK(complaint(std::string(11, 'a')) == "password: has 11 bytes; 12 to 1024 are allowed");
        CHECK(complaint(std::string(12, 'a')).empty());
        CHECK(complaint(std::string(1024, 'a')).empty());
        CHECK(complaint(std::string(1025, 'a')) ==
              "password: has 1025 bytes; 12 to 1024 are allowed");
        CHECK(complaint("корова\n☂").empty());
        CHECK(complaint("twelve bytes\xff") == "password: is not UTF-8");
        CHECK(complaint(std::string(12, '\0')) == "password: holds a NUL character");
    }

    TEST_CASE("the default cost can be computed and only the right one matches") {
        FakeRandom random;
        Passwords passwords{random};

        const auto stored = passwords.hash("correct horse battery");

        CHECK(stored.starts_with("$scrypt$ln=15,r=8,p=1$"));
        CHECK(passwords.matches("correct horse battery", stored));
        CHECK_FALSE(passwords.matches("correct horse batterz", stored));
    }

    TEST_CASE("the same password is kept as another text each time") {
        FakeRandom random;
        Passwords passwords{random, cheap};

        CHECK(passwords.hash("correct horse") != passwords.hash("correct horse"));
    }

    TEST_CASE("the work is the same with and without somebody to compare with") {
        FakeRandom random;
        Passwords passwords{random, cheap};
        const std::optional<std::string> stored = passwords.hash("correct horse");
        const auto before = passwords.derivations();

        CHECK(passwords.matches("correct horse", stored));
        CHECK(passwords.derivations() == before + 1);
        CHECK_FALSE(passwords.matches("wrong", stored));
        CHECK(passwords.derivations() == before + 2);
        CHECK_FALSE(passwords.matches("correct horse", std::nullopt));
        CHECK(passwords.derivations() == before + 3);
    }

    TEST_CASE("what was kept at another cost still matches and is known to be outdated") {
        FakeRandom random;
        Passwords old{random, cheap};
        Passwords today{random, {.log_n = 5, .r = 8, .p = 1}};
        const std::string stored = old.hash("correct horse");

        CHECK(today.matches("correct horse", stored));
        CHECK(today.is_outdated(stored));
        CHECK_FALSE(old.is_outdated(stored));
    }

    TEST_CASE("what we have not written is refused and not computed") {
        FakeRandom random;
        Passwords passwords{random, cheap};
        for (const std::string stored : {"",
                                         "secret",
                                         "$2b$12$abc",
                                         "$scrypt$ln=15,r=8,p=1$salt",
                                         "$scrypt$ln=15,r=8,p=1$$hash",
                                         "$scrypt$ln=15,r=8,p=1$salt$",
                                         "$scrypt$ln=0,r=8,p=1$salt$hash",
                                         "$scrypt$ln=21,r=8,p=1$salt$hash",
                                         "$scrypt$ln=15,r=33,p=1$salt$hash",
                                         "$scrypt$ln=15,r=8,p=17$salt$hash",
                                         "$scrypt$ln=99999999999,r=8,p=1$salt$hash"}) {
            CAPTURE(stored);
            CHECK_THROWS_AS((void)passwords.matches("password", stored), radd::SchemaError);
        }
        CHECK(passwords.derivations() == 0);
    }

    TEST_CASE("no more are checked at once than there are turns") {
        FakeRandom random;
        Passwords passwords{random, cheap};
        std::optional<Passwords::Turn> first{std::in_place, passwords};
        const Passwords::Turn second = passwords.take_turn();

        CHECK_THROWS_AS((void)passwords.hash("correct horse"), radd::Unavailable);
        CHECK_THROWS_AS((void)passwords.matches("correct horse", std::nullopt), radd::Unavailable);
        first.reset();

        CHECK(passwords.hash("correct horse").starts_with("$scrypt$"));
        CHECK(passwords.hash("correct horse").starts_with("$scrypt$"));
    }
}

TEST_SUITE("account") {
    TEST_CASE("a name has 1 to 200 bytes and nothing that is not seen") {
        CHECK_FALSE(is_name(""));
        CHECK(is_name("a"));
        CHECK(is_name("ada@example.org"));
        CHECK(is_name("Ада Лавлейс"));
        CHECK(is_name(std::string(200, 'a')));
        CHECK_FALSE(is_name(std::string(201, 'a')));
        CHECK_FALSE(is_name(" ada"));
        CHECK_FALSE(is_name("ada "));
        CHECK_FALSE(is_name("a\nda"));
        CHECK_FALSE(is_name("a\x7f"));
        CHECK_FALSE(is_name("a\u009B2J"));
        CHECK(is_name("a\u00A0b"));
        CHECK_FALSE(is_name("a\xff"));
    }

    TEST_CASE("a role is one of two words") {
        CHECK(role_from("admin") == radd::Role::admin);
        CHECK(role_from("member") == radd::Role::member);
        CHECK_THROWS_WITH_AS(
            (void)role_from("Admin"), "role: 'Admin' is not member or admin", InvalidInput);
    }
}
