#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <host/db/server_process.hpp>
#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* radd = RADD_BINARY_DIR "/bin/radd";
constexpr auto command_deadline = 60s;

std::string told(const std::string& what, const Ran& ran) {
    return what + "\ncode " + std::to_string(ran.code) + "\nstdout: " + ran.out +
           "\nstderr: " + ran.err;
}

}  // namespace

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

nlohmann::json Ran::json() const {
    auto parsed = nlohmann::json::parse(out, nullptr, false);
    if (parsed.is_discarded()) throw std::runtime_error{told("no JSON", *this)};
    return parsed;
}

std::vector<nlohmann::json> Ran::json_lines() const {
    std::vector<nlohmann::json> all;
    for (const auto& line : lines_of(out)) {
        all.push_back(nlohmann::json::parse(line, nullptr, false));
        if (all.back().is_discarded()) throw std::runtime_error{told("no JSON: " + line, *this)};
    }
    return all;
}

Installation::Installation() {
    fs::create_directory(path("plugins"));
    fs::create_directory(path("manifests"));
    set("RADD_PLUGINS_DIR", "./plugins");
    set("RADD_MANIFESTS_DIR", "./manifests");
    set("RADD_DATA_DIR", "./var");
    set("RADD_HTTP_LISTEN", "127.0.0.1:0");
    set("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
        // Read before any thread of the test begins.
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr) set(name, value);
    }
}

Installation::Installation(const TestDatabase& database) : Installation{} {
    set("RADD_DATABASE_URL", database.url());
}

Installation::~Installation() {
    // A test that failed half way has left it running.
    if (fs::exists(path("var/postgres"))) (void)db::stop_server(path("var/postgres"), SIGQUIT, 30s);
}

fs::path Installation::path(const std::string& name) const {
    return folder_.path() / name;
}

void Installation::ship() {
    for (const std::string id : {"items", "mail", "csat", "importer"}) ship(id);
}

void Installation::ship(const std::string& id) {
    fs::copy_file(fs::path{RADD_BINARY_DIR} / "plugins" / (id + ".so"),
                  path("plugins/" + id + ".so"));
    fs::copy_file(fs::path{RADD_SOURCE_DIR} / "manifests" / (id + ".yaml"),
                  path("manifests/" + id + ".yaml"));
}

void Installation::ship_enabled(const std::string& id) {
    const std::string name = "manifests/" + id + ".yaml";
    std::ifstream file{fs::path{RADD_SOURCE_DIR} / name};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    constexpr std::string_view off = "enabled: false";
    const auto at = text.find(off);
    if (at == std::string::npos) throw std::runtime_error{name + " does not ship switched off"};
    write(name, text.replace(at, off.size(), "enabled: true"));
}

void Installation::install(const std::string& fixture,
                           const std::string& id,
                           const std::string& rest) {
    fs::copy_file(fs::path{RADD_BINARY_DIR} / "tests/fixtures" / (fixture + ".so"),
                  path("plugins/" + id + ".so"),
                  fs::copy_options::overwrite_existing);
    declare(id, rest);
}

void Installation::install_chores() {
    fs::create_directory(path("chores"));
    install("chores", "chores", "settings:\n  folder: " + path("chores").string() + "\n");
}

void Installation::write(const std::string& file, const std::string& text) const {
    std::ofstream out{path(file)};
    out << text;
    if (!out.flush()) throw std::runtime_error{path(file).string() + ": not written"};
}

void Installation::declare(const std::string& id, const std::string& rest) const {
    write("manifests/" + id + ".yaml", "kind: plugin\nversion: 1\nid: " + id + "\n" + rest);
}

std::unique_ptr<Process> Installation::start(const std::vector<std::string>& arguments) const {
    // Whatever the caller's environment holds ends here. env(1) becomes radd: the pid is radd's.
    std::vector<std::string> all{"/usr/bin/env", "-i", "-C", folder_.path().string()};
    for (const auto& [name, value] : environment_) all.push_back(name + "=" + value);
    all.emplace_back(radd);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return std::make_unique<Process>(std::move(all));
}

Ran Installation::run(const std::vector<std::string>& arguments) const {
    const auto process = start(arguments);
    const auto code = process->wait(command_deadline);
    Ran ran{.code = code.value_or(-1), .out = process->output(), .err = process->errors()};
    if (!code) throw std::runtime_error{told("radd " + arguments.front() + " does not end", ran)};
    return ran;
}

Ran Installation::must(const std::vector<std::string>& arguments) const {
    auto ran = run(arguments);
    if (ran.code != 0) throw std::runtime_error{told("radd " + arguments.front() + " failed", ran)};
    return ran;
}

std::unique_ptr<Process> Installation::serve() const {
    auto host = start({"serve"});
    const auto is_ready = [&] { return contains(host->errors(), "ready: "); };
    (void)eventually([&] { return is_ready() || !host->is_running(); }, command_deadline);
    if (!is_ready()) throw std::runtime_error{"radd serve is not ready: " + host->errors()};
    return host;
}

nlohmann::json Installation::consumer(const std::string& name) const {
    for (const auto& one : must({"consumers", "list", "--json"}).json()) {
        if (one.at("name") == name) return one;
    }
    return {};
}

bool Installation::is_settled() const {
    const auto all = must({"consumers", "list", "--json"}).json();
    return std::ranges::all_of(all, [](const auto& one) { return one.at("state") == "ok"; });
}

}  // namespace radd::testing
