#pragma once

/// From a checked file to a manifest: what fits this host, and the handshake with what does.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/problem.hpp>
#include <host/plugins/elf_file.hpp>
#include <host/plugins/refusal.hpp>
#include <radd/manifest.hpp>

struct radd_plugin_v1;

namespace radd::loader {

/// Everything that keeps a library from being opened, by what the file says: E04 no note, E05 it
/// exports more than the entry, E06 it brings its own search path, E09 it needs another SDK
/// library, E10 it wants writable code or an executable stack, E12 another toolchain (only the
/// fields that differ), E13 another ABI or layout, E19 what it is sealed with cannot be read.
/// Empty: it may be opened. Runs no code of it.
[[nodiscard]] config::Problems check_library(const ElfFile& elf, const std::string& file);

/// Where what its code says is not what its file says, which has a note: E14 its id or version,
/// E19 with the first fields that differ from the manifest that it is sealed with.
[[nodiscard]] config::Problems check_manifest(const Manifest& manifest,
                                              const ElfFile& elf,
                                              const std::string& file);

/// The fields in which two fingerprints differ: `host debugmode=0, plugin debugmode=1`. Empty if
/// there are none.
[[nodiscard]] std::string fingerprint_difference(std::string_view host, std::string_view plugin);

/// From `begin` up to `end`.
struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
        return address >= begin && address < end;
    }
};

/// A library that is mapped and has shaken hands. It stays mapped until the process ends, also
/// when this is gone: objects, thread-locals and strings of the plugin remain valid.
class Library {
public:
    /// Maps `path` (absolute) and takes its descriptor. `file` is what messages call it, `note`
    /// what was read from it before. [boot-thread]
    /// @throws Refusal E11 with the text of the dynamic linker, E14 if the entry is missing or
    ///         its descriptor is not what the note promised.
    Library(const std::filesystem::path& path, std::string file, PluginNote note);
    Library(Library&&) noexcept;
    ~Library();

    /// Asks the plugin what it is. Call it once. [boot-thread]
    /// @throws Refusal E20 with what the plugin threw.
    [[nodiscard]] Manifest manifest() const;

    /// Where its code lies in this process.
    [[nodiscard]] std::vector<AddressRange> code() const;

private:
    struct Mapping;
    void check_descriptor() const;
    [[nodiscard]] Refusal refused(std::string code, std::string message, std::string hint) const;

    std::string file_;
    PluginNote note_;
    std::unique_ptr<Mapping> mapping_;
    const radd_plugin_v1* descriptor_ = nullptr;
};

}  // namespace radd::loader
