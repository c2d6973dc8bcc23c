#include <utility>

#include <host/accounts/accounts.hpp>
#include <host/accounts/secret.hpp>
#include <host/accounts/sign_in.hpp>
#include <host/accounts/sign_in_sql.hpp>
#include <host/accounts/sql.hpp>
#include <host/db/scope.hpp>
#include <radd/error.hpp>

namespace radd::accounts {
namespace {

constexpr std::int64_t seconds(std::chrono::seconds time) {
    return time.count();
}

/// The hash of the browser's device cookie, if it has signed in under this name.
std::optional<std::string> known_device(db::Session& session,
                                        const Browser& browser,
                                        const std::string& name) {
    if (browser.device_cookie.empty()) return std::nullopt;
    const std::string hash = hash_of(browser.device_cookie);
    if (!session.query(sql::is_known_device, hash, name)[0].boolean("known")) return std::nullopt;
    return hash;
}

OpenLink link_from(const Row& row) {
    const bool first = row.text("purpose") == name_of(LinkPurpose::first_admin);
    return {.purpose = first ? LinkPurpose::first_admin : LinkPurpose::set_password,
            .account_name = row.optional_text("name"),
            .expires_at = row.text("expires_at")};
}

/// Whether `name` is what the link is for.
void require_name_for(const OpenLink& link, const std::optional<std::string>& name) {
    if (link.purpose == LinkPurpose::first_admin) {
        if (!name) throw InvalidInput{"name", "is missing: this link makes an account"};
        require_name("name", *name);
    } else if (name && *name != link.account_name) {
        throw InvalidInput{"name",
                           "is '" + link.account_name.value_or("") +
                               "' and is not changed by this link; leave it out"};
    }
}

}  // namespace

std::optional<SignedIn> SignIn::sign_in(const std::string& name,
                                        const std::string& password,
                                        const Browser& browser) {
    require_name("name", name);
    std::optional<CountedAttempt> attempt;
    std::string id;
    std::optional<std::string> stored;
    bool enabled = false;
    {
        // Given back before the password is checked, which takes longer than all statements.
        auto lease = pool_.lease("sign-in", lease_wait);
        attempt.emplace(*lease, name, browser.address, known_device(*lease, browser, name));
        const Rows rows = lease->query(sql::account_to_sign_in, name);
        if (!rows.empty()) {
            id = rows[0].text("id");
            stored = rows[0].optional_text("password");
            enabled = rows[0].boolean("enabled");
        }
    }
    const bool right = passwords_.matches(password, stored);
    if (!right || !enabled) {
        log_.warn("sign-in: refused for " +
                  (id.empty() ? std::string{"a name nobody has"} : "'" + name + "'"));
        return std::nullopt;
    }
    std::optional<std::string> renewed;
    if (passwords_.is_outdated(*stored)) renewed = passwords_.hash(password);

    auto lease = pool_.lease("sign-in", lease_wait);
    db::Scope scope{*lease};
    const Rows rows = lease->query(sql::admit_account, id, stored, renewed);
    if (rows.empty()) return std::nullopt;
    auto signed_in = admit(*lease, account_from(rows[0]), browser);
    attempt->take_back(*lease);
    scope.commit();
    log_.info("sign-in: '" + signed_in.account.name + "' signed in");
    return signed_in;
}

std::optional<OpenLink> SignIn::find_link(std::string_view code) {
    auto lease = pool_.lease("link", lease_wait);
    const Rows rows = lease->query(sql::find_link, hash_of(code));
    if (rows.empty()) return std::nullopt;
    return link_from(rows[0]);
}

std::optional<SignedIn> SignIn::use_link(std::string_view code,
                                         const std::optional<std::string>& name,
                                         const std::string& password,
                                         const Browser& browser) {
    // Before any work is done for whoever has no link.
    const auto seen = find_link(code);
    if (!seen) return std::nullopt;
    require_name_for(*seen, name);
    Passwords::require_acceptable(password);
    const std::string hashed = passwords_.hash(password);

    auto lease = pool_.lease("link", lease_wait);
    db::Scope scope{*lease};
    lease->query(sql::lock_administration);
    const std::string hash = hash_of(code);
    const Rows found = lease->query(sql::find_link, hash);
    if (found.empty() || lease->query(sql::use_link, hash).empty()) return std::nullopt;
    const OpenLink link = link_from(found[0]);
    std::string id;
    if (link.purpose == LinkPurpose::first_admin) {
        id = Accounts{*lease, random_}.create(*name, Role::admin).id;
    } else {
        id = found[0].text("account_id");
        lease->query(sql::end_sessions, id);
        lease->query(sql::delete_devices, id);
    }
    lease->query(sql::set_password, id, hashed);
    const Rows rows = lease->query(sql::admit_account, id, hashed, nullptr);
    if (rows.empty()) return std::nullopt;
    auto signed_in = admit(*lease, account_from(rows[0]), browser);
    scope.commit();
    log_.info("sign-in: '" + signed_in.account.name + "' set a password by a one-time link" +
              (link.purpose == LinkPurpose::first_admin ? " and is the first administrator" : ""));
    return signed_in;
}

SignedIn SignIn::admit(db::Session& session, Account account, const Browser& browser) {
    const Secret cookie = new_secret(random_);
    session.query(sql::insert_session, cookie.hash, account.id, seconds(session_idle_max));
    session.query(sql::trim_sessions, account.id, sessions_per_account_max);
    session.query(sql::delete_expired_sessions, expired_rows_max);

    // One that is not known may have been planted by somebody who wants to share the bucket.
    const bool known = known_device(session, browser, account.name).has_value();
    std::string device = known ? browser.device_cookie : new_secret(random_).text;
    session.query(sql::keep_device, hash_of(device), account.id, seconds(device_lifetime));
    session.query(sql::trim_devices, account.id, devices_per_account_max);
    session.query(sql::delete_expired_devices, expired_rows_max);
    return {.account = std::move(account),
            .session_cookie = cookie.text,
            .csrf_token = csrf_token_of(cookie.text),
            .device_cookie = std::move(device)};
}

void SignIn::sign_out(std::string_view session_cookie) {
    auto lease = pool_.lease("sign-out", lease_wait);
    const Rows rows = lease->query(sql::delete_session, hash_of(session_cookie));
    if (!rows.empty()) log_.info("sign-in: '" + rows[0].text("name") + "' signed out");
}

}  // namespace radd::accounts
