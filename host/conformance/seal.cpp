#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <host/conformance/seal.hpp>
#include <host/plugins/build_gate.hpp>
#include <host/plugins/elf_file.hpp>
#include <host/plugins/live.hpp>
#include <host/plugins/manifest_report.hpp>
#include <host/plugins/report.hpp>

namespace radd::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) throw Error{path.string() + ": cannot be read"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

loader::ElfFile read(const fs::path& plugin) {
    try {
        return loader::read_elf(bytes_of(plugin));
    } catch (const loader::BadElf& bad) {
        throw Error{bad.code() + ' ' + plugin.string() + ' ' + bad.what()};
    }
}

void refuse(const config::Problems& problems) {
    std::string text = loader::problems_text(problems);
    text.pop_back();  // The last line's break.
    throw Error{text};
}

}  // namespace

void write_manifest(const fs::path& plugin, const fs::path& file) {
    const loader::ElfFile elf = read(plugin);
    const auto problems = loader::check_library(elf, plugin.string());
    if (config::has_errors(problems)) refuse(problems);
    const loader::Asked asked = loader::ask({plugin.string(), fs::absolute(plugin), *elf.note},
                                            loader::trial_deadline,
                                            loader::manifest_json);
    if (asked.problem) refuse({*asked.problem});
    std::ofstream out{file, std::ios::binary};
    out << asked.told;
    out.close();
    if (!out) throw Error{file.string() + ": cannot be written"};
}

}  // namespace radd::conformance
