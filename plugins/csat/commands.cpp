#include "commands.hpp"

#include <charconv>
#include <ostream>
#include <string>
#include <string_view>

#include "surveys.hpp"
#include <radd/terminal_text.hpp>

namespace csat {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;

int switch_project(radd::CommandContext& command, bool enabled) {
    if (command.arguments.size() != 1) return wrong_usage;
    const std::string& key = command.arguments.front();

    command.host.database().transact([&](radd::Transaction& tx) { set_enabled(tx, key, enabled); });
    if (command.json)
        command.out << radd::json{{"project", key}, {"enabled", enabled}}.dump() << '\n';
    command.err << "surveys are " << (enabled ? "on" : "off") << " for " << radd::terminal_text(key)
                << '\n';
    return done;
}

std::int64_t score_of(std::string_view text) {
    std::int64_t score = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
    if (error != std::errc{} || end != text.data() + text.size())
        throw radd::InvalidInput{"score", "'" + std::string{text} + "' is no whole number"};
    return score;
}

int answer_survey(radd::CommandContext& command) {
    const auto& arguments = command.arguments;
    if (arguments.size() < 2 || arguments.size() > 3) return wrong_usage;
    const auto score = score_of(arguments[1]);
    const auto comment = arguments.size() == 3 ? std::optional{arguments[2]} : std::nullopt;

    const auto outcome = command.host.database().transact(
        [&](radd::Transaction& tx) { return answer(tx, arguments[0], score, comment); });
    switch (outcome) {
        case Answer::recorded:
            if (command.json)
                command.out << radd::json{{"score", score},
                                          {"comment",
                                           comment ? radd::json(*comment) : radd::json()}}
                                   .dump()
                            << '\n';
            command.err << "answer recorded\n";
            return done;
        case Answer::already_answered:
            command.err << "survey: was answered before; the first answer stands\n";
            return failed;
        case Answer::unknown_token:
            break;
    }
    command.err << "survey: no survey has this token; take what follows /csat/ in the mail\n";
    return failed;
}

std::string outcome_of(const Survey& survey) {
    if (survey.score) return std::to_string(*survey.score);
    return survey.unsent_since ? "unsent" : "-";
}

void print(std::ostream& out, const std::vector<Survey>& surveys) {
    for (const Survey& survey : surveys)
        out << survey.item_key << '\t' << survey.requested_at << '\t' << outcome_of(survey) << '\t'
            << radd::terminal_text(survey.comment.value_or("")) << '\n';
}

radd::json as_json(const std::vector<Survey>& surveys) {
    auto list = radd::json::array();
    for (const auto& survey : surveys) list.push_back(to_json(survey));
    return list;
}

int list_surveys(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;

    const auto surveys =
        command.host.database().transact([](radd::Transaction& tx) { return list(tx); });
    if (command.json)
        command.out << as_json(surveys).dump() << '\n';
    else
        print(command.out, surveys);
    return done;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "csat enable",
         .usage = "PROJECT",
         .help = "Surveys whoever asked for an item of PROJECT when it is done.",
         .run = [](auto& command) { return switch_project(command, true); }},
        {.words = "csat disable",
         .usage = "PROJECT",
         .help = "Sends no more surveys about PROJECT.\nThose already sent can still be answered.",
         .run = [](auto& command) { return switch_project(command, false); }},
        {.words = "csat answer",
         .usage = "TOKEN SCORE [COMMENT]",
         .help = "Records the answer to a survey, 1 to 5.\nThe first answer stands.",
         .run = answer_survey},
        {.words = "csat list",
         .usage = "",
         .help = "Shows the latest surveys and their answers.\nunsent: the mail did not go out; "
                 "`radd consumers "
                 "retry csat.sender` mails it.",
         .run = list_surveys},
    };
}

}  // namespace csat
