// House rules that a compiler cannot see. Each finding is a file, a line and what to do.

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/unit/tidy_sources.hpp>

namespace {

using namespace radd::tidy;

constexpr std::size_t file_lines_max = 400;

using Breaks = std::function<bool(std::string_view path, std::string_view line)>;

/// A rule about single lines, and the proof that it can fire: `planted` must be reported and
/// `allowed`, its nearest legal neighbour, must not.
struct Rule {
    std::string name;
    Breaks breaks;
    std::string instead;
    Source planted;
    Source allowed;
};

std::vector<std::string> findings(const Rule& rule, const std::vector<Source>& among) {
    std::vector<std::string> found;
    for (const Source& source : among) {
        // This file is made of what it forbids.
        if (source.path.ends_with("tidy_test.cpp")) continue;
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            if (!rule.breaks(source.path, source.lines[i])) continue;
            found.push_back(source.path + ":" + std::to_string(i + 1) + ": " + rule.instead);
        }
    }
    return found;
}

/// What an #include line names, or nothing.
std::string_view included(std::string_view path, std::string_view line) {
    if (!is_cpp(path) || !line.starts_with("#include ")) return {};
    const auto first = line.find_first_of("<\"");
    const auto last = line.find_last_of(">\"");
    if (first == std::string_view::npos || last <= first) return {};
    return line.substr(first + 1, last - first - 1);
}

