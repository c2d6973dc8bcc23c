// What a plugin may be called. One word has to do as an id, a schema, a target and a command.

#include <algorithm>
#include <array>

#include <host/cli/new_plugin.hpp>
#include <host/config/manifest_file.hpp>
#include <host/config/scalars.hpp>
#include <host/plugins/validate.hpp>
#include <radd/abi.hpp>

namespace radd::cli {
namespace {

// One byte of the note's field is its end.
constexpr std::size_t id_bytes_max = sizeof(abi::NoteDesc::id) - 1;

// https://www.postgresql.org/docs/17/sql-keywords-appendix.html: reserved, and reserved but for
// functions and types. Without quotes none of them can be a schema.
constexpr std::array<std::string_view, 101> sql_words{"all",
                                                      "analyse",
                                                      "analyze",
                                                      "and",
                                                      "any",
                                                      "array",
                                                      "as",
                                                      "asc",
                                                      "asymmetric",
                                                      "authorization",
                                                      "binary",
                                                      "both",
                                                      "case",
                                                      "cast",
                                                      "check",
                                                      "collate",
                                                      "collation",
                                                      "column",
                                                      "concurrently",
                                                      "constraint",
                                                      "create",
                                                      "cross",
                                                      "current_catalog",
                                                      "current_date",
                                                      "current_role",
                                                      "current_schema",
                                                      "current_time",
                                                      "current_timestamp",
                                                      "current_user",
                                                      "default",
                                                      "deferrable",
                                                      "desc",
                                                      "distinct",
                                                      "do",
                                                      "else",
                                                      "end",
                                                      "except",
                                                      "false",
                                                      "fetch",
                                                      "for",
                                                      "foreign",
                                                      "freeze",
                                                      "from",
                                                      "full",
                                                      "grant",
                                                      "group",
                                                      "having",
                                                      "ilike",
                                                      "in",
                                                      "initially",
                                                      "inner",
                                                      "intersect",
                                                      "into",
                                                      "is",
                                                      "isnull",
                                                      "join",
                                                      "lateral",
                                                      "leading",
                                                      "left",
                                                      "like",
                                                      "limit",
                                                      "localtime",
                                                      "localtimestamp",
                                                      "natural",
                                                      "not",
                                                      "notnull",
                                                      "null",
                                                      "offset",
                                                      "on",
                                                      "only",
                                                      "or",
                                                      "order",
                                                      "outer",
                                                      "overlaps",
                                                      "placing",
                                                      "primary",
                                                      "references",
                                                      "returning",
                                                      "right",
                                                      "select",
                                                      "session_user",
                                                      "similar",
                                                      "some",
                                                      "symmetric",
                                                      "system_user",
                                                      "table",
                                                      "tablesample",
                                                      "then",
                                                      "to",
                                                      "trailing",
                                                      "true",
                                                      "union",
                                                      "unique",
                                                      "user",
                                                      "using",
                                                      "variadic",
                                                      "verbose",
                                                      "when",
                                                      "where",
                                                      "window",
                                                      "with"};

// https://cmake.org/cmake/help/latest/policy/CMP0037.html, and what Ninja brings.
constexpr std::array<std::string_view, 12> target_names{"all",
                                                        "clean",
                                                        "depend",
                                                        "edit_cache",
                                                        "help",
                                                        "install",
                                                        "list_install_components",
                                                        "package",
                                                        "package_source",
                                                        "preinstall",
                                                        "rebuild_cache",
                                                        "test"};

bool is_among(std::string_view word, const auto& words) {
    return std::ranges::find(words, word) != std::ranges::end(words);
}

/// Why nobody can be called so, though it is written well.
std::string_view taken_by_another(const std::string& id) {
    if (is_among(id, loader::reserved_plugin_ids()) || id == "public" ||
        id == "information_schema" || id.starts_with("pg_"))
        return "belongs to the host or to PostgreSQL";
    if (is_among(id, loader::reserved_command_words())) return "is a command of radd's own";
    if (is_among(id, sql_words)) return "is a reserved word of SQL";
    if (is_among(id, target_names)) return "is a target that CMake makes itself";
    return {};
}

bool is_usable(const std::string& id) {
    return config::is_plugin_id(id) && id.size() <= id_bytes_max && taken_by_another(id).empty();
}

/// What was meant by "My-Plugin"; empty if that cannot be told.
std::string as_plugin_id(const std::string& text) {
    std::string id;
    for (const char c : text) {
        if (c >= 'A' && c <= 'Z')
            id += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (!id.empty() && c >= '0' && c <= '9'))
            id += c;
        else if (!id.empty() && id.back() != '_')
            id += '_';
        if (id.size() == id_bytes_max) break;
    }
    while (id.ends_with('_')) id.pop_back();
    return is_usable(id) ? id : "";
}

std::string did_you_mean_id(const std::string& id) {
    return id.empty() ? "" : ". Did you mean '" + id + "'?";
}

}  // namespace

std::string plugin_name_complaint(const std::string& id) {
    if (!config::is_plugin_id(id) || id.size() > id_bytes_max)
        return config::shown(id) +
               " is no id of a plugin: lower-case letters, digits and _, a letter first, at most " +
               std::to_string(id_bytes_max) + did_you_mean_id(as_plugin_id(id));
    const auto reason = taken_by_another(id);
    if (reason.empty()) return {};
    return "'" + id + "' " + std::string{reason} + did_you_mean_id(as_plugin_id(id + "_plugin"));
}

}  // namespace radd::cli
