#pragma once

/// The people who may sign in, as an administrator manages them.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/accounts/account.hpp>
#include <host/db/session.hpp>
#include <radd/clock.hpp>

namespace radd::accounts {

/// How long a one-time link can be used.
inline constexpr std::chrono::hours link_lifetime{24};

/// Most accounts or tokens in one answer.
inline constexpr std::int64_t list_rows_max = 1000;

/// A page of a list; `next_after` continues it.
template <typename T>
struct Page {
    std::vector<T> rows;
    std::optional<std::string> next_after;  ///< An id; empty at the end.
};

struct AccountChange {
    std::optional<Role> role{};
    std::optional<bool> disabled{};
};

/// What a change has meant. Rights are lost at once: see Identities for what "at once" means.
struct ChangedAccount {
    Account account;
    std::int64_t sessions_ended = 0;
    std::int64_t tokens_ended = 0;
};

struct Invited {
    Account account;
    NewLink link;
};

/// Each call is a transaction of its own, and works from any process: of what it changes nothing
/// is kept in memory but by Identities. Made for the length of a call or a command.
/// @throws Unavailable, SqlError as Session::query().
class Accounts {
public:
    Accounts(db::Session& session, Random& random) : session_{session}, random_{random} {}

    /// By name. `after`: the id of the last one seen.
    [[nodiscard]] Page<Account> list(const std::optional<std::string>& after,
                                     std::int64_t rows_max = list_rows_max);
    /// By id, or by name in any case.
    [[nodiscard]] std::optional<Account> find(std::string_view id_or_name);

    /// Without a password: the one who is meant sets it by a link.
    /// @throws InvalidInput with field "name" if it is taken, or as require_name().
    [[nodiscard]] Account create(const std::string& name, Role role);

    /// The same, together with the link by which its owner sets the password: both or neither.
    [[nodiscard]] Invited invite(const std::string& name, Role role);

    /// Another role, or being disabled, ends all sessions and revokes all tokens of the account;
    /// being disabled ends its links too. Enabling gives none of them back. Empty: no such id.
    /// @throws InvalidInput with field "role" or "disabled" if nobody were left who can sign in as
    ///         administrator.
    std::optional<ChangedAccount> change(const std::string& id, const AccountChange& change);

    /// A link by which the account's password is set; the one before ends. Empty: no such id.
    /// @throws InvalidInput with field "disabled" if the account is.
    [[nodiscard]] std::optional<NewLink> make_link(const std::string& id);

    /// Whether anybody can sign in as administrator.
    [[nodiscard]] bool has_admin();
    /// A link by which the first administrator is made; the one before ends. It is worth nothing
    /// as soon as there is one.
    [[nodiscard]] NewLink make_first_admin_link();

private:
    [[nodiscard]] std::optional<Account> find_by_id(const std::string& id);
    [[nodiscard]] NewLink insert_link(LinkPurpose purpose,
                                      const std::optional<std::string>& account_id);
    void keep_an_admin(const Account& account, const std::string& field);

    db::Session& session_;
    Random& random_;
};

/// Whether PostgreSQL reads it as a uuid, in the one form that is printed.
[[nodiscard]] bool is_uuid(std::string_view text) noexcept;

}  // namespace radd::accounts
