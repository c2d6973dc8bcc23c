#include "jira_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "past_changes.hpp"
#include <radd/error.hpp>

namespace importer {
namespace {

constexpr std::string_view unusable = "\\u0000";
constexpr std::size_t escape_size = 6;  // \u followed by four digits

/// The code unit of the `\uXXXX` that `text` begins with; -1 if it begins with none.
int escaped_unit(std::string_view text) {
    if (text.size() < escape_size || !text.starts_with("\\u")) return -1;
    int unit = 0;
    const char* digits = text.data() + 2;
    const auto [end, error] = std::from_chars(digits, digits + 4, unit, 16);
    return error == std::errc{} && end == digits + 4 ? unit : -1;
}

/// What to copy from the front of `text`, and how many bytes it stands for.
struct Piece {
    std::string_view copy;
    std::size_t size;
};

Piece escape(std::string_view text) {
    const int unit = escaped_unit(text);
    if (unit < 0xD800 || unit > 0xDFFF)
        return {text.substr(0, 2), std::min<std::size_t>(2, text.size())};
    const int next = escaped_unit(text.substr(escape_size));
    if (unit < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF)
        return {text.substr(0, 2 * escape_size), 2 * escape_size};
    return {unusable, escape_size};
}

Piece code_point(std::string_view text) {
    const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(0);
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    bool sound = first >= 0xC2 && first <= 0xF4 && text.size() >= size;
    for (std::size_t at = 1; sound && at < size; ++at) sound = (byte(at) & 0xC0U) == 0x80;
    // Overlong forms, surrogates, and what lies past the last code point.
    sound = sound && !(first == 0xE0 && byte(1) < 0xA0) && !(first == 0xED && byte(1) > 0x9F) &&
            !(first == 0xF0 && byte(1) < 0x90) && !(first == 0xF4 && byte(1) > 0x8F);
    return sound ? Piece{text.substr(0, size), size} : Piece{unusable, 1};
}

radd::json parse_json(const std::string& text) {
    try {
        return radd::json::parse(repair_text(text));
    } catch (const radd::json::parse_error& error) {
        throw radd::InvalidInput{"file",
                                 "is no JSON at byte " + std::to_string(error.byte) +
                                     "; export it again, it may be cut off"};
    } catch (const radd::json::out_of_range&) {
        throw radd::InvalidInput{"file", "holds a number above 1.8e308; repair it at its source"};
    }
}

const radd::json& issues_of(const radd::json& document) {
    if (document.is_array()) return document;
    if (document.is_object() && document.contains("issues") && document["issues"].is_array())
        return document["issues"];
    throw radd::InvalidInput{"file",
                             "has no list of issues; give the answer of /rest/api/2/search with "
                             "fields=*all and expand=changelog"};
}

/// A parent may be given by key alone.
void resolve_parent_keys(std::vector<Issue>& issues) {
    std::map<std::string, std::string> ids;
    for (const auto& issue : issues) ids.emplace(issue.key, issue.id);
    for (auto& issue : issues) {
        if (!issue.parent || !issue.parent->id.empty()) continue;
        const auto found = ids.find(issue.parent->key);
        issue.parent->id = found == ids.end() ? issue.parent->key : found->second;
    }
}

/// A change log names people by id alone, and some of them nothing else in the file describes.
void describe_unknown_people(Export& out) {
    const auto unknown = [&out](const std::string& id, const std::string& name) {
        return (!id.empty() || !name.empty()) && !out.shared.users.contains(id);
    };
    for (const auto& issue : out.issues) {
        for (const auto& entry : issue.history) {
            const bool found = std::ranges::any_of(entry.changes, [&](const FieldChange& change) {
                return names_people(change.field) &&
                       (unknown(change.from_id, change.from) || unknown(change.to_id, change.to));
            });
            if (!found) continue;
            out.shared.users.try_emplace(unknown_user,
                                         User{.id = unknown_user, .name = unknown_name});
        }
    }
}

void warn_of_pages(const radd::json& document, Export& out) {
    const auto total = document.is_object() ? document.find("total") : document.end();
    if (!document.is_object() || total == document.end() || !total->is_number_integer()) return;
    const auto here = static_cast<std::int64_t>(document["issues"].size());
    if (total->get<std::int64_t>() > here)
        out.warnings.push_back({.key = "",
                                .field = "total",
                                .text = "the search found " + total->dump() +
                                        " issues, this page has " + std::to_string(here) +
                                        "; import the others too"});
}

void outline_issues(Export& out) {
    for (const auto& issue : out.issues) {
        out.projects.try_emplace(issue.project_key, issue.project_name);
        if (issue.parent) out.parents[issue.id] = issue.parent->id;
    }
    out.issues_sound = out.issues.size();
}

}  // namespace

bool is_wanted(const std::string& key, const std::vector<std::string>& projects) {
    return projects.empty() || std::ranges::any_of(projects, [&key](const std::string& project) {
               return key.starts_with(project + "-");
           });
}

void warn_of_guesses(Outline& out) {
    for (const auto& [status, entry] : out.shared.statuses.entries()) {
        if (!entry.guessed) continue;
        out.warnings.push_back({.key = "",
                                .field = "status",
                                .text = "'" + status +
                                        "' has no category in the file; by its name: " +
                                        std::string{items::name_of(entry.category)}});
    }
}

std::string read_file(const std::string& path, std::uint64_t bytes_max) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) throw radd::InvalidInput{"file", "'" + path + "': " + error.message()};
    if (size > bytes_max)
        throw radd::InvalidInput{"file",
                                 "'" + path + "' has " + std::to_string(size) + " bytes, above " +
                                     std::to_string(bytes_max) +
                                     "; import it page by page, or raise file_mib_max"};
    std::ifstream in{path, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in) throw radd::InvalidInput{"file", "'" + path + "' cannot be read"};
    return text;
}

std::string repair_text(const std::string& json) {
    std::string repaired;
    repaired.reserve(json.size());
    std::string_view rest = json;
    while (!rest.empty()) {
        const auto first = static_cast<unsigned char>(rest.front());
        Piece piece{rest.substr(0, 1), 1};
        if (first == '\\') piece = escape(rest);
        if (first == 0) piece.copy = unusable;
        if (first >= 0x80) piece = code_point(rest);
        repaired += piece.copy;
        rest.remove_prefix(piece.size);
    }
    return repaired;
}

Export parse_export(const std::string& text,
                    const std::vector<std::string>& projects,
                    const Zone& zone) {
    const auto document = parse_json(text);
    Export out;
    std::size_t position = 0;
    for (const auto& entry : issues_of(document)) {
        const auto key = key_for_report(entry, position++);
        if (!is_wanted(key, projects)) continue;
        ++out.issues_total;
        std::vector<Problem> warnings;
        try {
            out.issues.push_back(parse_issue(entry, zone, out.shared, warnings));
            for (auto& warning : warnings) out.warnings.push_back(std::move(warning));
        } catch (const radd::InvalidInput& error) {
            out.rejected.push_back(rejection(key, error));
        }
    }
    resolve_parent_keys(out.issues);
    describe_unknown_people(out);
    warn_of_pages(document, out);
    warn_of_guesses(out);
    outline_issues(out);
    return out;
}

std::vector<Issue> ExportSource::next(std::size_t count_max) {
    const auto count = std::min(count_max, file_.issues.size() - at_);
    const auto first = file_.issues.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace importer
