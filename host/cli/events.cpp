// radd events …: appending to the stream, searching it, following it.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <ostream>
#include <thread>

#include <host/cli/commands.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/table.hpp>
#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_text.hpp>

namespace radd::cli {
namespace {

constexpr std::chrono::milliseconds follow_wait{200};

constexpr Sql parse_time = R"sql(
    SELECT (extract(epoch FROM $1::timestamptz) * 1000000)::bigint AS microseconds)sql";

/// Where nothing that is asked for is found for so long, the rest is asked for with --before or
/// --after: a stream of what is hidden has no end that a statement reaches in its time.
constexpr std::int64_t scan_ids_max = 1'000'000;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) {
    interrupted = 1;
}

std::optional<outbox::EventSource> source_from(const std::optional<std::string>& name) {
    if (!name) return std::nullopt;
    if (*name == "people") return outbox::EventSource::people;
    return *name == "system" ? outbox::EventSource::system : outbox::EventSource::automations;
}

/// In the database's words: whatever PostgreSQL reads as a time, in UTC where no zone is given.
std::optional<Timestamp> time_from(db::Session& session,
                                   const std::string& field,
                                   const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    try {
        const auto rows = session.query(parse_time, *text);
        return Timestamp{std::chrono::microseconds{rows[0].integer("microseconds")}};
    } catch (const SqlError&) {
        throw InvalidInput{field,
                           "'" + *text + "' is no time; write 2026-11-30 or 2026-11-30T12:00:00Z"};
    }
}

void print(Invocation& invocation, const std::vector<outbox::SharedEvent>& events) {
    if (invocation.json) {
        for (const auto& event : events) invocation.out << outbox::json_line(*event) << '\n';
        return;
    }
    constexpr std::size_t width_min = 8;
    std::vector<Column> columns;
    for (const auto heading : outbox::table_headings)
        columns.push_back({std::string{heading}, Align::left, width_min});
    columns.front() = {columns.front().title, Align::right};
    Table table{std::move(columns)};
    for (const auto& event : events) {
        const auto cells = outbox::table_row(*event);
        table.add({cells.begin(), cells.end()});
    }
    table.print(invocation.out, invocation.terminal);
}

/// "item=42" → both; "item" → the type alone.
void split_entity(const std::string& text, outbox::EventFilter& filter) {
    const auto equals = text.find('=');
    filter.entity_type = text.substr(0, equals);
    if (equals != std::string::npos) filter.entity_id = text.substr(equals + 1);
}

std::optional<EntityType> find_entity(const outbox::Catalog& catalog, const std::string& name) {
    if (const auto* entity = catalog.entity(name)) return entity->spec->entity_type;
    for (const auto& [stored, type] : catalog.types()) {
        if (type.spec->entity_type && type.spec->entity_type->name() == name)
            return type.spec->entity_type;
        for (const EntityType& subject : type.spec->subjects) {
            if (subject.name() == name) return subject;
        }
    }
    return std::nullopt;
}

EntityType require_entity(const outbox::Catalog& catalog, const std::string& name) {
    if (const auto found = find_entity(catalog, name)) return *found;
    throw InvalidInput{"entity",
                       "no loaded plugin knows '" + name + "'; `radd check` lists what there is"};
}

std::vector<Subject> subjects_from(const outbox::Catalog& catalog,
                                   const std::vector<std::string>& texts) {
    std::vector<Subject> subjects;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            throw InvalidInput{"subject", "'" + text + "' is not entity=id"};
        subjects.push_back({.entity = require_entity(catalog, text.substr(0, equals)),
                            .id = text.substr(equals + 1)});
    }
    return subjects;
}

std::vector<Change> changes_from(const std::string& text) {
    const auto list = json::parse(text, nullptr, false);
    if (!list.is_array()) throw InvalidInput{"changes", "no JSON array"};
    std::vector<Change> changes;
    for (const json& entry : list) {
        if (!entry.is_object() || !entry.contains("field") || !entry["field"].is_string())
            throw InvalidInput{"changes", "each entry is an object with \"field\""};
        const auto member = [&](const char* name) -> std::optional<JsonText> {
            if (!entry.contains(name)) return std::nullopt;
            return JsonText{entry[name]};
        };
        changes.push_back({.field = entry["field"].get<std::string>(),
                           .from = member("from"),
                           .to = member("to"),
                           .added = member("added"),
                           .removed = member("removed")});
    }
    return changes;
}

/// Stored names of what is shown only to who asks for it, as the API does: nothing if `types` are
/// named. A plugin that cannot be loaded hides nothing, and keeps nobody from looking.
std::vector<std::string> left_out(Opened& opened, const std::vector<std::string>& types, bool all) {
    if (all || !types.empty()) return {};
    opened.installation().load_plugins();
    return opened.installation().catalog().names([](const auto& spec) { return !spec.audited; });
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// What follows `cursor`; nothing, after a pause, while the database is away.
std::vector<outbox::SharedEvent> read_on(Opened& opened,
                                         std::optional<db::Session>& session,
                                         outbox::Tail& tail,
                                         std::int64_t cursor) {
    constexpr std::size_t events_max = 500;
    try {
        if (!session) session.emplace(opened.installation().connect_options("events tail"));
        return tail.read(*session, cursor, events_max).events;
    } catch (const Unavailable&) {
        session.reset();  // The tail has said it already.
        std::this_thread::sleep_for(follow_wait);
        return {};
    }
}

}  // namespace

