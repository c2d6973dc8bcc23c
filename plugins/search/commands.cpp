#include "commands.hpp"

#include <ostream>
#include <string>

#include "index.hpp"
#include "routes.hpp"
#include "verification.hpp"
#include <radd/terminal_text.hpp>

namespace search {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;
constexpr int found = 5;  ///< As `radd verify` says it.

std::string snippet_of(const std::vector<Piece>& snippet) {
    std::string text;
    for (const Piece& piece : snippet) text += piece.hit ? '[' + piece.text + ']' : piece.text;
    return text;
}

int query(radd::CommandContext& command) {
    if (command.arguments.empty()) return wrong_usage;
    Question question{};
    for (const auto& word : command.arguments)
        question.text += (question.text.empty() ? "" : " ") + word;

    auto hits = search_page(command.host, question);
    const auto entities = entity_page(command.host, question);
    if (command.json) {
        command.out << page_of(std::move(hits), entities, question.limit).dump() << '\n';
        return done;
    }
    const bool more = hits.size() > question.limit;
    if (more) hits.pop_back();
    for (const Hit& hit : hits) {
        command.out << hit.key << '\t' << radd::terminal_text(hit.state) << '\t'
                    << radd::terminal_text(hit.title) << '\n';
        if (!hit.snippet.empty())
            command.out << "    " << radd::terminal_text(snippet_of(hit.snippet)) << '\n';
    }
    for (const EntityHit& hit : entities) {
        command.out << hit.type << ' ' << radd::terminal_text(hit.id) << '\t'
                    << radd::terminal_text(hit.label) << '\t' << radd::terminal_text(hit.title)
                    << '\n';
        if (!hit.snippet.empty())
            command.out << "    " << radd::terminal_text(snippet_of(hit.snippet)) << '\n';
    }
    if (hits.empty() && entities.empty()) command.err << "nothing found\n";
    if (more) command.err << "there are more; add a word\n";
    return done;
}

/// What the index has of other entities, anew.
std::int64_t rebuild_entities(radd::Services& host) {
    const EntityIndex index{host.settings().text("configuration"), host.catalog()};
    std::string type;
    std::string id;
    std::int64_t done_so_far = 0;
    for (std::int64_t chunk = EntityIndex::chunk_entities;
         chunk == EntityIndex::chunk_entities && !host.stop_requested();) {
        chunk = host.database().transact(
            [&](radd::Transaction& tx) { return index.rebuild(tx, type, id); });
        done_so_far += chunk;
    }
    return done_so_far;
}

int rebuild(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    const Index index{command.host.settings().text("configuration")};
    const auto progress = index.rebuild(command.host, [&](const Index::Progress& now) {
        if (command.interactive)
            command.err << '\r' << now.done << " of " << now.total << " items" << std::flush;
    });
    if (command.interactive) command.err << '\n';
    const auto entities = rebuild_entities(command.host);
    if (command.json)
        command.out << radd::json{{"items", progress.done},
                                  {"shortened", progress.shortened},
                                  {"entities", entities}}
                           .dump()
                    << '\n';
    else
        command.err << progress.done << " items indexed, " << progress.shortened
                    << " of them shortened, and " << entities << " other entities\n";
    if (!command.host.stop_requested()) return done;
    command.err << "search rebuild: stopped before its end; what was indexed stays\n";
    return failed;
}

radd::json json_of(const Report& report) {
    auto findings = radd::json::array();
    for (const Finding& one : report.findings)
        findings.push_back({{"check", one.check->name},
                            {"found", one.check->found},
                            {"count", one.count},
                            {"examples", one.examples},
                            {"remedy", one.check->remedy}});
    return {{"sound", report.is_whole && report.findings.empty()},
            {"items", report.items},
            {"documents", report.documents},
            {"entities", report.entities},
            {"waiting", report.waiting},
            {"findings", std::move(findings)}};
}

void print(std::ostream& out, const Finding& finding) {
    out << finding.check->name << ": " << finding.count << ' ' << finding.check->found << ": ";
    for (std::size_t i = 0; i < finding.examples.size(); ++i)
        out << (i == 0 ? "" : ", ") << radd::terminal_text(finding.examples[i]);
    if (finding.count > static_cast<std::int64_t>(finding.examples.size())) out << ", …";
    out << "\n    " << finding.check->remedy << '\n';
}

int verify(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    Verification verification{command.host, [&](const Report& now) {
                                  if (command.interactive)
                                      command.err << '\r' << now.items << " items, "
                                                  << now.documents + now.entities << " documents"
                                                  << std::flush;
                              }};
    const auto report = verification.run();
    if (command.interactive) command.err << '\n';
    if (command.json)
        command.out << json_of(report).dump() << '\n';
    else
        for (const Finding& one : report.findings) print(command.out, one);
    if (!report.is_whole) {
        command.err << "search verify: stopped before its end\n";
        return failed;
    }
    if (!command.json)
        command.err << report.items << " items and " << report.documents + report.entities
                    << " documents were compared, of which " << report.waiting
                    << " wait for search.indexer: "
                    << (report.findings.empty() ? "all agree" : "see above") << '\n';
    return report.findings.empty() ? done : found;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "search query",
         .usage = "WORD…",
         .help = "Shows the items that have all these words.\nQuoted words as they stand, `or` "
                 "between two, -WORD without it; after `--` if the first begins with a dash. What "
                 "looks like a key finds what begins so.",
         .run = query},
        {.words = "search rebuild",
         .usage = "",
         .help = "Indexes every item anew.\nAfter a change of `configuration`, or when in doubt: "
                 "the consumer goes on, and people search all the while. It reads the items "
                 "themselves and not the stream; to replay the stream as well, seek search.indexer "
                 "to 0, which indexes what the index does not have.",
         .run = rebuild},
        {.words = "search verify",
         .usage = "",
         .help = "Compares the index with items and entities.\nFinds items that have no document, "
                 "documents of what is gone, and those that have other words than what they were "
                 "made of, that are older than what search.indexer has passed, or that are of "
                 "another `configuration`. It only reads and may run beside hosts and writers: "
                 "what search.indexer has not read yet waits and is no finding. It costs about "
                 "what a rebuild does. Each finding says what mends it; the exit status is 5 then.",
         .run = verify},
    };
}

}  // namespace search
