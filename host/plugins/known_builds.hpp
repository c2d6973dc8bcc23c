#pragma once

/// What is remembered of plugins' builds from one start to the next: which have passed a trial, and
/// which are kept out, and why.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <radd/event.hpp>

namespace radd::loader {

/// One build of one plugin. A rebuilt plugin is another build, of which nothing is known.
struct KnownBuild {
    std::string build;   ///< Its build id, or a hash of its file.
    std::string plugin;  ///< Id.
    bool passed = false;
    std::string reason{};              ///< Why it is kept out: "E15 …"; empty: it is not.
    Timestamp since{};                 ///< Of the last change to this.
    std::vector<Timestamp> crashes{};  ///< While it ran, within `crash_window` of each other.
};

/// So many crashes while a plugin ran keep its build out, within so long. One is enough while it
/// starts: it would be the same again.
inline constexpr std::size_t crashes_max = 3;
inline constexpr std::chrono::minutes crash_window{10};

/// The oldest are forgotten beyond so many; those that are kept out last.
inline constexpr std::size_t known_builds_max = 500;

/// The file, read as a whole and written as a whole. [boot-thread]
class KnownBuilds {
public:
    /// Nothing is known if there is no file at `path`, or an empty name. What cannot be read as one
    /// is as good as none, and is told by fault().
    explicit KnownBuilds(std::filesystem::path path);

    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    [[nodiscard]] const std::vector<KnownBuild>& builds() const noexcept { return builds_; }
    [[nodiscard]] const KnownBuild* find(std::string_view build) const;

    void pass(const std::string& plugin, const std::string& build, Timestamp now);
    void keep_out(const std::string& plugin,
                  const std::string& build,
                  const std::string& reason,
                  Timestamp now);
    /// Keeps it out if that was one too many.
    void crash(const std::string& plugin,
               const std::string& build,
               const std::string& what,
               Timestamp at);
    /// Forgets what is known of the builds of `plugin`, so that they are tried again. False: none
    /// was kept out, and nothing is forgotten.
    bool clear(std::string_view plugin);

    /// Writes what has changed, if anything, by a rename. @throws Error with the system's reason.
    void write();

private:
    KnownBuild& at(const std::string& plugin, const std::string& build);

    std::filesystem::path path_;
    std::string fault_;
    std::vector<KnownBuild> builds_;
    bool changed_ = false;
};

/// "2026-11-30T22:40:05Z"
[[nodiscard]] std::string time_text(Timestamp time);

}  // namespace radd::loader
