// The pages of the manual for `radd account …` and `radd token …`.

#include <host/cli/manual.hpp>

namespace radd::cli {

const std::vector<ManualPage>& account_pages() {
    static const std::vector<ManualPage> pages{
        {"account",
         "Accounts are people who sign in to the pages. A member sees the stream; an admin also "
         "sees and changes how the host runs, and who may do what. No account is ever deleted, "
         "because events name it as their actor.\n\n"
         "Nobody is asked who they are on the command line: whoever can run radd here can reach "
         "the database.",
         {{"radd account list", "Who may sign in."}}},
        {"account list",
         "One line for each. STATE: enabled - can sign in. invited - was made and has no password "
         "yet. disabled - cannot sign in.",
         {{"radd account list --json", "Every field, as the API shows it."}}},
        {"account create",
         "Prints a one-time link on standard output. Its owner opens it within 24 hours, sets a "
         "password and is signed in. The link is shown once; `radd account link` makes another.",
         {{"radd account create --role admin --name ada", "The first administrator."}}},
        {"account link",
         "Prints a new one-time link, by which the password is set anew; the link before ends. The "
         "way back for who has forgotten a password, or is kept out by somebody who guesses at it: "
         "a link is not counted by the limit on attempts to sign in.",
         {{"radd account link ada", "For ada, within 24 hours, once."}}},
        {"account role",
         "Ends every session and token of the account at once; running hosts notice within two "
         "seconds. The last one who can sign in as administrator keeps the role.",
         {{"radd account role ada member", "Takes the rights of an administrator away."}}},
        {"account disable",
         "Ends every session, token and link of the account at once; running hosts notice within "
         "two seconds. The last one who can sign in as administrator cannot be disabled.",
         {{"radd account disable ada", "Until it is enabled again."}}},
        {"account enable",
         "The account can sign in again with its password. Tokens that were ended stay ended.",
         {{"radd account enable ada", "Undoes disable."}}},
        {"token",
         "A token is what a program sends instead of a password: `Authorization: Bearer radd_…`. "
         "Only its hash is kept. With an account it acts for that account and ends with its "
         "rights; without one it acts for itself.",
         {{"radd token list", "Which there are."}}},
        {"token list",
         "Newest first. USED is written at most once a minute; EXPIRES says revoked for one that "
         "was.",
         {{"radd token list", "A line for each."}}},
        {"token create",
         "Prints the token on standard output, once: it cannot be shown again.",
         {{"radd token create --role admin --name ci --expires 90d", "For ninety days."},
          {"radd token create --name reports --account ada", "Acts for ada."}}},
        {"token revoke",
         "Running hosts refuse it within two seconds. It stays in the list, for the record.",
         {{"radd token revoke 6f1c2d9e-0c1b-4f6e-9d57-3f0a8f1f2b11", "Ends this one."}}},
    };
    return pages;
}

}  // namespace radd::cli
