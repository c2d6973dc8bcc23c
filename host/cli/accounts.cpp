// radd account … and radd token ….

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/accounts/accounts.hpp>
#include <host/accounts/tokens.hpp>
#include <host/cli/accounts.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/table.hpp>
#include <host/config/scalars.hpp>

namespace radd::cli {
namespace {

using accounts::Account;
using accounts::Accounts;
using accounts::Token;
using accounts::Tokens;
using nlohmann::ordered_json;

/// The database and the rights of whoever may run commands here, which are all.
struct Desk : Opened {
    Desk(Invocation& called, const std::string& purpose)
        : Opened{called, purpose},
          invocation{called},
          accounts{session(), installation().random()},
          tokens{session(), installation().random()} {}

    /// @throws InvalidInput if there is none.
    Account require(const std::string& id_or_name) {
        if (auto found = accounts.find(id_or_name)) return *std::move(found);
        throw InvalidInput{"account",
                           "no account is called " + config::shown(id_or_name) +
                               "; `radd account list` shows all"};
    }

    void audit(const std::string& what) {
        installation().log().info(what + " by the command line");
    }

    /// The link goes to `out` and nowhere else.
    int print(const Account& account, const accounts::NewLink& link) {
        const auto& settings = installation().settings();
        // Port 0: only a host that runs knows where it is reached.
        const bool is_known = settings.public_url || settings.http_listen.port != 0;
        const std::string url = (is_known ? installation().public_url() : "") + link.path();
        if (invocation.json) {
            ordered_json object{{"account", to_json(account)}, {"link", to_json(link)}};
            object["link"]["url"] = url;
            invocation.out << object.dump(2) << '\n';
            return exit_ok;
        }
        invocation.out << url << '\n';
        fmt::print(invocation.err,
                   "Give this link to '{}', who sets a password with it: once, until {}.\n",
                   account.name,
                   link.expires_at);
        if (!is_known) invocation.err << "Put it behind the address that `radd serve` prints.\n";
        return exit_ok;
    }

