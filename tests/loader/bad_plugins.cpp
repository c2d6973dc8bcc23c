#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <radd/abi.hpp>
#include <radd/sdk_digest.hpp>
#include <tests/loader/bad_plugins.hpp>

namespace radd::loader_test {
namespace {

using Make = std::function<Bytes()>;

Make file(const std::string& name) {
    return [name] { return read_file(fixture_path(name)); };
}

Make text(const std::string& content) {
    return [content] {
        Bytes bytes(content.size());
        std::ranges::transform(
            content, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
        return bytes;
    };
}

Make cut(std::size_t parts) {
    return [parts] {
        Bytes bytes = read_file(fixture_path("probe"));
        bytes.resize(bytes.size() / parts);
        return bytes;
    };
}

Make byte(std::size_t at, int value) {
    return [at, value] { return patched("probe", at, value); };
}

Make noted(const std::function<void(abi::NoteDesc&)>& change) {
    return [change] { return with_note(read_file(fixture_path("probe")), change); };
}

Make described(const std::function<void(radd_plugin_v1&)>& change) {
    return [change] { return with_descriptor(read_file(fixture_path("probe")), change); };
}

/// Every `from` replaced, which a linker has written once.
Make renamed(const std::string& from, const std::string& to, const std::string& in = "probe") {
    return [from, to, in] { return with_text(read_file(fixture_path(in)), from, to); };
}

/// As if built where `field` of the fingerprint has another value, of any length.
Make built_with(const std::string& field, const std::string& value) {
    return noted([field, value](abi::NoteDesc& note) {
        std::string fingerprint{abi::fingerprint};
        const auto start = fingerprint.find(field + '=') + field.size() + 1;
        fingerprint.replace(start, fingerprint.find(' ', start) - start, value);
        note.fingerprint = {};
        fingerprint.copy(note.fingerprint.data(), note.fingerprint.size() - 1);
    });
}

Bytes with_writable_code() {
    Bytes bytes = read_file(fixture_path("probe"));
    Elf64_Ehdr elf{};
    std::memcpy(&elf, bytes.data(), sizeof(elf));
    for (std::size_t i = 0; i < elf.e_phnum; ++i) {
        std::byte* const at = &bytes.at(elf.e_phoff + i * sizeof(Elf64_Phdr));
        Elf64_Phdr header{};
        std::memcpy(&header, at, sizeof(header));
        if ((header.p_flags & PF_X) != 0) header.p_flags |= PF_W;
        std::memcpy(at, &header, sizeof(header));
    }
    return bytes;
}

// A field that this host's fingerprint has, with another value, and the field before it again.
void repeat_a_field(abi::NoteDesc& note) {
    std::string{abi::fingerprint}
        .append(" cc=gcc99")
        .append(abi::fingerprint.substr(0, 9))
        .copy(note.fingerprint.data(), 191);
}

// P53
const std::vector<BadPlugin> no_library{
    {"empty", text(""), "", "E01", "the file is empty"},
    {"text", text("echo hello\n"), "", "E01", "no shared library"},
    {"tiny", text("\177ELF"), "", "E02", "cut short: 4 bytes"},
    {"half", cut(2), "", "E02", "cut short or damaged"},
    {"no table of segments", byte(offsetof(Elf64_Ehdr, e_phentsize), 1), "", "E02", "table of seg"},
    {"32 bits", byte(EI_CLASS, ELFCLASS32), "", "E03", "no 64-bit library"},
    {"big-endian", byte(EI_DATA, ELFDATA2MSB), "", "E03", "it is not little-endian"},
    {"executable", byte(offsetof(Elf64_Ehdr, e_type), ET_EXEC), "", "E03", "but no shared library"},
    {"other machine", byte(offsetof(Elf64_Ehdr, e_machine), EM_RISCV), "", "E03", "is for riscv"},
};

const std::vector<BadPlugin> wrong_note{
    {"no note", file("no_note"), "", "E04", "it has no note"},
    {"note of another format",
     noted([](auto& note) { note.format = 1; }),
     "",
     "E04",
     "format 1, this host reads 2; rebuild it"},
    {"next ABI",
     noted([](auto& note) { note.abi_major = abi::abi_major + 1; }),
     "",
     "E13",
     "it was built for ABI 2.0 (SDK 0.1.0), this host speaks 1.0. Rebuild"},
    {"last ABI",
     noted([](auto& note) { note.abi_major = abi::abi_major - 1; }),
     "",
     "E13",
     "it was built for ABI 0.0"},
    {"newer minor ABI",
     noted([](auto& note) { note.abi_minor = abi::abi_minor + 1; }),
     "",
     "E13",
     "it was built for ABI 1.1"},
    {"other layout",
     noted([](auto& note) { note.layout_low ^= 1U; }),
     "",
     "E13",
     "the layout of the SDK's types differs"},
    {"other headers",
     noted([](auto& note) { note.headers = abi::padded<20>("0123456789abcdef"); }),
     "",
     "E13",
     "host headers=" RADD_SDK_DIGEST ", plugin headers=0123456789abcdef. Rebuild"},
    {"other compiler",
     built_with("cc", "gcc99"),
     "",
     "E12",
     "plugin cc=gcc99. Rebuild the plugin with the compiler and the flags of the host"},
    {"a fingerprint with a field twice",
     noted(repeat_a_field),
     "",
     "E12",
     "toolchain fingerprint differs"},
    {"debug mode", file("debug_mode"), "", "E12", "host debugmode=0, plugin debugmode=1"},
    {"old strings", built_with("cxx11abi", "0"), "", "E12", "-D_GLIBCXX_USE_CXX11_ABI=1"},
    {"no RTTI", built_with("rtti", "0"), "", "E12", "host rtti=1, plugin rtti=0. Rebuild"},
    {"no exceptions", built_with("exc", "0"), "", "E12", "host exc=1, plugin exc=0"},
    {"sanitizer of its own", built_with("asan", "2"), "", "E12", "with the sanitizers of the host"},
    {"other JSON library", built_with("json", "2.0.0"), "", "E12", "Rebuild the plugin with nloh"},
    {"other standard", built_with("std", "201703L"), "", "E12", "plugin std=201703L"},
    {"other plugin", file("describer"), "", "E50", "is already taken from"},
    {"other id", file("debug_mode"), "", "E14", "is plugin 'debug_mode'"},
    {"other entry",
     noted([](auto& note) { note.entry[0] = 'X'; }),
     "",
     "E14",
     "its entry is called 'Xadd_plugin_entry_v1'"},
};

const std::vector<BadPlugin> wrong_linkage{
    {"no entry",
     renamed("radd_plugin_entry_v1", "radd_plugin_entry_v0"),
     "",
     "E14",
     "it does not export radd_plugin_entry_v1"},
    {"extra export", file("extra_export"), "", "E05", "it exports more than its entry"},
    {"unique symbol",
     file("unique_symbol"),
     "",
     "E05",
     "which merge with those of other plugins: shared_state"},
    {"search path", file("search_path"), "", "E06", "'./hijack'"},
    {"search path beside it",
     renamed("./hijack", "$ORIGIN/", "search_path"),
     "",
     "E06",
     "'$ORIGIN/'"},
    {"library by path",
     renamed("libradd_sdk.so.1", "./bradd_sdk.so.1"),
     "",
     "E06",
     "it needs './bradd_sdk.so.1' by a path"},
    {"other SDK library",
     renamed("libradd_sdk.so.1", "libradd_sdk.so.9"),
     "",
     "E09",
     "it needs libradd_sdk.so.9, this host uses libradd_sdk.so.1"},
    {"text relocation", file("text_relocation"), "", "E10", "Compile it with -fPIC"},
    {"writable code", with_writable_code, "", "E10", "writable and executable at once"},
    {"executable stack", file("executable_stack"), "", "E10", "noexecstack"},
};

const std::vector<BadPlugin> refused_when_opened{
    {"undefined symbol",
     file("undefined_symbol"),
     "",
     "E11",
     "'elsewhere::nobody_defines_this(int)'"},
    {"library that is not there",
     renamed("libstdc++.so.6", "libstdc++.so.0"),
     "",
     "E11",
     "libstdc++.so.0: cannot open shared object file: No such file or directory. A library it "
     "needs is not installed"},
    {"other headers behind a forged note",
     renamed("radd_abi_" RADD_SDK_DIGEST, "radd_abi_0123456789abcdef"),
     "",
     "E11",
     "It was built against the SDK headers 0123456789abcdef, this host's are " RADD_SDK_DIGEST},
    {"no descriptor", file("strange_entry"), "entry_null", "E14", "its entry returned nothing"},
    {"entry throws", file("strange_entry"), "entry_throws", "E14", "its entry threw: not today"},
    {"no manifest function", file("strange_entry"), "", "E14", "has no manifest function"},
    {"descriptor without id", file("strange_entry"), "no_id", "E14", "is not about probe 1.0.0"},
    {"descriptor of another toolchain",
     file("strange_entry"),
     "other_toolchain",
     "E14",
     "disagree about the toolchain"},
    {"descriptor with another version",
     noted([](auto& note) { note.version[0] = '2'; }),
     "",
     "E14",
     "its descriptor is not about probe 2.0.0"},
    {"descriptor without magic",
     described([](auto& descriptor) { descriptor.magic = 0; }),
     "",
     "E14",
     "a wrong magic number"},
    {"descriptor that is too small",
     described([](auto& descriptor) { descriptor.struct_size = 16; }),
     "",
     "E14",
     "its descriptor has 16 bytes, at least 56 are needed"},
    {"descriptor for another ABI",
     described([](auto& descriptor) { descriptor.abi_major = 7; }),
     "",
     "E14",
     "its descriptor is for ABI 7.0, its note said 1.0"},
    {"descriptor with another layout",
     described([](auto& descriptor) { descriptor.layout_hash = 1; }),
     "",
     "E14",
     "disagree about the layout"},
};

const std::vector<BadPlugin> wrong_manifest{
    {"throws an int", file("probe"), "throws_int", "E20", "no std::exception"},
    {"throws its own type", file("probe"), "throws_private", "E20", "no std::exception"},
    {"null text", file("probe"), "null_what", "E20", "what() is null"},
    {"wrong id", file("probe"), "wrong_id", "E14", "its code says prober 1.0.0"},
    {"wrong version", file("probe"), "wrong_version", "E14", "probe 9.9.9"},
    {"empty label", file("probe"), "empty_label", "E21", "'probe.happened' has an empty label"},
    {"consumer of another",
     file("probe"),
     "foreign_consumer",
     "E21",
     "must be called 'probe.<what>'"},
    {"huge batch", file("probe"), "huge_batch", "E21", "batch 1001 is outside 1..1000"},
    {"event twice", file("probe"), "event_twice", "E30", "'probe.happened' is declared twice"},
    {"duplicate event",
     file("probe"),
     "duplicate_event",
     "E30",
     "event 'describer.happened' is declared by plugin 'describer'"},
    {"duplicate consumer",
     file("probe"),
     "duplicate_consumer",
     "E30",
     "consumer 'describer.reader' is declared by plugin 'describer'"},
    {"undescribed subject",
     file("probe"),
     "undescribed",
     "E31",
     "probe: event 'probe.happened' names subject 'itme', which no loaded plugin describes. "
     "Did you mean 'item'?"},
    {"enum gap", file("probe"), "enum_gap", "E32", "event 'probe.ended'"},
    {"schema that is none", file("probe"), "bad_schema", "E33", "payload_schema"},
    {"no factory", file("probe"), "no_factory", "E35", "has no 'make' function. Set .make"},
    {"cascade after nothing", file("probe"), "lost_cascade", "E36", "describer.gone"},
    {"missing dependency",
     file("probe"),
     "needs_missing",
     "E51",
     "depends on plugin 'describr', which is not installed. Did you mean 'describer'?"},
    {"needs itself", file("probe"), "needs_itself", "E52", "its dependencies lead back to it"},
    {"action on nothing", file("probe"), "lost_action", "E55", "'itme'"},
};

const std::vector<BadPlugin> deadly{
    {"constructor throws",
     file("constructor_throws"),
     "",
     "E15",
     "it crashed while it was being opened by signal 6 (Aborted), called from probe.so+0x"},
    {"constructor writes wild",
     file("constructor_writes_wild"),
     "",
     "E15",
     "by signal 11 (Segmentation fault), in probe.so+0x"},
    {"constructor calls nothing",
     file("constructor_calls_nothing"),
     "",
     "E15",
     "by signal 11 (Segmentation fault), called from probe.so+0x"},
    {"constructor recurses for ever",
     file("constructor_recurses"),
     "",
     "E15",
     "by signal 11 (Segmentation fault), in probe.so+0x"},
    {"constructor is killed", file("constructor_is_killed"), "", "E15", "by signal 9 (Killed)"},
    {"constructor hangs",
     file("constructor_hangs"),
     "",
     "E16",
     "it was not done within 2s while it was being opened. A constructor must not wait"},
    {"constructor joins a thread", file("constructor_joins"), "", "E16", "not done within 2s"},
    {"constructor exits",
     file("constructor_exits"),
     "",
     "E17",
     "it ended the process that had opened it while it was being opened, with exit status 0"},
    {"manifest function crashes",
     file("probe"),
     "manifest_crashes",
     "E15",
     "it crashed when it was asked for its manifest by signal 4 (Illegal instruction), in "
     "probe.so"},
    {"manifest function hangs",
     file("probe"),
     "manifest_hangs",
     "E16",
     "not done within 2s when it was asked for its manifest"},
    {"manifest function exits",
     file("probe"),
     "manifest_exits",
     "E17",
     "when it was asked for its manifest, with exit status 3"},
};

std::vector<BadPlugin> joined(std::initializer_list<std::vector<BadPlugin>> lists) {
    std::vector<BadPlugin> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

}  // namespace

const std::vector<BadPlugin>& bad_by_file() {
    static const auto all = joined({no_library, wrong_note, wrong_linkage});
    return all;
}

const std::vector<BadPlugin>& bad_by_behaviour() {
    static const auto all = joined({refused_when_opened, wrong_manifest});
    return all;
}

const std::vector<BadPlugin>& bad_by_trial() {
    return deadly;
}

Bytes patched(const std::string& fixture, std::size_t at, int value) {
    Bytes bytes = read_file(fixture_path(fixture));
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
}

}  // namespace radd::loader_test
