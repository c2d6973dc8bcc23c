#include <algorithm>

#include <host/accounts/accounts.hpp>
#include <host/accounts/secret.hpp>
#include <host/accounts/sql.hpp>
#include <host/db/scope.hpp>
#include <radd/error.hpp>

namespace radd::accounts {
namespace {

constexpr std::string_view unique_violation = "23505";
constexpr std::int64_t link_seconds = std::chrono::seconds{link_lifetime}.count();

}  // namespace

bool is_uuid(std::string_view text) noexcept {
    constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const auto fits = [](char c, char place) {
        if (place == '-') return c == '-';
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return std::ranges::equal(text, form, fits);
}

Page<Account> Accounts::list(const std::optional<std::string>& after, std::int64_t rows_max) {
    if (after && !is_uuid(*after)) throw InvalidInput{"after", "is not the id of an account"};
    Page<Account> page;
    const Rows rows = session_.query(sql::list_accounts, after, rows_max + 1);
    for (const auto row : rows) {
        if (std::ssize(page.rows) == rows_max) {
            page.next_after = page.rows.back().id;
            break;
        }
        page.rows.push_back(account_from(row));
    }
    return page;
}

std::optional<Account> Accounts::find_by_id(const std::string& id) {
    if (!is_uuid(id)) return std::nullopt;
    const Rows rows = session_.query(sql::lock_account, id);
    if (rows.empty()) return std::nullopt;
    return account_from(rows[0]);
}

std::optional<Account> Accounts::find(std::string_view id_or_name) {
    const Rows rows = is_uuid(id_or_name) ? session_.query(sql::account_by_id, id_or_name)
                                          : session_.query(sql::account_by_name, id_or_name);
    if (rows.empty()) return std::nullopt;
    return account_from(rows[0]);
}

Account Accounts::create(const std::string& name, Role role) {
    require_name("name", name);
    if (is_uuid(name)) throw InvalidInput{"name", "looks like an id; choose another"};
    try {
        return account_from(session_.query(sql::insert_account, name, name_of(role), nullptr)[0]);
    } catch (const SqlError& failure) {
        if (failure.sqlstate() != unique_violation) throw;
        throw InvalidInput{"name", "'" + name + "' is taken"};
    }
}

void Accounts::keep_an_admin(const Account& account, const std::string& field) {
    if (account.role != Role::admin || account.disabled_at || !account.has_password) return;
    if (session_.query(sql::other_admins, account.id)[0].boolean("found")) return;
    throw InvalidInput{field,
                       "'" + account.name +
                           "' is the last who can sign in as administrator; let another one set a "
                           "password first: `radd account create --role admin --name …`"};
}

std::optional<ChangedAccount> Accounts::change(const std::string& id, const AccountChange& change) {
    db::Scope scope{session_};
    session_.query(sql::lock_administration);
    auto account = find_by_id(id);
    if (!account) return std::nullopt;
    const bool changes_role = change.role && *change.role != account->role;
    const bool disables = change.disabled && *change.disabled && !account->disabled_at;
    if (changes_role) keep_an_admin(*account, "role");
    if (disables) keep_an_admin(*account, "disabled");

    ChangedAccount changed{.account = *account};
    changed.account = account_from(session_.query(
        sql::change_account, id, name_of(change.role.value_or(account->role)), change.disabled)[0]);
    if (changes_role || disables) {
        changed.sessions_ended = session_.query(sql::end_sessions, id).affected();
        changed.tokens_ended = session_.query(sql::revoke_tokens_of, id).affected();
    }
    if (disables) {
        session_.query(sql::delete_links, id);
        session_.query(sql::delete_devices, id);
    }
    scope.commit();
    return changed;
}

Invited Accounts::invite(const std::string& name, Role role) {
    db::Scope scope{session_};
    auto account = create(name, role);
    auto link = insert_link(LinkPurpose::set_password, account.id);
    scope.commit();
    return {.account = std::move(account), .link = std::move(link)};
}

std::optional<NewLink> Accounts::make_link(const std::string& id) {
    db::Scope scope{session_};
    session_.query(sql::lock_administration);
    const auto account = find_by_id(id);
    if (!account) return std::nullopt;
    if (account->disabled_at)
        throw InvalidInput{"disabled", "'" + account->name + "' is disabled; enable it first"};
    session_.query(sql::delete_links, id);
    auto link = insert_link(LinkPurpose::set_password, id);
    scope.commit();
    return link;
}

NewLink Accounts::insert_link(LinkPurpose purpose, const std::optional<std::string>& account_id) {
    const Secret code = new_secret(random_);
    const Rows rows =
        session_.query(sql::insert_link, code.hash, name_of(purpose), account_id, link_seconds);
    return {.code = code.text, .expires_at = rows[0].text("expires_at")};
}

bool Accounts::has_admin() {
    return session_.query(sql::other_admins, nullptr)[0].boolean("found");
}

NewLink Accounts::make_first_admin_link() {
    db::Scope scope{session_};
    session_.query(sql::lock_administration);
    session_.query(sql::delete_first_admin_links);
    auto link = insert_link(LinkPurpose::first_admin, std::nullopt);
    scope.commit();
    return link;
}

}  // namespace radd::accounts
