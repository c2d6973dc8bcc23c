// What a library's file must look like before any of its code may run.

#include <algorithm>
#include <map>
#include <sstream>

#include <host/log/logging.hpp>
#include <host/plugins/library.hpp>
#include <host/plugins/manifest_report.hpp>
#include <host/plugins/seal.hpp>
#include <radd/abi.hpp>
#include <radd/layout.hpp>
#include <radd/sdk_digest.hpp>

namespace radd::loader {
namespace {

// The number is the SDK's SOVERSION, which is its ABI number.
constexpr std::string_view sdk_library_stem = "libradd_sdk.so";
const std::string sdk_library = std::string{sdk_library_stem} + ".1";

constexpr std::size_t names_shown_max = 5;

using Fields = std::map<std::string, std::string, std::less<>>;

Fields fields_of(std::string_view fingerprint) {
    Fields fields;
    std::istringstream words{std::string{fingerprint}};
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (equals != std::string::npos)
            fields[word.substr(0, equals)] = word.substr(equals + 1);
        else
            fields[word] = "";
    }
    return fields;
}

std::string fix_for(std::string_view fingerprint) {
    const Fields host = fields_of(abi::fingerprint);
    const Fields plugin = fields_of(fingerprint);
    const auto differs = [&](const std::string& name) {
        const auto found = plugin.find(name);
        return found == plugin.end() || found->second != host.at(name);
    };
    if (differs("debugmode"))
        return "Rebuild the plugin " +
               std::string{host.at("debugmode") == "1" ? "with" : "without"} +
               " -D_GLIBCXX_DEBUG, as the host was built";
    if (differs("asan") || differs("tsan"))
        return "Rebuild the plugin with the sanitizers of the host, or run a host built with the "
               "plugin's";
    if (differs("cxx11abi")) return "Rebuild the plugin with -D_GLIBCXX_USE_CXX11_ABI=1";
    if (differs("json")) return "Rebuild the plugin with nlohmann-json " + host.at("json");
    return "Rebuild the plugin with the compiler and the flags of the host";
}

std::string numbers(std::uint16_t major, std::uint16_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string first_few(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < names_shown_max; ++i)
        text += (i == 0 ? "" : ", ") + log::one_line(names[i], 200);
    if (names.size() > names_shown_max)
        text += " and " + std::to_string(names.size() - names_shown_max) + " more";
    return text;
}

/// The problems of one file, each with its name and the plugin's.
class Findings {
public:
    Findings(std::string file, std::string plugin)
        : file_{std::move(file)}, plugin_{std::move(plugin)} {}

