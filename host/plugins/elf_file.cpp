#include <algorithm>
#include <array>
#include <cstring>

#include <elf.h>
#include <host/plugins/elf_file.hpp>
#include <radd/abi.hpp>

namespace radd::loader {
namespace {

// Far above what a linker writes and low enough that a hostile table costs nothing.
constexpr std::size_t program_headers_max = 256;
constexpr std::size_t dynamic_entries_max = 4096;
constexpr std::size_t notes_max = 1000;
constexpr std::size_t symbols_max = 1U << 20U;
constexpr std::size_t name_bytes_max = 4096;
constexpr std::size_t names_kept_max = 1000;

#if defined(__x86_64__)
constexpr std::uint16_t own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64;
#endif

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86-64";
        case EM_AARCH64:
            return "aarch64";
        case EM_386:
            return "i386";
        case EM_ARM:
            return "arm";
        case EM_RISCV:
            return "riscv";
        default:
            return "machine " + std::to_string(machine);
    }
}

/// The only way at the bytes: every read says where and how much, and is checked.
class Bytes {
public:
    explicit Bytes(std::span<const std::byte> bytes) : bytes_{bytes} {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

    [[nodiscard]] std::span<const std::byte> at(std::uint64_t offset, std::uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset)
            throw BadElf{"E02",
                         "the file is cut short or damaged: it refers to " + std::to_string(size) +
                             " bytes at " + std::to_string(offset) + " and has " +
                             std::to_string(bytes_.size())};
        return bytes_.subspan(offset, size);
    }

    template <typename T>
    [[nodiscard]] T get(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, at(offset, sizeof(T)).data(), sizeof(T));
        return value;
    }

    /// The text from `offset` to its NUL.
    [[nodiscard]] std::string text(std::uint64_t offset) const {
        (void)at(offset, 1);
        const auto rest = bytes_.subspan(offset);
        const auto window = rest.first(std::min(rest.size(), name_bytes_max));
        const auto end = std::find(window.begin(), window.end(), std::byte{0});
        if (end == window.end())
            throw BadElf{"E02", "the file is damaged: a name in it does not end"};
        std::string name(static_cast<std::size_t>(end - window.begin()), '\0');
        std::memcpy(name.data(), window.data(), name.size());
        return name;
    }

private:
    std::span<const std::byte> bytes_;
};

template <std::size_t size>
std::string unpadded(const std::array<char, size>& field) {
    return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

PluginNote decode_note(std::span<const std::byte> desc) {
    abi::NoteDesc raw{};
    const std::size_t size = std::min(desc.size(), sizeof(raw));
    std::memcpy(&raw, desc.data(), size);
    // Before the size, which is another one in every format.
    const bool has_format = size >= offsetof(abi::NoteDesc, format) + sizeof(raw.format);
    if (has_format && (raw.magic != abi::magic || raw.format != abi::note_format))
        throw BadElf{"E04",
                     "its plugin note has format " + std::to_string(raw.format) +
                         ", this host reads " + std::to_string(abi::note_format) +
                         "; rebuild it with SDK " RADD_SDK_VERSION};
    if (size < sizeof(raw))
        throw BadElf{"E04",
                     "its plugin note has " + std::to_string(desc.size()) + " bytes and not " +
                         std::to_string(sizeof(raw))};
    return {.abi_major = raw.abi_major,
            .abi_minor = raw.abi_minor,
            .layout_hash = std::uint64_t{raw.layout_high} << 32U | raw.layout_low,
            .headers = unpadded(raw.headers),
            .sdk_version = unpadded(raw.sdk_version),
            .id = unpadded(raw.id),
            .version = unpadded(raw.version),
            .entry = unpadded(raw.entry),
            .fingerprint = unpadded(raw.fingerprint)};
}

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_{bytes} {}

    ElfFile read() {
        check_kind();
        read_program_headers();
        read_seal();
        found_.executable_stack = true;  // What a file gets that does not speak of its stack.
        for (const Elf64_Phdr& header : headers_) {
            if (header.p_type == PT_NOTE) read_notes(header);
            if (header.p_type == PT_GNU_STACK)
                found_.executable_stack = (header.p_flags & PF_X) != 0;
            constexpr Elf64_Word writable_code = PF_W | PF_X;
            if (header.p_type == PT_LOAD && (header.p_flags & writable_code) == writable_code)
                found_.writable_code = true;
        }
        // Two would name everything twice, and 256 a gigabyte in a file of 100 kB.
        const auto dynamic = [](const Elf64_Phdr& header) { return header.p_type == PT_DYNAMIC; };
        if (std::ranges::count_if(headers_, dynamic) > 1)
            throw BadElf{"E02", "the file is damaged: it has two dynamic sections"};
        for (const Elf64_Phdr& header : headers_) {
            if (dynamic(header)) read_dynamic(header);
        }
        return std::move(found_);
    }

private:
    void check_kind();
    void read_program_headers();
    void read_seal();
    void read_notes(const Elf64_Phdr& header);
    void read_one_note(const Elf64_Nhdr& note, std::uint64_t name_at, std::uint64_t desc_at);
    void read_dynamic(const Elf64_Phdr& header);
    void read_symbols();
    void keep_symbol(const Elf64_Sym& symbol);
    [[nodiscard]] std::uint64_t symbol_count() const;
    [[nodiscard]] std::uint64_t gnu_hash_symbol_count() const;
    [[nodiscard]] std::uint64_t file_offset(std::uint64_t address) const;

    /// What the dynamic section points at, as addresses; 0: not there.
    struct Tables {
        std::uint64_t strings = 0;
        std::uint64_t symbols = 0;
        std::uint64_t hash = 0;
        std::uint64_t gnu_hash = 0;
    };

    Bytes bytes_;
    Elf64_Ehdr elf_{};
    std::vector<Elf64_Phdr> headers_;
    Tables tables_;
    std::size_t notes_read_ = 0;  ///< Of all segments, which may be the same one many times.
    ElfFile found_;
};

