#pragma once

/// What a shared library says about itself, read from its bytes and without running any of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/error.hpp>

namespace radd::loader {

/// The bytes are no library that this host could open. [any-thread]
class BadElf : public Error {
public:
    BadElf(std::string code, const std::string& message) : Error{message}, code_{std::move(code)} {}

    /// E01 no ELF file, E02 cut short or damaged, E03 for another machine, E04 a damaged note.
    [[nodiscard]] const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

/// The note that RADD_PLUGIN left in the file (<radd/abi.hpp>).
struct PluginNote {
    std::uint16_t abi_major = 0;
    std::uint16_t abi_minor = 0;
    std::uint64_t layout_hash = 0;
    std::string headers;  ///< Digest of the SDK's headers it was built against.
    std::string sdk_version;
    std::string id;
    std::string version;
    std::string entry;
    std::string fingerprint;

    friend bool operator==(const PluginNote&, const PluginNote&) = default;
};

/// Where a build puts what a plugin brings, and the most that is read of it.
inline constexpr std::string_view seal_section = ".radd.manifest";
inline constexpr std::size_t seal_bytes_max = 1U << 20U;

struct ElfFile {
    std::optional<PluginNote> note;         ///< Empty: not built with RADD_PLUGIN.
    std::optional<std::string> seal;        ///< As it stands there; read_seal() makes sense of it.
    std::string build_id;                   ///< Lower-case hex; empty if it has none.
    std::vector<std::string> needed;        ///< DT_NEEDED.
    std::vector<std::string> search_paths;  ///< RPATH and RUNPATH, as one text each.
    std::vector<std::string> exports;       ///< Defined dynamic symbols that others can bind to.
    std::vector<std::string> unique_exports;  ///< Those of type STB_GNU_UNIQUE: they merge.
    bool text_relocations = false;
    bool writable_code = false;  ///< A segment that is both writable and executable.
    bool executable_stack = false;
};

/// Reads a 64-bit little-endian shared library for this machine. Trusts no number in it: every
/// offset and count is checked against the bytes, and the work is bounded by their size.
/// @throws BadElf.
[[nodiscard]] ElfFile read_elf(std::span<const std::byte> bytes);

/// Lower case.
[[nodiscard]] std::string to_hex(std::span<const std::byte> bytes);

}  // namespace radd::loader
