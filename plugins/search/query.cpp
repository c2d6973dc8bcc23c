#include "query.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sql.hpp"
#include <radd/terminal_text.hpp>

namespace search {
namespace {

constexpr std::size_t key_length_max = 40;  ///< Of the longest project's and the largest number.
constexpr char mark_begin = '\x02';
constexpr char mark_end = '\x03';
/// Sorts after every key in the collation "C".
constexpr const char* last_character = "\U0010FFFF";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> project_id(radd::Transaction& tx,
                                       const std::optional<std::string>& key) {
    if (!key) return std::nullopt;
    const auto row = tx.query_one(sql::select_project, *key);
    if (!row) throw radd::InvalidInput{"project", "there is no project '" + *key + "'"};
    return row->integer("id");
}

Hit hit_of(const radd::Row& row) {
    return {.item_id = row.integer("id"),
            .key = row.text("key"),
            .type = row.text("type"),
            .title = row.text("title"),
            .state = row.text("state"),
            .category = row.text("category"),
            .project_key = row.text("project_key"),
            .project_name = row.text("project_name"),
            .rank = row.text("rank"),
            .shortened = row.boolean("shortened")};
}

}  // namespace

Place Place::parse(std::string_view text) {
    const auto colon = text.find(':');
    const radd::InvalidInput wrong{"after", "must be `next.after` of the page before"};
    if (colon == std::string_view::npos) throw wrong;
    const auto rank = text.substr(0, colon);
    const auto id = text.substr(colon + 1);
    float value = 0;
    std::int64_t item = 0;
    const auto [rank_end, rank_error] =
        std::from_chars(rank.data(), rank.data() + rank.size(), value);
    const auto [id_end, id_error] = std::from_chars(id.data(), id.data() + id.size(), item);
    if (rank_error != std::errc{} || rank_end != rank.data() + rank.size() ||
        !std::isfinite(value) || id_error != std::errc{} || id_end != id.data() + id.size())
        throw wrong;
    return {.rank = std::string{rank}, .item_id = item};
}

std::optional<std::string> key_in(std::string_view text) {
    text = trimmed(text);
    const auto dash = text.find('-');
    if (dash == std::string_view::npos || dash == 0 || text.size() > key_length_max ||
        !is_letter(text.front()))
        return std::nullopt;
    const auto project = text.substr(0, dash);
    if (!std::ranges::all_of(project,
                             [](char c) { return is_letter(c) || is_digit(c) || c == '_'; }) ||
        !std::ranges::all_of(text.substr(dash + 1), is_digit))
        return std::nullopt;
    std::string key{text};
    std::ranges::transform(key, key.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return key;
}

std::vector<Piece> pieces_of(std::string_view marked) {
    std::vector<Piece> pieces;
    bool hit = false;
    while (!marked.empty()) {
        const auto end = std::min(marked.find(hit ? mark_end : mark_begin), marked.size());
        if (end > 0) pieces.push_back({std::string{marked.substr(0, end)}, hit});
        marked.remove_prefix(std::min(end + 1, marked.size()));
        hit = !hit;
    }
    return pieces;
}

std::vector<Hit> find(radd::Transaction& tx,
                      const std::string& configuration,
                      const Question& question) {
    if (const auto length = characters_in(question.text); length > query_length_max)
        throw radd::InvalidInput{"q",
                                 "is " + std::to_string(length) + " characters; allowed are " +
                                     std::to_string(query_length_max)};
    if (question.limit < 1 || question.limit > page_hits_max)
        throw radd::InvalidInput{"limit", "must be 1 to " + std::to_string(page_hits_max)};

    const auto project = project_id(tx, question.project);
    const auto key = key_in(question.text);
    std::optional<std::string> key_end;
    if (key) key_end = *key + last_character;
    std::optional<std::string> rank;
    std::optional<std::int64_t> item;
    if (question.after) {
        rank = question.after->rank;
        item = question.after->item_id;
    }
    std::vector<Hit> hits;
    for (const auto& row : tx.query(sql::search,
                                    configuration,
                                    question.text,
                                    key,
                                    key_end,
                                    project,
                                    rank,
                                    item,
                                    static_cast<std::int64_t>(question.limit) + 1))
        hits.push_back(hit_of(row));
    return hits;
}

void add_snippets(radd::Transaction& tx,
                  const std::string& configuration,
                  const std::string& text,
                  std::vector<Hit>& hits) {
    std::vector<std::string> ids;
    for (const Hit& hit : hits) ids.push_back(std::to_string(hit.item_id));
    for (const auto& row :
         tx.query(sql::snippets, configuration, text, radd::text_array(ids), snippet_text_max)) {
        const auto hit = std::ranges::find(hits, row.integer("id"), &Hit::item_id);
        if (hit != hits.end()) hit->snippet = pieces_of(row.text("snippet"));
    }
}

}  // namespace search
