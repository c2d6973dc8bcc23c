#include <algorithm>
#include <array>

#include <host/db/statement_text.hpp>

namespace radd::db {
namespace {

bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) noexcept {
    return is_letter(c) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t past(std::string_view sql, std::size_t found, std::size_t length) noexcept {
    return found == std::string_view::npos ? sql.size() : found + length;
}

std::size_t past_block_comment(std::string_view sql, std::size_t at) noexcept {
    std::size_t depth = 0;  // PostgreSQL nests them.
    do {
        const auto two = sql.substr(at, 2);
        if (two == "/*") ++depth;
        if (two == "*/") --depth;
        at += two == "/*" || two == "*/" ? 2U : 1U;
    } while (depth > 0 && at < sql.size());
    return std::min(at, sql.size());
}

std::size_t past_quote(std::string_view sql, std::size_t at) noexcept {
    const char quote = sql[at];
    const bool escapes = quote == '\'' && at > 0 && (sql[at - 1] == 'E' || sql[at - 1] == 'e') &&
                         (at == 1 || !is_word(sql[at - 2]));
    for (++at; at < sql.size(); ++at) {
        if (escapes && sql[at] == '\\') {
            ++at;
        } else if (sql[at] == quote) {
            return at + 1;  // A doubled quote opens the next one at once.
        }
    }
    return sql.size();
}

std::size_t past_dollar_quote(std::string_view sql, std::size_t at) noexcept {
    std::size_t end = at + 1;
    if (at > 0 && is_word(sql[at - 1])) return end;
    if (end < sql.size() && sql[end] >= '0' && sql[end] <= '9') return end;
    while (end < sql.size() && is_word(sql[end])) ++end;
    if (end == sql.size() || sql[end] != '$') return at + 1;
    const auto tag = sql.substr(at, end + 1 - at);
    return past(sql, sql.find(tag, end + 1), tag.size());
}

bool is_comment(std::string_view sql, std::size_t at) noexcept {
    return sql.substr(at, 2) == "--" || sql.substr(at, 2) == "/*";
}

/// Past one character, or past a whole quote or comment that begins here.
std::size_t next(std::string_view sql, std::size_t at) noexcept {
    if (sql.substr(at, 2) == "--") return past(sql, sql.find('\n', at), 1);
    if (sql.substr(at, 2) == "/*") return past_block_comment(sql, at);
    if (sql[at] == '\'' || sql[at] == '"') return past_quote(sql, at);
    if (sql[at] == '$') return past_dollar_quote(sql, at);
    return at + 1;
}

std::size_t skip_blank(std::string_view sql, std::size_t at) noexcept {
    while (at < sql.size() && (is_space(sql[at]) || is_comment(sql, at))) at = next(sql, at);
    return at;
}

/// Takes the first word off `sql`. A word that is no keyword comes back as it is.
std::string_view take_word(std::string_view& sql) noexcept {
    sql.remove_prefix(skip_blank(sql, 0));
    std::size_t end = 0;
    while (end < sql.size() && is_word(sql[end])) ++end;
    const auto word = sql.substr(0, end);
    sql.remove_prefix(end);
    return word;
}

bool is_keyword(std::string_view word, std::string_view upper) noexcept {
    return std::ranges::equal(word, upper, [](char a, char b) {
        return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 'a' + 'A') : a) == b;
    });
}

}  // namespace

bool controls_session(std::string_view sql) noexcept {
    constexpr std::array<std::string_view, 9> always{
        "BEGIN", "START", "COMMIT", "END", "ABORT", "PREPARE", "RESET", "DISCARD", "DEALLOCATE"};
    // PostgreSQL takes an empty statement before the real one for nothing.
    for (auto at = skip_blank(sql, 0); at < sql.size() && sql[at] == ';'; at = skip_blank(sql, 0))
        sql.remove_prefix(at + 1);
    const auto first = take_word(sql);
    if (std::ranges::any_of(always, [&](auto word) { return is_keyword(first, word); }))
        return true;

    const auto second = take_word(sql);
    if (is_keyword(first, "SET"))
        return !is_keyword(second, "LOCAL") && !is_keyword(second, "CONSTRAINTS");
    if (!is_keyword(first, "ROLLBACK")) return false;
    const bool has_filler = is_keyword(second, "WORK") || is_keyword(second, "TRANSACTION");
    return !is_keyword(has_filler ? take_word(sql) : second, "TO");
}

int statement_line(std::string_view script, std::size_t index) noexcept {
    std::size_t begin = skip_blank(script, 0);
    std::size_t at = begin;
    while (index > 0 && at < script.size()) {
        const bool ends = script[at] == ';';
        at = next(script, at);
        if (!ends) continue;
        const auto following = skip_blank(script, at);
        if (following == script.size()) break;
        begin = at = following;
        if (script[at] != ';') --index;
    }
    const auto length = static_cast<std::ptrdiff_t>(begin);
    return 1 + static_cast<int>(std::count(script.begin(), script.begin() + length, '\n'));
}

int line_at(std::string_view script, std::size_t position) noexcept {
    int line = 1;
    std::size_t characters = 0;
    for (const char c : script) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
        if (!continues && ++characters >= position) break;
        if (c == '\n') ++line;
    }
    return line;
}

}  // namespace radd::db