int events_emit(Invocation& invocation, const EmitOptions& options) {
    host::Installation installation{invocation.settings};
    installation.require_plugins();
    installation.connect("events emit");
    installation.require_migrated();
    installation.make_services([] {});
    const auto& catalog = installation.catalog();
    const auto* type = catalog.type(options.type);
    if (type == nullptr) {
        throw InvalidInput{
            "type",
            "no loaded plugin declares '" + options.type + "'; `radd check` lists what there is"};
    }
    NewEvent event{.type = type->spec->type,
                   .entity = require_entity(catalog, options.entity),
                   .entity_id = options.entity_id,
                   .actor_id = options.actor,
                   .subjects = subjects_from(catalog, options.subjects),
                   .payload = JsonText{options.payload}};
    if (options.changes) event.changes = changes_from(*options.changes);
    if (options.silent) event.silent = true;
    installation.database().transact([&](Transaction& tx) { tx.emit(event); });
    if (invocation.json) {
        invocation.out << json{{"event_type", options.type},
                               {"entity_type", options.entity},
                               {"entity_id", options.entity_id}}
                              .dump()
                       << '\n';
    } else {
        invocation.err << "emitted " << options.type << '\n';
    }
    return exit_ok;
}

int events_query(Invocation& invocation, const QueryOptions& options) {
    Opened opened{invocation, "events query"};
    outbox::EventFilter filter{.types = options.types,
                               .not_types = options.not_types,
                               .actor_id = options.actor,
                               .project_id = options.project,
                               .source = source_from(options.source),
                               .changed = options.changed,
                               .text = options.text,
                               .since = time_from(opened.session(), "since", options.since),
                               .until = time_from(opened.session(), "until", options.until),
                               .after_id = options.after,
                               .before_id = options.before,
                               .newest_first = !options.after,
                               .limit = options.limit,
                               .scan_ids_max = scan_ids_max};
    const auto hidden = left_out(opened, options.types, options.all);
    filter.not_types.insert(filter.not_types.end(), hidden.begin(), hidden.end());
    if (options.entity) split_entity(*options.entity, filter);
    const auto page = outbox::query_page(opened.session(), filter);
    print(invocation, page.events);
    if (page.next) {
        invocation.err << "there may be more: --" << (filter.newest_first ? "before " : "after ")
                       << *page.next << '\n';
    }
    return exit_ok;
}

int events_show(Invocation& invocation, std::int64_t id) {
    Opened opened{invocation, "events show"};
    const auto event = outbox::find_event(opened.session(), id);
    if (!event)
        throw InvalidInput{"event " + std::to_string(id), "no such event, or not committed yet"};
    invocation.out << (invocation.json ? outbox::json_line(*event) + "\n"
                                       : outbox::event_page(*event));
    return exit_ok;
}

int events_tail(Invocation& invocation, const TailOptions& options) {
    Opened opened{invocation, "events tail"};
    const auto hidden = left_out(opened, options.types, options.all);
    outbox::EventFilter filter{.types = options.types,
                               .not_types = hidden,
                               .limit = options.lines,
                               .scan_ids_max = scan_ids_max};
    std::int64_t cursor = opened.head();
    filter.before_id = cursor + 1;
    std::vector<outbox::SharedEvent> past;
    if (options.lines > 0) past = outbox::query_events(opened.session(), filter);
    const auto show = [&](const outbox::SharedEvent& event) {
        if (invocation.json) {
            invocation.out << outbox::json_line(*event) << std::endl;
            return;
        }
        const auto cells = outbox::table_row(*event);
        for (std::size_t i = 0; i < cells.size(); ++i)
            invocation.out << (i == 0 ? "" : "  ") << cells[i];
        invocation.out << std::endl;  // Each at once: somebody watches.
    };
    for (auto event = past.rbegin(); event != past.rend(); ++event) show(*event);
    if (!options.follow) return exit_ok;

    auto log = opened.installation().logging().logger("events tail");
    outbox::Tail tail{opened.installation().connect_options("events tail"),
                      {},
                      opened.installation().clock(),
                      *log};
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    tail.start();
    // One of its own at a time: the database may go away and come back while somebody watches.
    std::optional<db::Session> session;
    while (interrupted == 0 && invocation.out.good() && !reader_has_gone(invocation.out)) {
        if (!tail.wait(cursor, follow_wait)) continue;
        for (const auto& event : read_on(opened, session, tail, cursor)) {
            cursor = event->id;
            const bool wanted = options.types.empty() ? !holds(hidden, event->type)
                                                      : holds(options.types, event->type);
            if (wanted) show(event);
        }
    }
    tail.stop();
    return exit_ok;
}

}  // namespace radd::cli
