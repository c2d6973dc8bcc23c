#pragma once

/// radd account … and radd token …: who may use this installation.

#include <optional>
#include <string>

#include <host/cli/commands.hpp>
#include <host/installation.hpp>

namespace radd::cli {

struct TokenOptions {
    std::string name;
    std::string role = "member";
    std::optional<std::string> account;  ///< Name or id of whom it acts for.
    std::optional<std::string> expires;  ///< "90d", "12h"
};
/// Prints the token, which is shown nowhere else, on `out`.
int token_create(Invocation& invocation, const TokenOptions& options);
int token_list(Invocation& invocation);
int token_revoke(Invocation& invocation, const std::string& id);

/// Prints a one-time link, by which its owner sets the password, on `out`.
int account_create(Invocation& invocation, const std::string& name, const std::string& role);
int account_list(Invocation& invocation);
/// `account`: name or id, here and below.
int account_disable(Invocation& invocation, const std::string& account);
int account_enable(Invocation& invocation, const std::string& account);
int account_role(Invocation& invocation, const std::string& account, const std::string& role);
/// Prints a new one-time link on `out`; the one before ends.
int account_link(Invocation& invocation, const std::string& account);

/// What `radd serve` says when nobody can sign in as administrator yet. The link itself only where
/// a person reads `err` and no machine does: what a service prints ends up in a journal. There it
/// says which command makes one.
void announce_first_admin(Invocation& invocation, host::Installation& installation);

}  // namespace radd::cli