    Invocation& invocation;
    Accounts accounts;
    Tokens tokens;
};

/// Names are cut before ids are: 36 of 80 columns are an id's.
constexpr std::size_t name_width_min = 8;

/// "2026-11-30"
std::string day(const std::optional<std::string>& time) {
    constexpr std::size_t day_length = 10;
    return time ? time->substr(0, day_length) : "never";
}

/// What changing an account has cost it.
std::string told(const accounts::ChangedAccount& changed) {
    if (changed.sessions_ended == 0 && changed.tokens_ended == 0) return {};
    return fmt::format(
        "; {} sessions and {} tokens ended", changed.sessions_ended, changed.tokens_ended);
}

int change_account(Invocation& invocation,
                   const std::string& id_or_name,
                   const accounts::AccountChange& change,
                   const std::string& what) {
    Desk desk{invocation, "account"};
    const auto changed = desk.accounts.change(desk.require(id_or_name).id, change);
    if (!changed) throw InvalidInput{"account", "was not found"};
    desk.audit(
        fmt::format("account '{}' ({}): {}", changed->account.name, changed->account.id, what));
    if (invocation.json) {
        auto object = to_json(changed->account);
        object["sessions_ended"] = changed->sessions_ended;
        object["tokens_ended"] = changed->tokens_ended;
        invocation.out << object.dump(2) << '\n';
    } else {
        fmt::print(invocation.err, "{}: {}{}\n", changed->account.name, what, told(*changed));
    }
    return exit_ok;
}

/// Every page of a list. `next`: called with where to go on.
template <typename T, typename Next>
std::vector<T> all_of(Next&& next) {
    std::vector<T> all;
    std::optional<std::string> after;
    do {
        accounts::Page<T> page = next(after);
        all.insert(all.end(), page.rows.begin(), page.rows.end());
        after = page.next_after;
    } while (after);
    return all;
}

template <typename T>
int print_json(Invocation& invocation, const std::vector<T>& all) {
    ordered_json list = ordered_json::array();
    for (const T& one : all) list.push_back(to_json(one));
    invocation.out << list.dump(2) << '\n';
    return exit_ok;
}

}  // namespace

int token_create(Invocation& invocation, const TokenOptions& options) {
    accounts::NewToken wanted{.name = options.name, .role = accounts::role_from(options.role)};
    if (options.expires) wanted.lifetime = accounts::lifetime_from(*options.expires);
    Desk desk{invocation, "token create"};
    if (options.account) wanted.account_id = desk.require(*options.account).id;
    const auto made = desk.tokens.create(wanted);
    desk.audit(fmt::format(
        "token '{}' ({}): created with role {}", made.token.name, made.token.id, options.role));
    if (invocation.json) {
        auto object = to_json(made.token);
        object["token"] = made.secret;
        invocation.out << object.dump(2) << '\n';
        return exit_ok;
    }
    invocation.out << made.secret << '\n';
    invocation.err << "This token is shown once. Send it as `Authorization: Bearer …`.\n";
    return exit_ok;
}

int token_list(Invocation& invocation) {
    Desk desk{invocation, "token list"};
    const auto all = all_of<Token>([&](const auto& after) { return desk.tokens.list(after); });
    if (invocation.json) return print_json(invocation, all);
    if (all.empty()) {
        invocation.err << "there are no tokens; `radd token create` makes one\n";
        return exit_ok;
    }
    Table table{{{"ID"}, {"NAME", Align::left, name_width_min}, {"ROLE"}, {"USED"}, {"EXPIRES"}}};
    for (const Token& token : all) {
        table.add({token.id,
                   token.name,
                   std::string{name_of(token.role)},
                   day(token.last_used_at),
                   token.revoked_at ? "revoked" : day(token.expires_at)});
    }
    table.print(invocation.out, invocation.terminal);
    return exit_ok;
}

int token_revoke(Invocation& invocation, const std::string& id) {
    Desk desk{invocation, "token revoke"};
    const auto token = desk.tokens.revoke(id);
    if (!token)
        throw InvalidInput{
            "token", "no token has the id " + config::shown(id) + "; `radd token list` shows all"};
    desk.audit(fmt::format("token '{}' ({}): revoked", token->name, token->id));
    if (invocation.json) {
        invocation.out << to_json(*token).dump(2) << '\n';
    } else {
        fmt::print(
            invocation.err, "{}: revoked; running hosts refuse it within 2 s\n", token->name);
    }
    return exit_ok;
}

int account_create(Invocation& invocation, const std::string& name, const std::string& role) {
    const Role wanted = accounts::role_from(role);
    Desk desk{invocation, "account create"};
    const auto [account, link] = desk.accounts.invite(name, wanted);
    desk.audit(fmt::format("account '{}' ({}): created with role {}", name, account.id, role));
    return desk.print(account, link);
}

int account_list(Invocation& invocation) {
    Desk desk{invocation, "account list"};
    const auto all = all_of<Account>([&](const auto& after) { return desk.accounts.list(after); });
    if (invocation.json) return print_json(invocation, all);
    if (all.empty()) {
        invocation.err << "there are no accounts; `radd account create --role admin --name …` "
                          "makes the first\n";
        return exit_ok;
    }
    Table table{
        {{"ID"}, {"NAME", Align::left, name_width_min}, {"ROLE"}, {"SIGNED IN"}, {"STATE"}}};
    for (const Account& account : all) {
        table.add({account.id,
                   account.name,
                   std::string{name_of(account.role)},
                   day(account.last_sign_in_at),
                   account.disabled_at    ? "disabled"
                   : account.has_password ? "enabled"
                                          : "invited"});
    }
    table.print(invocation.out, invocation.terminal);
    return exit_ok;
}

int account_disable(Invocation& invocation, const std::string& account) {
    return change_account(invocation, account, {.disabled = true}, "disabled");
}

int account_enable(Invocation& invocation, const std::string& account) {
    return change_account(invocation, account, {.disabled = false}, "enabled");
}

int account_role(Invocation& invocation, const std::string& account, const std::string& role) {
    return change_account(
        invocation, account, {.role = accounts::role_from(role)}, "given role " + role);
}

int account_link(Invocation& invocation, const std::string& account) {
    Desk desk{invocation, "account link"};
    const auto found = desk.require(account);
    const auto link = desk.accounts.make_link(found.id);
    if (!link) throw InvalidInput{"account", "was not found"};
    desk.audit(fmt::format("account '{}' ({}): one-time link made", found.name, found.id));
    return desk.print(found, *link);
}

void announce_first_admin(Invocation& invocation, host::Installation& installation) {
    try {
        auto lease = installation.connect("serve").lease("first administrator");
        Accounts accounts{*lease, installation.random()};
        if (accounts.has_admin()) return;
        const bool for_people = installation.settings().log_format == config::LogFormat::human;
        if (!invocation.interactive || !for_people) {
            installation.log().info(
                "nobody can sign in as administrator yet; `radd account create --role admin "
                "--name …` prints a one-time link");
            return;
        }
        const auto link = accounts.make_first_admin_link();
        fmt::print(invocation.err,
                   "\nNobody can sign in as administrator yet. Open this link to become the "
                   "first; it works\nonce, until {} or the next start:\n\n  {}{}\n\n",
                   link.expires_at,
                   installation.public_url(),
                   link.path());
    } catch (const Error& failure) {
        // The host runs, and what is wrong with its database is told by those who need it.
        installation.log().warn(std::string{"first administrator: "} + failure.what());
    }
}

}  // namespace radd::cli
