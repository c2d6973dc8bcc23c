#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/config/scalars.hpp>
#include <host/plugins/child.hpp>
#include <host/plugins/crash_trace.hpp>
#include <host/plugins/library.hpp>
#include <host/plugins/live.hpp>
#include <host/plugins/trial.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

// What the child says, a word at the start of a line: which step of the library at hand comes now,
// how it ended and what there is to tell of that, and the addresses of a crash.
constexpr std::string_view opening = "opening";
constexpr std::string_view asking = "asking";
constexpr std::string_view passed = "passed";
constexpr std::string_view refused = "refused";
constexpr std::string_view crashed = "crashed";

int crash_output = -1;  ///< Of the child, for its signal handler.

/// Says what it was and waits for the end, so that the parent can look up the addresses.
void tell_crash(const CrashTrace& trace) noexcept {
    std::array<char, 2048> text{};
    char* at = std::copy(crashed.begin(), crashed.end(), text.data());
    char* const end = text.data() + text.size() - 1;
    *at++ = ' ';
    at = std::to_chars(at, end, trace.signal).ptr;
    for (std::size_t i = 0; i < trace.size; ++i) {
        *at++ = ' ';
        at = std::to_chars(at, end, trace.addresses[i], 16).ptr;
    }
    *at++ = '\n';
    [[maybe_unused]] const ssize_t written =
        ::write(crash_output, text.data(), static_cast<std::size_t>(at - text.data()));
    for (;;) ::pause();
}

std::string refusal_text(const config::Problem& problem) {
    const Json json{{"code", problem.code}, {"message", problem.message}, {"hint", problem.hint}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

config::Problem refusal_from(const std::string& text, const Untried& library) {
    const Json json = Json::parse(text);
    return {.code = json.at("code").get<std::string>(),
            .plugin = library.note.id,
            .file = library.file,
            .message = json.at("message").get<std::string>(),
            .hint = json.at("hint").get<std::string>()};
}

void open_all(std::span<const Untried> libraries, const Teller& tell, int output) {
    crash_output = output;
    on_crash(tell_crash, true);
    std::vector<Library> open;
    for (const Untried& untried : libraries) {
        try {
            write_line(output, std::string{opening});
            open.emplace_back(untried.path, untried.file, untried.note);
            write_line(output, std::string{asking});
            const Manifest manifest = open.back().manifest();
            write_line(output, std::string{passed} + (tell ? ' ' + tell(manifest) : ""));
        } catch (const Refusal& refusal) {
            write_line(output, std::string{refused} + ' ' + refusal_text(refusal.problem()));
        }
    }
}

/// A file that is mapped into a process, and where its first byte is.
struct Mapped {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    std::uintptr_t base = 0;
    std::string path;
};

std::vector<Mapped> mappings_of(pid_t process) {
    std::ifstream maps{"/proc/" + std::to_string(process) + "/maps"};
    std::vector<Mapped> all;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words{line};
        Mapped mapped;
        char dash = 0;
        std::string rights;
        std::string offset;
        std::string device;
        std::string inode;
        words >> std::hex >> mapped.first >> dash >> mapped.end >> rights >> offset >> device >>
            inode >> mapped.path;
        if (!mapped.path.starts_with('/')) continue;
        const bool goes_on = !all.empty() && all.back().path == mapped.path;
        mapped.base = goes_on ? all.back().base : mapped.first;
        all.push_back(std::move(mapped));
    }
    return all;
}

std::string hex(std::uintptr_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return "0x" + std::string{digits.data(), end};
}

/// ", in csat.so+0x1139", or ", called from" there, where it is the library's doing at all.
std::string place_text(const std::vector<std::uintptr_t>& addresses,
                       const std::vector<Mapped>& mappings,
                       const Untried& library) {
    // As the system calls it, without links and dots on the way.
    std::error_code error;
    const std::string path = std::filesystem::canonical(library.path, error).string();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        for (const Mapped& mapped : mappings) {
            const bool is_here =
                mapped.path == path && addresses[i] >= mapped.first && addresses[i] < mapped.end;
            if (!is_here) continue;
            return std::string{i == 0 ? ", in " : ", called from "} +
                   std::filesystem::path{library.file}.filename().string() + '+' +
                   hex(addresses[i] - mapped.base);
        }
    }
    return {};
}

/// What came of one library.
struct Outcome {
    bool passed = false;
    std::string told{};
    std::optional<config::Problem> refusal{};  ///< Said by the child.
    std::optional<config::Problem> problem{};  ///< What the child did not outlive.
};

