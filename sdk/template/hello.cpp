/// Greets people, and counts how often.
///
/// `radd hello greet NAME` writes a row and the event that tells of it in one transaction. The
/// consumer reads the event back and counts it in the transaction that moves its cursor, so that
/// each greeting counts once, whatever crashes in between.

#include <ostream>

#include <hello/events.hpp>
#include <radd/plugin.hpp>
#include <radd/terminal_text.hpp>
#include <radd/typed_event.hpp>

namespace hello_plugin {
namespace {

constexpr int done = 0;
constexpr int wrong_usage = 2;

constexpr radd::Sql upsert_person = R"sql(
    INSERT INTO hello.people (name) VALUES ($1)
    ON CONFLICT (name) DO UPDATE SET greeted_at = now())sql";

constexpr radd::Sql count_greeting = R"sql(
    UPDATE hello.people SET greetings = greetings + 1, words = $2 WHERE name = $1)sql";

constexpr radd::Sql select_people = R"sql(
    SELECT name, greetings, words FROM hello.people ORDER BY name LIMIT 1000)sql";

// A row for each that was asked for, in that order.
constexpr radd::Sql select_refs = R"sql(
    SELECT CASE WHEN p.name IS NOT NULL
        THEN jsonb_build_object('id', p.name, 'title', p.name) END AS ref
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place)
    LEFT JOIN hello.people p ON p.name = asked.name
    ORDER BY asked.place)sql";

std::vector<std::optional<radd::JsonText>> refs(radd::Transaction& tx,
                                                std::span<const std::string> names) {
    std::vector<std::optional<radd::JsonText>> found;
    for (const auto& row : tx.query(select_refs, radd::text_array(names))) {
        const auto& ref = row.optional_text("ref");
        ref ? found.emplace_back(radd::JsonText{*ref}) : found.emplace_back();
    }
    return found;
}

class Counter final : public radd::ProjectionConsumer {
    void project(radd::Transaction& tx, const radd::Event& event) override {
        const auto greeting = radd::payload_of<Event::greeted>(event);
        tx.execute(count_greeting, event.entity_id, greeting.words);
    }
};

int greet(radd::CommandContext& command) {
    if (command.arguments.empty() || command.arguments.size() > 2) return wrong_usage;
    const std::string& name = command.arguments[0];
    const std::string words = command.arguments.size() > 1 ? command.arguments[1] : "good day";

    command.host.database().transact([&](radd::Transaction& tx) {
        tx.execute(upsert_person, name);
        tx.emit(radd::NewEventOf<Event::greeted>{.entity_id = name, .payload = Greeting{words}});
    });
    command.err << "greeted " << radd::terminal_text(name) << '\n';
    return done;
}

int list(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;

    const auto people = command.host.database().transact(
        [](radd::Transaction& tx) { return tx.query(select_people); });
    auto objects = radd::json::array();
    for (const auto& person : people) {
        const auto& name = person.text("name");
        const auto& words = person.text("words");
        const auto greetings = person.integer("greetings");
        if (command.json)
            objects.push_back({{"name", name}, {"greetings", greetings}, {"words", words}});
        else
            command.out << radd::terminal_text(name) << '\t' << greetings << '\t'
                        << radd::terminal_text(words) << '\n';
    }
    if (command.json) command.out << objects.dump() << '\n';
    return done;
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Greets people and counts how often.",
        .event_types = {radd::event_spec<Event::greeted>(
            {.label = "Somebody greeted", .group = "Hello"})},
        .entity_refs = {{.entity_type = Entity::person, .label = "Hello: person", .ref = refs}},
        .consumers = {{.name = "hello.counter",
                       .listens_to = {Event::greeted},
                       .make = [](radd::Services&) { return std::make_unique<Counter>(); }}},
        .commands = {{.words = "hello greet",
                      .usage = "NAME [WORDS]",
                      .help = "Greets somebody, and counts it.",
                      .run = greet},
                     {.words = "hello list",
                      .usage = "",
                      .help = "Shows who was greeted, and how often.",
                      .run = list}},
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace hello_plugin

RADD_PLUGIN(hello_plugin::manifest)