void Reader::check_kind() {
    if (bytes_.size() == 0) throw BadElf{"E01", "the file is empty"};
    const bool elf =
        bytes_.size() >= SELFMAG && std::memcmp(bytes_.at(0, SELFMAG).data(), ELFMAG, SELFMAG) == 0;
    if (!elf) throw BadElf{"E01", "the file is no shared library: it does not start as ELF"};
    if (bytes_.size() < sizeof(Elf64_Ehdr))
        throw BadElf{"E02", "the file is cut short: " + std::to_string(bytes_.size()) + " bytes"};
    elf_ = bytes_.get<Elf64_Ehdr>(0);
    if (elf_.e_ident[EI_CLASS] != ELFCLASS64) throw BadElf{"E03", "it is no 64-bit library"};
    if (elf_.e_ident[EI_DATA] != ELFDATA2LSB) throw BadElf{"E03", "it is not little-endian"};
    if (elf_.e_machine != own_machine)
        throw BadElf{"E03",
                     "it is for " + machine_name(elf_.e_machine) + ", this host runs on " +
                         machine_name(own_machine)};
    if (elf_.e_type != ET_DYN) throw BadElf{"E03", "it is an ELF file but no shared library"};
}

void Reader::read_program_headers() {
    if (elf_.e_phentsize != sizeof(Elf64_Phdr) || elf_.e_phnum > program_headers_max)
        throw BadElf{"E02", "the file is damaged: its table of segments cannot be read"};
    for (std::uint64_t i = 0; i < elf_.e_phnum; ++i) {
        const auto table = bytes_.at(elf_.e_phoff, elf_.e_phnum * sizeof(Elf64_Phdr));
        headers_.push_back(Bytes{table}.get<Elf64_Phdr>(i * sizeof(Elf64_Phdr)));
        // Mapping a segment that the file does not have ends in SIGBUS inside dlopen().
        if (headers_.back().p_type == PT_LOAD)
            (void)bytes_.at(headers_.back().p_offset, headers_.back().p_filesz);
    }
    // The last thing in the file: what half a copy lacks.
    (void)bytes_.at(elf_.e_shoff, std::uint64_t{elf_.e_shnum} * elf_.e_shentsize);
}

