#pragma once

/// The handshake between the host and a plugin's library, in plain C types.
///
/// Two parts, checked in this order. The note is data in the file, read before the library is
/// opened, so that one which does not fit is refused before any of its code has run. The
/// descriptor comes from the one exported symbol, and repeats what matters most.
///
/// What changes a layout or a virtual signature in these headers raises `abi_major` and with it
/// the name of the entry. `abi_minor` counts what was only added. What nobody counted is found by
/// the digest of the headers (<radd/sdk_digest.hpp>): it stands in the note, and in the name of a
/// symbol that libradd_sdk.so has and a plugin is linked against.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#define RADD_SDK_VERSION "0.1.0"

// NOLINTBEGIN(readability-identifier-naming): C names, because a C linkage has no namespaces.
extern "C" {

/// Filled by the callee, owned by the caller: nothing to free. `text` ends with a NUL.
struct radd_error {
    std::int32_t code;  ///< 0: nothing happened.
    char text[508];
};

/// What radd_plugin_entry_v1() returns. The host reads `struct_size` and `magic` first and calls
/// `manifest` after everything above it was found to agree with the note and with itself.
struct radd_plugin_v1 {
    std::uint32_t struct_size;
    std::uint32_t magic;
    std::uint16_t abi_major;
    std::uint16_t abi_minor;
    std::uint32_t flags;  ///< None yet; a plugin leaves it 0.
    std::uint64_t layout_hash;
    const char* id;
    const char* version;
    const char* fingerprint;
    /// Fills the host's `radd::Manifest`, and returns 0. On failure returns and sets another code,
    /// leaves the manifest as it was, and lets no exception pass.
    std::int32_t (*manifest)(void* radd_manifest_out, radd_error* error);
};

/// The one symbol a plugin exports. Always the same pointer; it and what it points to stay valid
/// until the process ends.
const radd_plugin_v1* radd_plugin_entry_v1();

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

namespace radd::abi {

inline constexpr std::uint32_t magic = 0x44444152U;  // "RADD", read as little-endian
inline constexpr std::uint16_t abi_major = 1;
inline constexpr std::uint16_t abi_minor = 0;
inline constexpr std::string_view entry_name = "radd_plugin_entry_v1";

// clang-format off
#define RADD_TEXT_OF(value) #value
#define RADD_TEXT(value) RADD_TEXT_OF(value)

#if defined(__clang__)
#define RADD_CC "clang" RADD_TEXT(__clang_major__)
#else
#define RADD_CC "gcc" RADD_TEXT(__GNUC__)
#endif
#if defined(_GLIBCXX_RELEASE)
#define RADD_STDLIB "libstdc++" RADD_TEXT(_GLIBCXX_RELEASE)
#define RADD_CXX11ABI RADD_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define RADD_STDLIB "other"
#define RADD_CXX11ABI "-"
#endif
#if defined(_GLIBCXX_DEBUG)
#define RADD_DEBUGMODE "1"
#else
#define RADD_DEBUGMODE "0"
#endif
#if defined(__has_feature)
#define RADD_HAS_FEATURE(name) __has_feature(name)
#else
#define RADD_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || RADD_HAS_FEATURE(address_sanitizer)
#define RADD_ASAN "1"
#else
#define RADD_ASAN "0"
#endif
#if defined(__SANITIZE_THREAD__) || RADD_HAS_FEATURE(thread_sanitizer)
#define RADD_TSAN "1"
#else
#define RADD_TSAN "0"
#endif
#if defined(__cpp_rtti)
#define RADD_RTTI "1"
#else
#define RADD_RTTI "0"
#endif
#if defined(__cpp_exceptions)
#define RADD_EXCEPTIONS "1"
#else
#define RADD_EXCEPTIONS "0"
#endif
#if defined(__x86_64__)
#define RADD_ARCH "x86_64"
#elif defined(__aarch64__)
#define RADD_ARCH "aarch64"
#else
#define RADD_ARCH "other"
#endif

/// What must be equal for std types to mean the same on both sides, as `name=value` words.
///
/// NDEBUG, _GLIBCXX_ASSERTIONS, -march and the optimisation level are left out on purpose: none
/// of them changes a layout. The JSON library is in because its parsed values are shared.
#define RADD_FINGERPRINT                                                                  \
    "cc=" RADD_CC " gxxabi=" RADD_TEXT(__GXX_ABI_VERSION) " stdlib=" RADD_STDLIB          \
    " cxx11abi=" RADD_CXX11ABI " debugmode=" RADD_DEBUGMODE " asan=" RADD_ASAN            \
    " tsan=" RADD_TSAN " rtti=" RADD_RTTI " exc=" RADD_EXCEPTIONS                         \
    " std=" RADD_TEXT(__cplusplus) " arch=" RADD_ARCH                                     \
    " json=" RADD_TEXT(NLOHMANN_JSON_VERSION_MAJOR) "." RADD_TEXT(NLOHMANN_JSON_VERSION_MINOR) \
    "." RADD_TEXT(NLOHMANN_JSON_VERSION_PATCH)
// clang-format on

inline constexpr std::string_view fingerprint = RADD_FINGERPRINT;

/// Contents of the ELF note, name "RADD", type 1. Text fields are padded with NULs.
struct NoteDesc {
    std::uint32_t magic;
    std::uint16_t format;  ///< 2
    std::uint16_t size;    ///< Of this struct.
    std::uint16_t abi_major;
    std::uint16_t abi_minor;
    std::uint32_t layout_low;
    std::uint32_t layout_high;
    std::array<char, 20> headers;  ///< Digest of the SDK's headers, 16 hexadecimal digits.
    std::array<char, 16> sdk_version;
    std::array<char, 40> id;
    std::array<char, 24> version;
    std::array<char, 40> entry;
    std::array<char, 192> fingerprint;
};

/// As it lies in the file. Aligned to 4: readers reject a note that is aligned to 8.
struct Note {
    std::uint32_t name_size;
    std::uint32_t desc_size;
    std::uint32_t type;
    std::array<char, 4> name;
    NoteDesc desc;
};
static_assert(alignof(Note) == 4 && sizeof(Note) == 16 + sizeof(NoteDesc));

inline constexpr std::uint16_t note_format = 2;
inline constexpr std::uint32_t note_type = 1;
inline constexpr std::array<char, 4> note_name{'R', 'A', 'D', 'D'};

/// `text` with NULs behind it. Text that leaves no room for one does not compile.
template <std::size_t size>
[[nodiscard]] consteval std::array<char, size> padded(std::string_view text) {
    if (text.size() >= size) throw std::length_error{"too long for a plugin's note"};
    std::array<char, size> field{};
    for (std::size_t i = 0; i < text.size(); ++i) field[i] = text[i];
    return field;
}

[[nodiscard]] consteval Note make_note(std::string_view id,
                                       std::string_view version,
                                       std::uint64_t layout,
                                       std::string_view headers) {
    return {.name_size = sizeof(Note::name),
            .desc_size = sizeof(NoteDesc),
            .type = note_type,
            .name = note_name,
            .desc = {.magic = magic,
                     .format = note_format,
                     .size = sizeof(NoteDesc),
                     .abi_major = abi_major,
                     .abi_minor = abi_minor,
                     .layout_low = static_cast<std::uint32_t>(layout),
                     .layout_high = static_cast<std::uint32_t>(layout >> 32U),
                     .headers = padded<20>(headers),
                     .sdk_version = padded<16>(RADD_SDK_VERSION),
                     .id = padded<40>(id),
                     .version = padded<24>(version),
                     .entry = padded<40>(entry_name),
                     .fingerprint = padded<192>(fingerprint)}};
}

/// Puts `text` into `error`, cut between two characters of UTF-8 where it is too long, and
/// returns `code`. A null `text` is told as such.
inline std::int32_t report(radd_error* error, std::int32_t code, const char* text) noexcept {
    if (error == nullptr) return code;
    const std::string_view whole = text == nullptr ? "an exception whose what() is null" : text;
    std::size_t size = whole.size() < sizeof(error->text) ? whole.size() : sizeof(error->text) - 1;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    if (size < whole.size()) {
        while (size > 0 && continues(whole[size])) --size;
    }
    whole.copy(error->text, size);
    error->text[size] = '\0';
    error->code = code;
    return code;
}

}  // namespace radd::abi
