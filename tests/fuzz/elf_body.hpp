#pragma once

/// Any bytes as a plugin's file: read or refused by a code, and what is kept of it is bounded.
/// That nothing outside of the bytes is read is for ASan to say: they lie alone on the heap.

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/plugins/elf_file.hpp>
#include <host/plugins/seal.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

/// The limits of elf_file.cpp, written down a second time: raising one is a decision.
inline constexpr std::size_t elf_exports_max = 1000;
inline constexpr std::size_t elf_dynamic_max = 4096 + 1;
inline constexpr std::size_t elf_name_bytes_max = 4096;
inline constexpr std::size_t elf_seal_bytes_max = 1U << 20U;

inline void check_elf_names(const std::vector<std::string>& names, std::size_t count_max) {
    require(names.size() <= count_max, "the names are limited");
    for (const auto& name : names) {
        require(name.size() < elf_name_bytes_max, "a name is limited");
        require(name.find('\0') == std::string::npos, "a name ends at its NUL");
    }
}

/// The text of a seal is an object or refused, and differs from itself in nothing.
inline void check_seal(const std::string& text) {
    require(text.size() <= elf_seal_bytes_max, "a seal is limited");
    try {
        const auto seal = radd::loader::read_seal(text);
        require(seal.is_object(), "a seal is an object");
        require(radd::loader::seal_difference(seal, seal).empty(), "a seal is what it is");
    } catch (const radd::Error& refused) {
        require(!std::string{refused.what()}.empty(), "a refused seal says why");
    }
}

/// The code that `input` is refused by; empty: it is read.
inline std::string elf_refusal(std::string_view input) {
    try {
        (void)radd::loader::read_elf(std::as_bytes(std::span{input}));
        return {};
    } catch (const radd::loader::BadElf& bad) {
        return bad.code();
    }
}

inline void check_elf(std::string_view input) {
    const auto view = std::as_bytes(std::span{input});
    const std::vector<std::byte> bytes{view.begin(), view.end()};
    radd::loader::ElfFile file;
    try {
        file = radd::loader::read_elf(bytes);
    } catch (const radd::loader::BadElf& bad) {
        const std::set<std::string> codes{"E01", "E02", "E03", "E04"};
        require(codes.contains(bad.code()), "a refusal has a code of this reader");
        require(!std::string{bad.what()}.empty(), "a refusal says why");
        return;
    }
    check_elf_names(file.exports, elf_exports_max);
    check_elf_names(file.needed, elf_dynamic_max);
    check_elf_names(file.search_paths, elf_dynamic_max);
    for (const auto& name : file.unique_exports)
        require(std::ranges::count(file.exports, name) > 0, "a unique export is an export");
    require(file.build_id.size() <= 128 &&
                file.build_id.find_first_not_of("0123456789abcdef") == std::string::npos,
            "a build id is hex");
    if (file.seal) check_seal(*file.seal);
    if (file.note)
        require(file.note->id.size() <= 40 && file.note->fingerprint.size() <= 192,
                "a note's texts end with their fields");
}

}  // namespace fuzz