/// "host/db/pool.hpp", 1 → "db". Empty if there is no such folder.
std::string_view folder(std::string_view path, int depth) {
    for (; depth > 0; --depth) {
        const auto slash = path.find('/');
        if (slash == std::string_view::npos) return {};
        path.remove_prefix(slash + 1);
    }
    const auto slash = path.find('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

bool is_system(std::string_view header) {
    constexpr std::array folders{"sys/", "netinet/", "arpa/", "linux/"};
    return header.find('/') == std::string_view::npos ||
           std::ranges::any_of(folders, [&](auto f) { return under(header, f); });
}

bool sdk_reaches_out(std::string_view path, std::string_view line) {
    const auto header = included(path, line);
    // The template is a plugin.
    if (!under(path, "sdk/") || under(path, "sdk/template/") || header.empty()) return false;
    if (under(header, "radd/") || under(header, "nlohmann/")) return false;
    return header.find('/') != std::string_view::npos || header.ends_with(".h");
}

bool outsider_includes_host(std::string_view path, std::string_view line) {
    if (under(path, "host/") || under(path, "tests/")) return false;
    const auto header = included(path, line);
    return under(header, "host/") || header.find("../host/") != std::string_view::npos;
}

bool plugin_reaches_across(std::string_view path, std::string_view line) {
    const auto header = included(path, line);
    if (!under(path, "plugins/") || header.empty() || is_system(header)) return false;
    if (under(header, "plugins/") || under(header, "..")) return true;
    const auto owner = folder(header, 0);
    if (owner == "radd" || owner == "nlohmann" || owner == folder(path, 1)) return false;
    if (under(header, "curl/") || under(header, "openssl/") || under(header, "date/")) return false;
    if (std::ranges::count(header, '/') != 1) return true;
    return !header.ends_with("/events.hpp") && !header.ends_with("/service.hpp");
}

// Where a library may be named. One home, so that replacing it is work in one folder; a second one
// for each other thing it is good for.
const std::multimap<std::string_view, std::string_view> library_homes{
    {"yaml-cpp/", "host/config/"},
    {"boost/dll", "host/plugins/"},
    {"soci/", "host/db/"},
    {"libpq", "host/db/"},
    {"postgresql/", "host/db/"},
    {"CLI/", "host/cli/"},
    {"prometheus/", "host/monitoring/"},
    {"spdlog/", "host/log/"},
    {"curl/", "plugins/mail/"},
    {"curl/", "host/delivery/"},
    {"systemd/", "host/cli/"},
    {"boost/beast", "host/web/"},
    {"boost/asio", "host/web/"},
    {"boost/asio", "host/signals.cpp"},
    {"fmt/", "host/cli/"},
    {"openssl/", "host/accounts/"},
    {"openssl/", "host/db/migrate.cpp"},
    {"openssl/", "host/delivery/key_ring.cpp"},
    {"openssl/", "host/plugins/library_file.cpp"},
    {"openssl/", "plugins/webhooks/signature.cpp"},
    {"valijson/", "host/schema/"},
    {"zlib.h", "host/web/"},
    {"date/", "plugins/automations/"},
    {"date/", "plugins/notify/"},
    {"date/", "plugins/sla/"},
};

bool library_left_home(std::string_view path, std::string_view line) {
    const auto header = included(path, line);
    if (header.empty() || under(path, "tests/")) return false;
    bool has_home = false;
    for (const auto& [library, home] : library_homes) {
        if (!under(header, library)) continue;
        if (under(path, home)) return false;
        has_home = true;
    }
    return has_home;
}

// What each folder of host/ may include besides itself. Files beside the folders compose them.
const std::map<std::string_view, std::set<std::string_view>> host_arrows{
    {"config", {}},
    {"log", {"config"}},
    {"db", {"config", "log"}},
    {"entities", {"config", "log", "db"}},
    {"plugins", {"config", "log", "entities"}},
    {"conformance", {"config", "plugins"}},
    {"schema", {}},
    {"outbox", {"config", "log", "db", "schema"}},
    {"consumers", {"config", "log", "db", "outbox"}},
    {"verify", {"db", "consumers"}},
    {"delivery", {"config", "log", "db", "outbox", "consumers"}},
    // "" is a file beside the folders: system.hpp, host.hpp. Time and chance are passed in, so the
    // folders below do not read them.
    {"accounts", {"config", "log", "db"}},
    {"monitoring", {"config", "log", "db", "outbox", "consumers", "delivery"}},
    {"web", {"config", "log", "db", "schema", "accounts"}},
    {"api",
     {"",
      "config",
      "log",
      "plugins",
      "db",
      "outbox",
      "consumers",
      "delivery",
      "accounts",
      "monitoring"}},
    {"cli",
     {"",
      "config",
      "log",
      "plugins",
      "db",
      "outbox",
      "consumers",
      "delivery",
      "accounts",
      "monitoring",
      "verify",
      "web",
      "api"}},
};

bool host_layer_skipped(std::string_view path, std::string_view line) {
    const auto from = folder(path, 1);
    const auto header = included(path, line);
    if (!under(path, "host/") || from.empty() || header.empty()) return false;
    if (header.find("../") != std::string_view::npos) return true;
    if (!under(header, "host/")) return false;
    const auto to = folder(header, 1);
    if (to == from) return false;
    const auto arrows = host_arrows.find(from);
    return arrows == host_arrows.end() || !arrows->second.contains(to);
}

Breaks matches(const std::string& pattern, bool (*applies)(std::string_view)) {
    return [expression = std::regex{pattern}, applies](auto path, auto line) {
        return applies(path) && std::regex_search(line.begin(), line.end(), expression);
    };
}

bool names_registry(std::string_view path, std::string_view line) {
    if (path.ends_with("package-lock.json"))
        return line.find("\"resolved\":") != std::string_view::npos;
    return path.ends_with(".npmrc") && line.find("registry=") != std::string_view::npos;
}

bool any_file(std::string_view) {
    return true;
}
bool is_test(std::string_view path) {
    return is_cpp(path) && under(path, "tests/");
}
bool is_product(std::string_view path) {
    return (is_cpp(path) || path.ends_with(".sql")) && !under(path, "tests/");
}

const std::string sleep_pattern = R"(\b(sleep_for|sleep_until|sleep|usleep|nanosleep)\()";

std::vector<Rule> rules() {
    return {
        {"the sdk depends on the standard library and nlohmann",
         sdk_reaches_out,
         "the sdk includes std, nlohmann and itself",
         {"sdk/include/radd/a.hpp", {"#include <boost/asio.hpp>"}},
         {"sdk/include/radd/a.hpp", {"#include <nlohmann/json.hpp>", "#include <radd/sql.hpp>"}}},
        {"nobody includes the host",
         outsider_includes_host,
         "only host/ and tests/ see host/",
         {"plugins/csat/csat.cpp", {"#include <host/db/pool.hpp>"}},
         {"tests/pg/pool_test.cpp", {"#include <host/db/pool.hpp>"}}},
        {"a plugin sees the sdk and what others publish",
         plugin_reaches_across,
         "include the sdk, own files, <id>/events.hpp or <id>/service.hpp",
         {"plugins/csat/csat.cpp", {"#include <items/store.hpp>"}},
         {"plugins/csat/csat.cpp", {"#include <items/events.hpp>", "#include <csat/page.hpp>"}}},
        {"each library has one home",
         library_left_home,
         "this library is used in its home folder alone, behind a type of ours",
         {"host/outbox/reader.cpp", {"#include <soci/soci.h>"}},
         {"host/db/session.cpp", {"#include <soci/soci.h>", "#include <libpq-fe.h>"}}},
        {"the host is layered",
         host_layer_skipped,
         "config, db <- outbox <- consumers <- api <- cli; see host_arrows in tidy_test.cpp",
         {"host/outbox/reader.cpp", {"#include <host/plugins/registry.hpp>"}},
         {"host/consumers/loop.cpp", {"#include <host/outbox/reader.hpp>"}}},
        {"tests wait for signals and not for time",
         matches(sleep_pattern,
                 [](auto path) { return is_test(path) && !under(path, "tests/support/"); }),
         "use FakeClock, a signal, or the wait helper of tests/support",
         {"tests/pg/a_test.cpp", {"    std::this_thread::sleep_for(1s);"}},
         {"tests/pg/a_test.cpp", {"    run(\"SELECT pg_sleep(1)\");"}}},
        {"a test name is one that doctest can filter",
         matches(R"re(TEST_CASE(_FIXTURE)?\([^"]*"[^"]*[,;\[\]])re", is_test),
         "no comma, semicolon or bracket: doctest splits there and runs nothing",
         {"tests/unit/a_test.cpp", {"TEST_CASE(\"one, two\") {"}},
         {"tests/unit/a_test.cpp", {"TEST_CASE_FIXTURE(Bench, \"one and two\") {"}}},
        {"files know no developer's machine",
         matches(R"((^|[\s"'=(:<])/(home|Users|root|work|workspace|builds)/)", any_file),
         "paths come from the build or the environment",
         {"tools/run", {"cd /home/someone/radd"}},
         {"tools/run", {R"(cd "$(dirname "$0")/..")", "build/work/x"}}},
        {"a lock file names packages and no registry",
         names_registry,
         "set omit-lockfile-registry-resolved=true in .npmrc and let npm write the lock file anew",
         {"tests/web/package-lock.json", {R"(      "resolved": "https://somewhere/a-1.tgz",)"}},
         {"tests/web/package-lock.json", {R"(      "integrity": "sha512-…",)"}}},
        {"every column is named",
         matches(R"(\bSELECT\s+\*)", is_product),
         "name the columns: a migration must not change what a reader gets",
         {"host/outbox/sql.hpp", {"SELECT * FROM radd.events"}},
         {"host/outbox/sql.hpp", {"SELECT count(*) FROM radd.events"}}},
        {"a promise has a number",
         matches(R"(\b(TODO|FIXME|XXX)\b(?!\(#\d+\)))", is_cpp),
         "write TODO(#123), or do it",
         {"host/db/pool.cpp", {"// TODO later"}},
         {"host/db/pool.cpp", {"// TODO(#12): later"}}},
    };
}

/// The names that `events.hpp` files store, without those of one word: "item" is also a column.
std::set<std::string> event_names(const std::vector<Source>& among) {
    static const std::regex named{R"re(Named\{[^,}]+,\s*"([a-z0-9_.]+)"\s*\})re"};
    std::set<std::string> names;
    for (const Source& source : among) {
        if (!source.path.ends_with("/events.hpp")) continue;
        std::string text;
        for (const auto& line : source.lines) text += line + "\n";
        for (std::sregex_iterator match{text.begin(), text.end(), named}, end; match != end;
             ++match) {
            const std::string name = (*match)[1];
            if (name.find('.') != std::string::npos) names.insert(name);
        }
    }
    return names;
}

/// One rule for every stored name: quoted either way, because SQL is a place to copy it to.
Rule spelled_once(std::set<std::string> names) {
    static const std::regex quoted{R"re(["']([a-z0-9_]+(\.[a-z0-9_]+)+)["'])re"};
    const auto breaks = [names = std::move(names)](std::string_view path, std::string_view line) {
        if (!is_cpp(path) || path.ends_with("/events.hpp")) return false;
        if (!under(path, "host/") && !under(path, "plugins/")) return false;
        const std::string code{line.substr(0, line.find("//"))};
        for (std::sregex_iterator match{code.begin(), code.end(), quoted}, end; match != end;
             ++match) {
            if (names.contains((*match)[1])) return true;
        }
        return false;
    };
    return {"a stored name is spelled once",
            breaks,
            "write the enumerator, or bind its name()",
            {"plugins/csat/sql.hpp", {"WHERE type = 'item.updated'"}},
            {"plugins/csat/sql.hpp", {"// Waits for \"item.updated\".", "'item.updates'"}}};
}

void check_fires(const Rule& rule) {
    CHECK_MESSAGE(findings(rule, {rule.planted}).size() == 1, rule.name << ": does not fire");
    const auto wrong = findings(rule, {rule.allowed});
    CHECK_MESSAGE(wrong.empty(), rule.name << ": forbids " << rule.allowed.lines.front());
}

}  // namespace

TEST_SUITE("tidy") {
    TEST_CASE("every rule fires on what it forbids and on nothing beside it") {
        for (const Rule& rule : rules()) check_fires(rule);

        const Source events{"plugins/items/include/items/events.hpp",
                            {"radd::Named{ItemEvent::updated,", "            \"item.updated\"},"}};
        CHECK(event_names({events}) == std::set<std::string>{"item.updated"});
        check_fires(spelled_once(event_names({events})));
    }

    TEST_CASE("every library is held at home") {
        for (const auto& [library, home] : library_homes) {
            const std::string line = "#include <" + std::string{library} + "/x.h>";
            CHECK(library_left_home("host/outbox/x.cpp", line));
            CHECK(library_left_home("sdk/src/x.cpp", line));
            CHECK_FALSE(library_left_home(std::string{home} + "x.cpp", line));
        }
    }

    TEST_CASE("the host's arrows have no way back") {
        for (const auto& [from, allowed] : host_arrows) {
            for (const auto& to : allowed) {
                if (!to.empty()) CHECK_FALSE(host_arrows.at(to).contains(from));
            }
            const std::string path = "host/" + std::string{from} + "/x.cpp";
            if (from != "cli") CHECK(host_layer_skipped(path, "#include <host/cli/cli.hpp>"));
            CHECK(host_layer_skipped(path, "#include \"../db/pool.hpp\""));
        }
        CHECK(host_layer_skipped("host/consumers/x.cpp", "#include <host/plugins/library.hpp>"));
        CHECK(host_layer_skipped("host/unheard_of/x.cpp", "#include <host/db/pool.hpp>"));
    }

    TEST_CASE("the tree keeps every rule") {
        for (const Rule& rule : rules()) {
            CAPTURE(rule.name);
            for (const auto& finding : findings(rule, sources())) FAIL_CHECK(finding);
        }
    }

    TEST_CASE("the tree spells a stored name once") {
        for (const auto& finding : findings(spelled_once(event_names(sources())), sources()))
            FAIL_CHECK(finding);
    }

    TEST_CASE("one helper sleeps for all tests") {
        const std::regex sleeps{sleep_pattern};
        std::set<std::string> helpers;
        for (const Source& source : sources()) {
            if (!is_test(source.path) || !under(source.path, "tests/support/")) continue;
            for (const auto& line : source.lines) {
                if (std::regex_search(line, sleeps)) helpers.insert(source.path);
            }
        }
        CHECK(helpers.size() <= 1);
    }

    TEST_CASE("a header is read once") {
        for (const Source& source : sources()) {
            if (!source.path.ends_with(".hpp")) continue;
            const bool guarded =
                std::ranges::find(source.lines, "#pragma once") != source.lines.end();
            CHECK_MESSAGE(guarded, source.path << ": #pragma once");
        }
    }

    TEST_CASE("a file fits in a reader's head") {
        for (const Source& source : sources()) {
            if (!is_cpp(source.path) && !is_script(source.path)) continue;
            CHECK_MESSAGE(source.lines.size() <= file_lines_max, source.path << ": split it");
        }
    }
}