// The one section that is looked for: it is not mapped, so no segment leads to it. The dynamic
// linker reads no sections at all, so a file without a table of them, or an odd one, has no seal.
void Reader::read_seal() {
    if (elf_.e_shentsize != sizeof(Elf64_Shdr) || elf_.e_shstrndx >= elf_.e_shnum) return;
    const Bytes table{bytes_.at(elf_.e_shoff, elf_.e_shnum * sizeof(Elf64_Shdr))};
    const auto section_at = [&](std::uint64_t i) {
        return table.get<Elf64_Shdr>(i * sizeof(Elf64_Shdr));
    };
    const auto text_at = [](std::span<const std::byte> bytes) {
        std::string text(bytes.size(), '\0');
        if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
        return text;
    };
    const auto name_table = section_at(elf_.e_shstrndx);
    if (name_table.sh_type != SHT_STRTAB) return;
    const Bytes names{bytes_.at(name_table.sh_offset, name_table.sh_size)};
    const std::string wanted = std::string{seal_section} + '\0';
    for (std::uint64_t i = 0; i < elf_.e_shnum; ++i) {
        const auto section = section_at(i);
        const bool has_room = section.sh_type == SHT_PROGBITS && names.size() >= wanted.size() &&
                              section.sh_name <= names.size() - wanted.size();
        if (!has_room || text_at(names.at(section.sh_name, wanted.size())) != wanted) continue;
        if (found_.seal) throw BadElf{"E02", "the file is damaged: it is sealed twice"};
        if (section.sh_size > seal_bytes_max)
            throw BadElf{"E02",
                         "the manifest that it is sealed with has " +
                             std::to_string(section.sh_size) + " bytes, more than the " +
                             std::to_string(seal_bytes_max) + " that are read"};
        found_.seal = text_at(bytes_.at(section.sh_offset, section.sh_size));
    }
}

std::uint64_t Reader::file_offset(std::uint64_t address) const {
    for (const Elf64_Phdr& header : headers_) {
        const bool inside = header.p_type == PT_LOAD && address >= header.p_vaddr &&
                            address - header.p_vaddr < header.p_filesz;
        if (inside) return header.p_offset + (address - header.p_vaddr);
    }
    throw BadElf{"E02", "the file is damaged: a table lies outside of its segments"};
}

void Reader::read_notes(const Elf64_Phdr& header) {
    const Bytes notes{bytes_.at(header.p_offset, header.p_filesz)};
    const std::uint64_t alignment = header.p_align == 8 ? 8 : 4;
    const auto aligned = [&](std::uint64_t size) {
        return (size + alignment - 1) / alignment * alignment;
    };
    std::uint64_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
        if (++notes_read_ > notes_max)
            throw BadElf{"E02", "the file is damaged: it has more notes than any linker writes"};
        const auto note = notes.get<Elf64_Nhdr>(at);
        const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
        const std::uint64_t desc_at = at + aligned(sizeof(Elf64_Nhdr) + note.n_namesz);
        read_one_note(note, header.p_offset + name_at, header.p_offset + desc_at);
        at = desc_at + aligned(note.n_descsz);
    }
}

void Reader::read_one_note(const Elf64_Nhdr& note, std::uint64_t name_at, std::uint64_t desc_at) {
    const auto name = bytes_.at(name_at, note.n_namesz);
    const auto desc = bytes_.at(desc_at, note.n_descsz);
    const auto is_named = [&](std::string_view wanted) {
        return name.size() == wanted.size() &&
               std::memcmp(name.data(), wanted.data(), wanted.size()) == 0;
    };
    constexpr std::string_view gnu{"GNU\0", 4};
    if (is_named(gnu) && note.n_type == NT_GNU_BUILD_ID && desc.size() <= 64)
        found_.build_id = to_hex(desc);
    if (!is_named({abi::note_name.data(), abi::note_name.size()})) return;
    if (note.n_type != abi::note_type) return;
    if (found_.note) throw BadElf{"E04", "it has two plugin notes: RADD_PLUGIN stands once"};
    found_.note = decode_note(desc);
}