/// Follows one child through the libraries that are left.
class Following {
public:
    Following(std::span<const Untried> libraries,
              std::chrono::milliseconds deadline,
              const Teller& tell,
              std::span<Outcome> results)
        : libraries_{libraries}, deadline_{deadline}, tell_{tell}, results_{results} {}

    /// How many of them are settled: all, or up to the one that the child did not outlive.
    std::size_t run() {
        Child child{[this](int output) { open_all(libraries_, tell_, output); }};
        while (at_ < libraries_.size()) {
            const auto line = child.line(std::chrono::steady_clock::now() + deadline_);
            if (!line) {
                blame(child.is_late() ? "E16" : "", child);
            } else if (line->starts_with(crashed)) {
                crash(*line, child);
            } else if (line->starts_with(passed)) {
                results_[at_].passed = true;
                results_[at_++].told = line->substr(std::min(line->size(), passed.size() + 1));
            } else if (line->starts_with(refused)) {
                results_[at_].refusal = refusal_from(line->substr(refused.size()), libraries_[at_]);
                ++at_;
            } else {
                is_asking_ = *line == asking;
            }
        }
        return settled_.value_or(at_);
    }

private:
    [[nodiscard]] std::string when() const {
        return is_asking_ ? "when it was asked for its manifest" : "while it was being opened";
    }

    void settle(std::string code, std::string message, std::string hint) {
        results_[at_].problem = {.code = std::move(code),
                                 .plugin = libraries_[at_].note.id,
                                 .file = libraries_[at_].file,
                                 .message = "a trial in a child process: " + std::move(message),
                                 .hint = std::move(hint)};
        settled_ = at_ + 1;
        at_ = libraries_.size();
    }

    void crash(const std::string& line, const Child& child) {
        std::istringstream words{line.substr(crashed.size())};
        int signal = 0;
        words >> signal >> std::hex;
        std::vector<std::uintptr_t> addresses;
        for (std::uintptr_t address = 0; words >> address;) addresses.push_back(address);
        settle("E15",
               "it crashed " + when() + " by " + signal_text(signal) +
                   place_text(addresses, mappings_of(child.id()), libraries_[at_]),
               signal == SIGABRT ? "An exception in a static constructor ends so" : "");
    }

    /// What it did not say itself.
    void blame(const std::string& late, Child& child) {
        const int status = child.end();
        if (!late.empty())
            settle(late,
                   "it was not done within " + config::shown(deadline_) + ' ' + when(),
                   "A constructor must not wait for a thread; do such work in on_startup");
        else if (WIFSIGNALED(status))
            settle("E15", "it crashed " + when() + " by " + signal_text(WTERMSIG(status)), "");
        else
            settle("E17",
                   "it ended the process that had opened it " + when() + ", with exit status " +
                       std::to_string(WEXITSTATUS(status)),
                   "A plugin throws where it cannot go on, and ends no process");
    }

    std::span<const Untried> libraries_;
    std::chrono::milliseconds deadline_;
    const Teller& tell_;
    std::span<Outcome> results_;
    std::size_t at_ = 0;
    std::optional<std::size_t> settled_;
    bool is_asking_ = false;
};

std::vector<Outcome> outcomes_of(std::span<const Untried> libraries,
                                 std::chrono::milliseconds deadline,
                                 const Teller& tell) {
    std::vector<Outcome> outcomes(libraries.size());
    for (std::size_t next = 0; next < libraries.size();)
        next +=
            Following{libraries.subspan(next), deadline, tell, std::span{outcomes}.subspan(next)}
                .run();
    return outcomes;
}

}  // namespace

std::vector<Tried> try_out(std::span<const Untried> libraries, std::chrono::milliseconds deadline) {
    std::vector<Tried> results;
    for (Outcome& outcome : outcomes_of(libraries, deadline, {}))
        results.push_back({.passed = outcome.passed, .problem = std::move(outcome.problem)});
    return results;
}

Asked ask(const Untried& library, std::chrono::milliseconds deadline, const Teller& tell) {
    Outcome outcome = std::move(outcomes_of(std::span{&library, 1}, deadline, tell).front());
    if (!outcome.problem) outcome.problem = std::move(outcome.refusal);
    return {.problem = std::move(outcome.problem), .told = std::move(outcome.told)};
}

}  // namespace radd::loader
