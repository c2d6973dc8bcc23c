// `radd inspect`: a library seen from outside.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <nlohmann/json.hpp>

#include <host/log/logging.hpp>
#include <host/plugins/child.hpp>
#include <host/plugins/live.hpp>
#include <host/plugins/manifest_report.hpp>
#include <host/plugins/report.hpp>
#include <host/plugins/seal.hpp>
#include <radd/error.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t lines_max = 20;

// A number of 64 bits is more than a JSON reader keeps exactly, so it is text everywhere.
std::string hex_of(std::uint64_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return "0x" + std::string{digits.data(), end};
}

std::string abi_of(const PluginNote& note) {
    return std::to_string(note.abi_major) + '.' + std::to_string(note.abi_minor);
}

void add(std::string& text, std::string name, const std::string& value) {
    name.resize(13, ' ');
    text += "  " + name + (value.empty() ? "none" : log::one_line(value)) + '\n';
}

void add_all(std::string& text, const std::string& name, const std::vector<std::string>& values) {
    if (values.empty()) add(text, name, "");
    for (std::size_t i = 0; i < values.size() && i < lines_max; ++i)
        add(text, i == 0 ? name : "", values[i]);
    if (values.size() > lines_max)
        add(text, "", "and " + std::to_string(values.size() - lines_max) + " more");
}

}  // namespace

Inspection inspect(const std::filesystem::path& path) {
    Inspection found{.file = path.string()};
    try {
        const auto bytes = read_library(path);
        found.bytes = bytes.size();
        found.sha256 = sha256_of(bytes);
        found.elf = read_elf(bytes);
        found.problems = check_library(*found.elf, found.file);
        // Without a note nobody has looked at its seal.
        const auto is_about_seal = [](const auto& problem) { return problem.code == "E19"; };
        if (found.elf->note && std::ranges::none_of(found.problems, is_about_seal))
            found.said = found.elf->seal;
    } catch (const BadElf& bad) {
        found.problems.push_back({.code = bad.code(), .file = found.file, .message = bad.what()});
    } catch (const Refusal& refusal) {
        found.problems.push_back(refusal.problem());
    }
    return found;
}

Inspection inspect_live(const std::filesystem::path& path, std::chrono::milliseconds deadline) {
    Inspection found = inspect(path);
    found.is_live = true;
    found.said.reset();
    if (config::has_errors(found.problems)) return found;
    if (!may_fork(0)) throw Error{"a child process cannot be made: this process has other threads"};
    const Untried library{found.file, std::filesystem::absolute(path), *found.elf->note};
    const Asked asked = ask(library, deadline, manifest_json);
    if (asked.problem) {
        found.problems.push_back(*asked.problem);
        return found;
    }
    found.said = asked.told;
    if (auto broken = seal_problem(found.elf->seal, asked.told)) {
        broken->plugin = found.elf->note->id;
        broken->file = found.file;
        found.problems.push_back(*std::move(broken));
    }
    return found;
}

std::string inspection_text(const Inspection& inspection) {
    std::string text = inspection.file + '\n';
    add(text, "bytes", std::to_string(inspection.bytes));
    add(text, "sha256", inspection.sha256);
    if (inspection.elf) {
        const ElfFile& elf = *inspection.elf;
        add(text, "build id", elf.build_id);
        if (elf.note) {
            add(text, "plugin", elf.note->id + ' ' + elf.note->version);
            add(text, "sdk", elf.note->sdk_version + ", ABI " + abi_of(*elf.note));
            add(text, "headers", elf.note->headers);
            add(text, "layout", hex_of(elf.note->layout_hash));
            add(text, "entry", elf.note->entry);
            add(text, "fingerprint", elf.note->fingerprint);
            add(text, "sealed", elf.seal ? "yes" : "no, so only --live tells what it brings");
        } else {
            add(text, "plugin", "");
        }
        add_all(text, "exports", elf.exports);
        add_all(text, "needs", elf.needed);
    }
    if (inspection.said)
        text += (inspection.is_live ? "asked in a child process, it brings\n"
                                    : "as its build has sealed it, it brings\n") +
                report_text(Json::parse(*inspection.said));
    return text + (inspection.problems.empty() ? "this host would open it\n"
                                               : "this host would not open it\n");
}

std::string inspection_json(const Inspection& inspection) {
    Json json{{"file", inspection.file},
              {"bytes", inspection.bytes},
              {"sha256", inspection.sha256},
              {"opens", inspection.problems.empty()}};
    if (inspection.elf) {
        const ElfFile& elf = *inspection.elf;
        json["build_id"] = elf.build_id;
        json["note"] = nullptr;
        if (elf.note)
            json["note"] = {{"id", elf.note->id},
                            {"version", elf.note->version},
                            {"abi", abi_of(*elf.note)},
                            {"sdk_version", elf.note->sdk_version},
                            {"headers", elf.note->headers},
                            {"layout", hex_of(elf.note->layout_hash)},
                            {"entry", elf.note->entry},
                            {"fingerprint", elf.note->fingerprint}};
        json["exports"] = elf.exports;
        json["needed"] = elf.needed;
        json["search_paths"] = elf.search_paths;
        json["text_relocations"] = elf.text_relocations;
        json["writable_code"] = elf.writable_code;
        json["executable_stack"] = elf.executable_stack;
        json["sealed"] = elf.seal.has_value();
    }
    json["manifest"] = inspection.said ? Json::parse(*inspection.said) : Json();
    json["problems"] = Json::parse(config::to_json(inspection.problems));
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace radd::loader
