// The words of `radd account …` and `radd token …`.

#include <memory>
#include <string>
#include <utility>

#include <host/cli/accounts.hpp>
#include <host/cli/grammar.hpp>

namespace radd::cli {
namespace {

constexpr const char* roles = "member|admin";

}  // namespace

void Grammar::add_account_commands() {
    CLI::App& accounts = group("account", "See and change who may sign in");
    add(accounts, "list", "List accounts by name", account_list);

    auto name = std::make_shared<std::string>();
    auto role = std::make_shared<std::string>("member");
    CLI::App& create =
        add(accounts,
            "create",
            "Make an account, and print the link that opens it",
            [=](Invocation& invocation) { return account_create(invocation, *name, *role); });
    create.add_option("--name", *name, "What its owner types at sign-in")
        ->type_name("NAME")
        ->required();
    create.add_option("--role", *role, "What it may do")
        ->type_name(roles)
        ->check(CLI::IsMember({"member", "admin"}));

    auto account = std::make_shared<std::string>();
    const auto named = [&](const char* verb, const char* help, Command run) -> CLI::App& {
        CLI::App& command = add(accounts, verb, help, std::move(run));
        command.add_option("ACCOUNT", *account, "Its name or its id")
            ->type_name("ACCOUNT")
            ->required();
        return command;
    };
    named("link", "Print a one-time link that sets its password", [=](Invocation& invocation) {
        return account_link(invocation, *account);
    });
    auto new_role = std::make_shared<std::string>();
    named("role",
          "Give it another role; signs it out",
          [=](Invocation& invocation) { return account_role(invocation, *account, *new_role); })
        .add_option("ROLE", *new_role, "What it may do from now on")
        ->type_name(roles)
        ->check(CLI::IsMember({"member", "admin"}))
        ->required();
    named("disable", "Sign it out for good", [=](Invocation& invocation) {
        return account_disable(invocation, *account);
    });
    named("enable", "Let a disabled account sign in again", [=](Invocation& invocation) {
        return account_enable(invocation, *account);
    });
}

void Grammar::add_token_commands() {
    CLI::App& tokens = group("token", "See, make and revoke bearer tokens of programs");
    add(tokens, "list", "List tokens, the newest first", token_list);

    auto options = std::make_shared<TokenOptions>();
    CLI::App& create =
        add(tokens, "create", "Make a token, and print it once", [=](Invocation& invocation) {
            return token_create(invocation, *options);
        });
    create.add_option("--name", options->name, "What it is for")->type_name("NAME")->required();
    create.add_option("--role", options->role, "What it may do")
        ->type_name(roles)
        ->check(CLI::IsMember({"member", "admin"}));
    create.add_option("--account", options->account, "Whom it acts for; without it for itself")
        ->type_name("ACCOUNT");
    create.add_option("--expires", options->expires, "E.g. 90d or 12h; without it when revoked")
        ->type_name("DURATION");

    auto id = std::make_shared<std::string>();
    add(tokens,
        "revoke",
        "End a token",
        [=](Invocation& invocation) { return token_revoke(invocation, *id); })
        .add_option("ID", *id, "As `radd token list` shows it")
        ->type_name("ID")
        ->required();
}

}  // namespace radd::cli
