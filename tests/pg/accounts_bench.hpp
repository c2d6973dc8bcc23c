#pragma once

/// A migrated database, and everything that stands at its door.

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <host/accounts/accounts.hpp>
#include <host/accounts/identities.hpp>
#include <host/accounts/secret.hpp>
#include <host/accounts/sign_in.hpp>
#include <host/accounts/tokens.hpp>
#include <host/db/migrate.hpp>
#include <host/system.hpp>
#include <radd/testing/services.hpp>
#include <tests/support/test_database.hpp>

namespace radd::testing {

/// What was logged, by any thread.
class SharedLog final : public Log {
public:
    void write(LogLevel, std::string_view message) noexcept override {
        const std::scoped_lock lock{mutex_};
        text_.append(message).append("\n");
    }
    [[nodiscard]] std::string text() const {
        const std::scoped_lock lock{mutex_};
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

struct AccountsBench {
    static constexpr const char* password = "correct horse";

    AccountsBench() { db::migrate(database.session(), {{"core", db::core_migrations()}}); }

    /// With `password`, as if by its link.
    accounts::Account an_account(const std::string& name, Role role = Role::member) {
        const auto account = people.create(name, role);
        const auto link = people.make_link(account.id);
        (void)door.use_link(link->code, std::nullopt, password, {.address = "192.0.2.1"});
        return *people.find(account.id);
    }

    /// Signs in with `password`, from an address that has not been seen before.
    accounts::SignedIn signed_in(const std::string& name) {
        return *door.sign_in(name, password, {.address = a_new_address()});
    }

    std::string a_new_address() {
        ++addresses;
        return "198.51." + std::to_string(addresses / 256) + "." + std::to_string(addresses % 256);
    }

    std::string value(const std::string& query) { return database.value(query); }

    /// Every bucket, `seconds` later.
    void let_pass_for_buckets(int seconds) {
        database.execute("UPDATE radd.sign_in_limits SET busy_until = busy_until - interval '" +
                         std::to_string(seconds) + " seconds'");
    }
    void forgive_everybody() { database.execute("DELETE FROM radd.sign_in_limits"); }

    TestDatabase database;
    host::SystemRandom random;
    FakeClock clock;
    SharedLog log;
    db::Pool pool{database.options(), 4};
    accounts::Passwords passwords{random, {.log_n = 4, .r = 8, .p = 1}};
    accounts::Accounts people{database.session(), random};
    accounts::Tokens tokens{database.session(), random};
    accounts::SignIn door{pool, passwords, random, log};
    accounts::Identities identities{pool, clock};
    int addresses = 0;
};

/// Somebody who tries to get in.
struct DoorBench : AccountsBench {
    static constexpr const char* wrong = "wrong horse here";

    enum class Outcome { in, refused, limited };

    Outcome attempt(const std::string& name,
                    const std::string& typed,
                    const accounts::Browser& browser) {
        try {
            return door.sign_in(name, typed, browser) ? Outcome::in : Outcome::refused;
        } catch (const accounts::TooManyAttempts& limit) {
            retry_after = limit.retry_after();
            return Outcome::limited;
        }
    }

    std::chrono::seconds retry_after{};
};

}  // namespace radd::testing