    void add(std::string code, std::string message, std::string hint) {
        problems_.push_back({.code = std::move(code),
                             .plugin = plugin_,
                             .file = file_,
                             .message = std::move(message),
                             .hint = std::move(hint)});
    }
    [[nodiscard]] config::Problems take() { return std::move(problems_); }

private:
    std::string file_;
    std::string plugin_;
    config::Problems problems_;
};

void check_note(const PluginNote& note, Findings& findings) {
    const std::string rebuild = "Rebuild the plugin with SDK " RADD_SDK_VERSION;
    const bool same_abi = note.abi_major == abi::abi_major && note.abi_minor <= abi::abi_minor;
    if (!same_abi) {
        findings.add("E13",
                     "it was built for ABI " + numbers(note.abi_major, note.abi_minor) + " (SDK " +
                         log::one_line(note.sdk_version) + "), this host speaks " +
                         numbers(abi::abi_major, abi::abi_minor),
                     rebuild);
        return;  // Everything below is measured by this ABI.
    }
    if (note.fingerprint != abi::fingerprint)
        findings.add("E12",
                     "toolchain fingerprint differs: " +
                         fingerprint_difference(abi::fingerprint, note.fingerprint),
                     fix_for(note.fingerprint));
    else if (note.layout_hash != abi::layout_hash)
        findings.add("E13",
                     "the layout of the SDK's types differs, though the toolchain is the same: "
                     "it was built with other headers or with flags like -fpack-struct",
                     rebuild);
    // Of an ABI to which something was added since then, the headers must differ.
    else if (note.abi_minor == abi::abi_minor && note.headers != RADD_SDK_DIGEST)
        findings.add("E13",
                     "it was built against other SDK headers, in which something differs that no "
                     "layout shows, such as a virtual function: host headers=" RADD_SDK_DIGEST
                     ", plugin headers=" +
                         log::one_line(note.headers),
                     rebuild);
    if (note.entry != abi::entry_name)
        findings.add("E14",
                     "its entry is called '" + log::one_line(note.entry) + "' and not '" +
                         std::string{abi::entry_name} + "'",
                     rebuild);
}

void check_exports(const ElfFile& elf, Findings& findings) {
    std::vector<std::string> surplus;
    for (const std::string& name : elf.exports) {
        if (name != abi::entry_name) surplus.push_back(name);
    }
    const bool has_entry = surplus.size() < elf.exports.size();
    if (!has_entry)
        findings.add("E14",
                     "it does not export " + std::string{abi::entry_name},
                     "Write RADD_PLUGIN once, and build with radd_add_plugin()");
    if (!elf.unique_exports.empty())
        findings.add("E05",
                     "it exports unique symbols, which merge with those of other plugins: " +
                         first_few(elf.unique_exports),
                     "Build it with radd_add_plugin(), or with -fno-gnu-unique");
    else if (!surplus.empty())
        findings.add("E05",
                     "it exports more than its entry: " + first_few(surplus),
                     "Build it with radd_add_plugin(), which hides everything else");
}

void check_linkage(const ElfFile& elf, Findings& findings) {
    for (const std::string& path : elf.search_paths)
        findings.add("E06",
                     "it brings its own search path '" + log::one_line(path) +
                         "' for libraries, which could replace the host's",
                     "Link it without RPATH");
    for (const std::string& name : elf.needed) {
        if (name.find('/') != std::string::npos)
            findings.add("E06",
                         "it needs '" + log::one_line(name) +
                             "' by a path, which could replace a library of the host's",
                         "Link it with -l, to a library that has a SONAME");
        if (name.starts_with(sdk_library_stem) && name != sdk_library)
            findings.add("E09",
                         "it needs " + log::one_line(name) + ", this host uses " + sdk_library,
                         "Rebuild the plugin with SDK " RADD_SDK_VERSION);
    }
    if (elf.text_relocations)
        findings.add("E10", "its code is not position independent", "Compile it with -fPIC");
    if (elf.writable_code)
        findings.add("E10",
                     "a part of it would be writable and executable at once",
                     "Link it without -z rwx, -N and linker scripts of its own");
    if (elf.executable_stack)
        findings.add("E10", "it asks for an executable stack", "Link it with -z noexecstack");
}

void check_seal(const ElfFile& elf, Findings& findings) {
    if (!elf.seal) return;
    try {
        (void)report_text(read_seal(*elf.seal));
    } catch (const Error& failure) {
        findings.add(
            "E19",
            std::string{"the manifest that it is sealed with cannot be read: "} + failure.what(),
            "Build it again with radd_add_plugin()");
    }
}

}  // namespace

std::string fingerprint_difference(std::string_view host, std::string_view plugin) {
    const Fields ours = fields_of(host);
    const Fields theirs = fields_of(plugin);
    std::string text;
    const auto tell = [&](const std::string& name,
                          const std::string& our,
                          const std::string& their) {
        text += text.empty() ? "" : "; ";
        text += "host " + name + "=" + our + ", plugin " + name + "=" + log::one_line(their, 100);
    };
    for (const auto& [name, value] : ours) {
        const auto found = theirs.find(name);
        const std::string their = found == theirs.end() ? "unknown" : found->second;
        if (their != value) tell(name, value, their);
    }
    for (const auto& [name, value] : theirs) {
        if (!ours.contains(name)) tell(log::one_line(name, 100), "unknown", value);
    }
    // The same fields in other words: a field twice, or in another order.
    if (text.empty() && host != plugin) return "plugin says '" + log::one_line(plugin, 200) + "'";
    return text;
}

config::Problems check_library(const ElfFile& elf, const std::string& file) {
    Findings findings{file, elf.note ? log::one_line(elf.note->id) : std::string{}};
    if (!elf.note) {
        findings.add("E04",
                     "it is a shared library but no plugin of this host: it has no note",
                     "Write RADD_PLUGIN, and build with radd_add_plugin()");
        return findings.take();
    }
    check_note(*elf.note, findings);
    check_exports(elf, findings);
    check_linkage(elf, findings);
    check_seal(elf, findings);
    return findings.take();
}

config::Problems check_manifest(const Manifest& manifest,
                                const ElfFile& elf,
                                const std::string& file) {
    const PluginNote& note = *elf.note;
    Findings findings{file, note.id};
    if (manifest.id != note.id || manifest.version != note.version)
        findings.add("E14",
                     "its code says " + log::one_line(manifest.id, 100) + " " +
                         log::one_line(manifest.version, 100) + ", it was built as " + note.id +
                         " " + note.version,
                     "Let .id and .version in the code be what radd_add_plugin() says");
    if (const auto broken = seal_problem(elf.seal, manifest_json(manifest)))
        findings.add(broken->code, broken->message, broken->hint);
    return findings.take();
}

}  // namespace radd::loader
