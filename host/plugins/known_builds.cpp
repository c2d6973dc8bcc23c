#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <system_error>

#include <nlohmann/json.hpp>

#include <host/plugins/known_builds.hpp>
#include <radd/error.hpp>
#include <unistd.h>

namespace radd::loader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int file_version = 1;
// A file that is larger was not written by us.
constexpr std::uintmax_t file_bytes_max = 4U << 20U;

std::int64_t seconds_of(Timestamp time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

Timestamp time_of(const Json& seconds) {
    return Timestamp{std::chrono::seconds{seconds.get<std::int64_t>()}};
}

Json json_for(const KnownBuild& known) {
    Json crashes = Json::array();
    for (const Timestamp crash : known.crashes) crashes.push_back(seconds_of(crash));
    return {{"build", known.build},
            {"plugin", known.plugin},
            {"passed", known.passed},
            {"reason", known.reason},
            {"since", seconds_of(known.since)},
            {"crashes", std::move(crashes)}};
}

KnownBuild build_from(const Json& json) {
    KnownBuild known{.build = json.at("build").get<std::string>(),
                     .plugin = json.at("plugin").get<std::string>(),
                     .passed = json.at("passed").get<bool>(),
                     .reason = json.at("reason").get<std::string>(),
                     .since = time_of(json.at("since"))};
    for (const Json& crash : json.at("crashes")) known.crashes.push_back(time_of(crash));
    return known;
}

}  // namespace

KnownBuilds::KnownBuilds(fs::path path) : path_{std::move(path)} {
    std::error_code error;
    const auto size = fs::file_size(path_, error);
    if (error) {
        if (!path_.empty() && error != std::errc::no_such_file_or_directory)
            fault_ = path_.string() + " cannot be read: " + error.message();
        return;
    }
    try {
        if (size > file_bytes_max) throw Error{"it has " + std::to_string(size) + " bytes"};
        std::ifstream in{path_};
        const auto json = Json::parse(in);
        if (json.at("version") != file_version) throw Error{"it is of another version"};
        for (const Json& known : json.at("builds")) builds_.push_back(build_from(known));
    } catch (const std::exception& failure) {
        builds_.clear();
        fault_ = path_.string() + " cannot be read: " + failure.what();
    }
}

const KnownBuild* KnownBuilds::find(std::string_view build) const {
    const auto found = std::ranges::find(builds_, build, &KnownBuild::build);
    return found == builds_.end() ? nullptr : &*found;
}

KnownBuild& KnownBuilds::at(const std::string& plugin, const std::string& build) {
    changed_ = true;
    const auto found = std::ranges::find(builds_, build, &KnownBuild::build);
    if (found != builds_.end()) return *found;
    return builds_.emplace_back(KnownBuild{.build = build, .plugin = plugin});
}

void KnownBuilds::pass(const std::string& plugin, const std::string& build, Timestamp now) {
    KnownBuild& known = at(plugin, build);
    known.passed = true;
    known.since = now;
}

void KnownBuilds::keep_out(const std::string& plugin,
                           const std::string& build,
                           const std::string& reason,
                           Timestamp now) {
    KnownBuild& known = at(plugin, build);
    known.reason = reason;
    known.since = now;
}

void KnownBuilds::crash(const std::string& plugin,
                        const std::string& build,
                        const std::string& what,
                        Timestamp time) {
    KnownBuild& known = at(plugin, build);
    std::erase_if(known.crashes, [&](Timestamp old) { return time - old > crash_window; });
    known.crashes.push_back(time);
    if (known.crashes.size() < crashes_max) return;
    keep_out(plugin,
             build,
             what + ", " + std::to_string(known.crashes.size()) + " times within " +
                 std::to_string(crash_window.count()) + " minutes",
             time);
}

bool KnownBuilds::clear(std::string_view plugin) {
    const auto is_kept_out = [&](const KnownBuild& known) {
        return known.plugin == plugin && !known.reason.empty();
    };
    if (std::ranges::none_of(builds_, is_kept_out)) return false;
    std::erase_if(builds_, [&](const KnownBuild& known) { return known.plugin == plugin; });
    return changed_ = true;
}

void KnownBuilds::write() {
    if (!changed_ || path_.empty()) return;
    std::ranges::stable_sort(builds_, [](const KnownBuild& left, const KnownBuild& right) {
        return std::pair{left.reason.empty(), right.since} <
               std::pair{right.reason.empty(), left.since};
    });
    if (builds_.size() > known_builds_max) builds_.resize(known_builds_max);
    Json list = Json::array();
    for (const KnownBuild& known : builds_) list.push_back(json_for(known));
    const std::string text = Json{{"version", file_version}, {"builds", std::move(list)}}.dump(
        2, ' ', false, Json::error_handler_t::replace);

    const fs::path part = path_.string() + '.' + std::to_string(::getpid());
    std::error_code error;
    std::ofstream out{part, std::ios::trunc};
    out << text << '\n' << std::flush;
    const bool is_whole = out.good();
    out.close();
    if (is_whole) fs::rename(part, path_, error);
    if (!is_whole || error) {
        const auto reason = error ? error.message() : std::generic_category().message(errno);
        fs::remove(part, error);
        throw Error{path_.string() + " cannot be written: " + reason};
    }
    changed_ = false;
}

std::string time_text(Timestamp time) {
    const std::time_t seconds = seconds_of(time);
    std::tm utc{};
    (void)::gmtime_r(&seconds, &utc);
    std::string text(std::size("2026-11-30T22:40:05Z") - 1, ' ');
    (void)std::strftime(text.data(), text.size() + 1, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

}  // namespace radd::loader
