// radd why: one id, and all that is known of it.

#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/why.hpp>
#include <host/config/suggest.hpp>
#include <host/outbox/event_queries.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

// Somebody waits for an answer of which the database is a part.
constexpr std::chrono::milliseconds patience{1000};

std::vector<consumers::ConsumerStatus> statuses(host::Installation& installation) {
    auto options = running_database(installation, "why");
    if (!options) throw Unavailable{"the private PostgreSQL does not run: no host is at work"};
    options->connect_timeout = options->statement_timeout = patience;
    db::Session session{*options};
    return consumers::consumer_overview(session, {.head = outbox::stream_position(session).head});
}

/// A consumer that no loaded plugin declares may still have its row.
void add_states(std::vector<Answer>& answers,
                host::Installation& installation,
                const std::string& id) {
    const auto is_run = [](const Answer& one) {
        return one.kind == "consumer" || one.kind == "task";
    };
    const auto declared = std::ranges::find_if(answers, is_run);
    if (declared == answers.end() && id.find('.') == std::string::npos) return;
    try {
        for (const auto& status : statuses(installation)) {
            if (status.name != id) continue;
            if (declared != answers.end()) return add_status(*declared, status);
            answers.push_back({.kind = status.task ? "task" : "consumer", .id = id, .state = ""});
            return add_status(answers.back(), status);
        }
        if (declared == answers.end()) return;
        declared->state = "never started";
        declared->remedy = "`radd serve` starts it, where run_workers is true";
    } catch (const std::exception& failure) {
        if (declared == answers.end()) return;
        declared->state = "unknown";
        declared->facts.emplace_back("database", std::vector<std::string>{failure.what()});
    }
}

void print(std::ostream& out, const Answer& answer) {
    constexpr std::size_t column = 13;
    out << answer.kind << ' ' << terminal_text(answer.id) << ": " << answer.state << '\n';
    const auto line = [&](std::string name, const std::string& value) {
        name.resize(column, ' ');
        out << "  " << name << terminal_text(value) << '\n';
    };
    for (const auto& [name, values] : answer.facts) {
        std::string heading = name;
        for (const auto& value : values) {
            if (!value.empty()) line(std::exchange(heading, {}), value);
        }
    }
    if (!answer.remedy.empty()) line("do", answer.remedy);
}

nlohmann::ordered_json to_json(const Answer& answer) {
    auto facts = nlohmann::ordered_json::object();
    for (const auto& [name, values] : answer.facts) {
        std::string key = name;
        std::ranges::replace(key, ' ', '_');
        auto list = nlohmann::ordered_json::array();
        for (const auto& value : values) {
            if (!value.empty()) list.push_back(value);
        }
        facts[key] = list;
    }
    return {{"kind", answer.kind},
            {"id", answer.id},
            {"state", answer.state},
            {"facts", facts},
            {"remedy", answer.remedy}};
}

void print(Invocation& invocation, const std::vector<Answer>& answers) {
    if (!invocation.json) {
        for (const auto& answer : answers) print(invocation.out, answer);
        return;
    }
    auto list = nlohmann::ordered_json::array();
    for (const auto& answer : answers) list.push_back(to_json(answer));
    using Json = nlohmann::ordered_json;
    invocation.out << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

[[noreturn]] void nobody_knows(const loader::PluginSet& set, const std::string& id) {
    std::string text = "no plugin, and nothing that a loaded one declares, is called so";
    const auto suggestion = config::did_you_mean(id, known_names(set));
    if (!suggestion.empty()) text += ". " + suggestion;
    if (!set.refused().empty())
        text += (suggestion.empty() ? "; " : " ") +
                std::string{"what refused plugins declare is not known: `radd check` tells why"};
    throw InvalidInput{id, text};
}

}  // namespace

int why(Invocation& invocation, const std::string& id) {
    try {
        host::Installation installation{invocation.settings};
        const auto& set = installation.load_plugins();
        const auto problems = installation.plugin_problems();
        auto answers = code_answers(problems, id);
        for (const auto& more : {plugin_answers(set, problems, id), declared_answers(set, id)})
            answers.insert(answers.end(), more.begin(), more.end());
        add_states(answers, installation, id);
        // What a plugin that is not there would declare: the plugin is the reason.
        if (const auto owner = id.substr(0, id.find('.'));
            owner != id && set.find(owner) == nullptr) {
            const auto more = plugin_answers(set, problems, owner);
            answers.insert(answers.end(), more.begin(), more.end());
        }
        if (answers.empty()) nobody_knows(set, id);
        print(invocation, answers);
        return exit_ok;
    } catch (const host::Refused& refused) {
        // A code is explained also to who has nothing that works.
        const auto answers = code_answers(refused.problems(), id);
        if (answers.empty()) throw;
        print(invocation, answers);
        return exit_ok;
    }
}

}  // namespace radd::cli
