#pragma once

/// What accounts, tokens and links look like from outside: every field but the secrets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <radd/http.hpp>
#include <radd/sql.hpp>

namespace radd::accounts {

/// Longest name of an account or a token.
inline constexpr std::size_t name_bytes_max = 200;

/// @throws InvalidInput naming `field` unless `name` has 1 … name_bytes_max bytes of UTF-8 without
///         control characters and without a blank at either end.
void require_name(const std::string& field, std::string_view name);

/// @throws InvalidInput with field "role" unless it is "member" or "admin".
[[nodiscard]] Role role_from(std::string_view name);

/// Times are as PostgreSQL prints them in UTC: 2026-11-30T12:00:00.000000Z.
struct Account {
    std::string id;
    std::string name;
    Role role;
    bool has_password;  ///< Without one it can only be entered by a one-time link.
    std::string created_at;
    std::optional<std::string> last_sign_in_at;
    std::optional<std::string> disabled_at;
};

struct Token {
    std::string id;
    std::string name;
    Role role;
    std::optional<std::string> account_id;
    std::string created_at;
    std::optional<std::string> last_used_at;
    std::optional<std::string> expires_at;
    std::optional<std::string> revoked_at;
};

enum class LinkPurpose : std::uint8_t { first_admin, set_password };

[[nodiscard]] constexpr std::string_view name_of(LinkPurpose purpose) noexcept {
    return purpose == LinkPurpose::first_admin ? "first_admin" : "set_password";
}

/// A one-time link that was just made: the code exists nowhere else.
struct NewLink {
    std::string code;
    std::string expires_at;

    /// To be put behind the address of this installation.
    [[nodiscard]] std::string path() const { return "/link/" + code; }
};

/// Rows of the columns in sql.hpp.
[[nodiscard]] Account account_from(const Row& row);
[[nodiscard]] Token token_from(const Row& row);

/// As the API and `--json` show them.
[[nodiscard]] nlohmann::ordered_json to_json(const Account& account);
[[nodiscard]] nlohmann::ordered_json to_json(const Token& token);
/// With the code, for the one who is to pass it on.
[[nodiscard]] nlohmann::ordered_json to_json(const NewLink& link);

}  // namespace radd::accounts
