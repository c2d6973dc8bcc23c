#include "commands.hpp"

#include <ostream>
#include <string>

#include "notices.hpp"
#include "sql.hpp"
#include <radd/terminal_text.hpp>

namespace notify {
namespace {

constexpr int done = 0;
constexpr int wrong_usage = 2;
constexpr std::int64_t mails_shown_max = 1000;

radd::json mail_json(const radd::Row& row) {
    const auto nullable = [&](const char* column) {
        const auto& text = row.optional_text(column);
        return text ? radd::json(*text) : radd::json();
    };
    return {{"notice", row.integer("id")},
            {"kind", row.text("kind")},
            {"person", row.text("person")},
            {"item", row.text("item_key")},
            {"created_at", row.text("created_at")},
            {"emailed_at", nullable("emailed_at")},
            {"outcome", nullable("mail_outcome")},
            {"detail", nullable("mail_detail")}};
}

void print(std::ostream& out, const radd::json& mails) {
    for (const auto& mail : mails) {
        const auto text = [&](const char* name) {
            return mail.at(name).is_null() ? std::string{"-"}
                                           : radd::terminal_text(mail.at(name).get<std::string>());
        };
        out << mail.at("notice") << '\t' << text("created_at") << '\t' << text("person") << '\t'
            << text("item") << '\t' << text("kind") << '\t' << text("detail") << '\n';
    }
}

int list(radd::CommandContext& command) {
    const auto& arguments = command.arguments;
    const bool given_up = arguments.size() == 1 && arguments[0] == "--given-up";
    if (!arguments.empty() && !given_up) return wrong_usage;

    const auto mails = command.host.database().transact([&](radd::Transaction& tx) {
        auto list = radd::json::array();
        const auto rows = given_up ? tx.query(sql::list_given_up_mails, mails_shown_max)
                                   : tx.query(sql::list_waiting_mails, mails_shown_max, queue_name);
        for (const auto row : rows) list.push_back(mail_json(row));
        return list;
    });
    if (command.json)
        command.out << mails.dump() << '\n';
    else
        print(command.out, mails);
    return done;
}

int replay(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;

    auto& queue = command.host.deliveries(queue_name);
    std::int64_t replayed = 0;
    for (std::int64_t last = radd::deliveries_replayed_max;
         last == radd::deliveries_replayed_max;) {
        last = command.host.database().transact(
            [&](radd::Transaction& tx) { return queue.replay_dead(tx, {}); });
        replayed += last;
    }
    if (command.json)
        command.out << radd::json{{"replayed", replayed}}.dump() << '\n';
    else
        command.err << replayed << " mails wait to be sent again\n";
    return done;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "notify mails",
         .usage = "[--given-up]",
         .help = "Shows the latest mails that wait to be sent, or those that were given up.\n"
                 "A mail is given up when the relay refuses it for good, or after the attempts "
                 "of 1, 5 and 30 minutes; the reason is the last column.",
         .run = list},
        {.words = "notify replay",
         .usage = "",
         .help = "Sends the mails again that were given up, each once.\n"
                 "After the relay was away or had refused them by mistake. What has gone out is "
                 "not sent again.",
         .run = replay},
    };
}

}  // namespace notify
