#include <host/accounts/account.hpp>
#include <host/config/scalars.hpp>
#include <host/config/utf8.hpp>
#include <radd/error.hpp>
#include <radd/terminal_text.hpp>

namespace radd::accounts {
namespace {

using nlohmann::ordered_json;

ordered_json optional(const std::optional<std::string>& text) {
    return text ? ordered_json(*text) : ordered_json();
}

Role stored_role(const Row& row) {
    return row.text("role") == name_of(Role::admin) ? Role::admin : Role::member;
}

}  // namespace

void require_name(const std::string& field, std::string_view name) {
    if (name.empty() || name.size() > name_bytes_max)
        throw InvalidInput{field,
                           "has " + std::to_string(name.size()) + " bytes; 1 to " +
                               std::to_string(name_bytes_max) + " are allowed"};
    if (config::first_invalid_utf8(name)) throw InvalidInput{field, "is not UTF-8"};
    if (terminal_text(name) != name) throw InvalidInput{field, "holds a control character"};
    if (name.front() == ' ' || name.back() == ' ')
        throw InvalidInput{field, "begins or ends with a blank"};
}

Role role_from(std::string_view name) {
    if (name == name_of(Role::member)) return Role::member;
    if (name == name_of(Role::admin)) return Role::admin;
    throw InvalidInput{"role", config::shown(name) + " is not member or admin"};
}

Account account_from(const Row& row) {
    return {.id = row.text("id"),
            .name = row.text("name"),
            .role = stored_role(row),
            .has_password = row.boolean("has_password"),
            .created_at = row.text("created_at"),
            .last_sign_in_at = row.optional_text("last_sign_in_at"),
            .disabled_at = row.optional_text("disabled_at")};
}

Token token_from(const Row& row) {
    return {.id = row.text("id"),
            .name = row.text("name"),
            .role = stored_role(row),
            .account_id = row.optional_text("account_id"),
            .created_at = row.text("created_at"),
            .last_used_at = row.optional_text("last_used_at"),
            .expires_at = row.optional_text("expires_at"),
            .revoked_at = row.optional_text("revoked_at")};
}

ordered_json to_json(const Account& account) {
    return {{"id", account.id},
            {"name", account.name},
            {"role", name_of(account.role)},
            {"has_password", account.has_password},
            {"created_at", account.created_at},
            {"last_sign_in_at", optional(account.last_sign_in_at)},
            {"disabled_at", optional(account.disabled_at)}};
}

ordered_json to_json(const Token& token) {
    return {{"id", token.id},
            {"name", token.name},
            {"role", name_of(token.role)},
            {"account_id", optional(token.account_id)},
            {"created_at", token.created_at},
            {"last_used_at", optional(token.last_used_at)},
            {"expires_at", optional(token.expires_at)},
            {"revoked_at", optional(token.revoked_at)}};
}

ordered_json to_json(const NewLink& link) {
    return {{"code", link.code}, {"path", link.path()}, {"expires_at", link.expires_at}};
}

}  // namespace radd::accounts