void Reader::read_dynamic(const Elf64_Phdr& header) {
    const Bytes section{bytes_.at(header.p_offset, header.p_filesz)};
    std::vector<Elf64_Dyn> entries;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.size(); at += sizeof(Elf64_Dyn)) {
        entries.push_back(section.get<Elf64_Dyn>(at));
        if (entries.back().d_tag == DT_NULL) break;
        if (entries.size() > dynamic_entries_max) break;
    }
    // The dynamic linker would read on.
    if (entries.empty() || entries.back().d_tag != DT_NULL)
        throw BadElf{"E02", "the file is damaged: its dynamic section does not end"};
    for (const Elf64_Dyn& entry : entries) {
        const std::uint64_t value = entry.d_un.d_val;
        if (entry.d_tag == DT_STRTAB) tables_.strings = value;
        if (entry.d_tag == DT_SYMTAB) tables_.symbols = value;
        if (entry.d_tag == DT_HASH) tables_.hash = value;
        if (entry.d_tag == DT_GNU_HASH) tables_.gnu_hash = value;
        if (entry.d_tag == DT_TEXTREL) found_.text_relocations = true;
        if (entry.d_tag == DT_FLAGS && (value & DF_TEXTREL) != 0) found_.text_relocations = true;
    }
    if (tables_.strings == 0) return;
    const std::uint64_t strings = file_offset(tables_.strings);
    for (const Elf64_Dyn& entry : entries) {
        const bool path = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
        // An offset beyond the file is refused by text(); the sum cannot wrap to a valid one.
        const std::uint64_t at = strings + std::min<std::uint64_t>(entry.d_un.d_val, UINT32_MAX);
        if (path) found_.search_paths.push_back(bytes_.text(at));
        if (entry.d_tag == DT_NEEDED) found_.needed.push_back(bytes_.text(at));
    }
    read_symbols();
}

std::uint64_t Reader::gnu_hash_symbol_count() const {
    struct Head {
        std::uint32_t buckets;
        std::uint32_t first_symbol;
        std::uint32_t bloom_words;
        std::uint32_t bloom_shift;
    };
    const std::uint64_t start = file_offset(tables_.gnu_hash);
    const auto head = bytes_.get<Head>(start);
    const std::uint64_t buckets_at = start + sizeof(Head) + std::uint64_t{head.bloom_words} * 8;
    const Bytes buckets{bytes_.at(buckets_at, std::uint64_t{head.buckets} * 4)};
    std::uint32_t last = 0;
    for (std::uint64_t i = 0; i < head.buckets; ++i)
        last = std::max(last, buckets.get<std::uint32_t>(i * 4));
    if (last < head.first_symbol) return head.first_symbol;
    // The chain of the highest bucket ends at the last symbol; its end is marked by the low bit.
    const std::uint64_t chains_at = buckets_at + buckets.size();
    for (std::uint64_t symbol = last;; ++symbol) {
        const auto value = bytes_.get<std::uint32_t>(chains_at + (symbol - head.first_symbol) * 4);
        if ((value & 1U) != 0) return symbol + 1;
    }
}

std::uint64_t Reader::symbol_count() const {
    if (tables_.hash != 0) return bytes_.get<std::uint32_t>(file_offset(tables_.hash) + 4);
    return tables_.gnu_hash != 0 ? gnu_hash_symbol_count() : 0;
}

void Reader::read_symbols() {
    if (tables_.symbols == 0) return;
    const std::uint64_t count = symbol_count();
    if (count > symbols_max)
        throw BadElf{"E02", "the file is damaged: it claims " + std::to_string(count) + " symbols"};
    const Bytes symbols{bytes_.at(file_offset(tables_.symbols), count * sizeof(Elf64_Sym))};
    for (std::uint64_t i = 0; i < count; ++i)
        keep_symbol(symbols.get<Elf64_Sym>(i * sizeof(Elf64_Sym)));
}

void Reader::keep_symbol(const Elf64_Sym& symbol) {
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    const bool visible = binding != STB_LOCAL && visibility != STV_HIDDEN &&
                         visibility != STV_INTERNAL && symbol.st_shndx != SHN_UNDEF;
    if (!visible || found_.exports.size() >= names_kept_max) return;
    std::string name = bytes_.text(file_offset(tables_.strings) + symbol.st_name);
    if (binding == STB_GNU_UNIQUE) found_.unique_exports.push_back(name);
    found_.exports.push_back(std::move(name));
}

}  // namespace

std::string to_hex(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (const std::byte byte : bytes) {
        hex.push_back(digits[std::to_integer<std::size_t>(byte >> 4)]);
        hex.push_back(digits[std::to_integer<std::size_t>(byte & std::byte{0xF})]);
    }
    return hex;
}

ElfFile read_elf(std::span<const std::byte> bytes) {
    return Reader{bytes}.read();
}

}  // namespace radd::loader
