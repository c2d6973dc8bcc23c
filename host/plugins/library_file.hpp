#pragma once

/// Plugin libraries on disk: which there are, what is in them, and a private copy to map.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <host/plugins/refusal.hpp>

namespace radd::loader {

/// Largest library that is read: above it something else was put there.
inline constexpr std::size_t library_bytes_max = 512U << 20U;

/// Something in the plugins directory that looks like a plugin and is not taken.
struct IgnoredFile {
    std::string file;
    std::string reason;

    friend bool operator==(const IgnoredFile&, const IgnoredFile&) = default;
};

struct Directory {
    std::vector<std::filesystem::path> libraries;  ///< Regular files *.so, sorted by name.
    std::vector<IgnoredFile> ignored;              ///< Folders and links called *.so.
};

/// Lists `directory` and opens nothing in it. Other names (README, x.so.bak) are passed over.
/// The result depends on the names alone, not on the order in which the system returns them.
/// @throws Refusal E08 if there is no such directory or it cannot be read, E07 if somebody may
///         write to it, or put another in its place, who is neither root nor this process's user,
///         nor in its group.
[[nodiscard]] Directory list_libraries(const std::filesystem::path& directory);

/// The bytes of one library, read at once from one open file: what is checked is what is used.
/// @throws Refusal E08 if it is missing, a link, no regular file, unreadable, or too large; E07
///         if others may write to it, as above.
[[nodiscard]] std::vector<std::byte> read_library(const std::filesystem::path& path);

/// SHA-256 as 64 lower-case hexadecimal digits, as a manifest pins it.
[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

/// Puts `bytes` at `<directory>/<name>.so`, for this user alone, replacing what is there by a
/// rename: a process that has the old file mapped keeps it. The original can then be overwritten
/// while the host runs, which would otherwise end it with SIGBUS.
/// @throws Refusal E08 with the reason of the system.
std::filesystem::path write_private_copy(const std::filesystem::path& directory,
                                         const std::string& name,
                                         std::span<const std::byte> bytes);

/// A copy that was replaced may still be about to be mapped by a host that is just starting.
inline constexpr std::chrono::hours old_copy_age_min{1};

/// Removes the copies `<id>-….so` of other builds than `current`, once they are old. A failure is
/// of no consequence and not told.
void remove_old_copies(const std::filesystem::path& directory,
                       const std::string& id,
                       const std::filesystem::path& current) noexcept;

}  // namespace radd::loader
