#pragma once

/// Asking the index.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/transaction.hpp>

namespace search {

inline constexpr std::size_t query_length_max = 1000;  ///< In characters.
inline constexpr std::size_t page_hits = 20;
inline constexpr std::size_t page_hits_max = 100;
/// How much of an item's text a snippet is looked for in, in characters.
inline constexpr std::int64_t snippet_text_max = 50'000;

/// The last hit of a page: where the next begins.
struct Place {
    std::string rank;  ///< As PostgreSQL writes it, so that it comes back the same.
    std::int64_t item_id;

    /// "0.6079271:42". @throws InvalidInput naming "after" if `text` is none.
    [[nodiscard]] static Place parse(std::string_view text);
    [[nodiscard]] std::string text() const { return rank + ':' + std::to_string(item_id); }
};

/// Part of a snippet; what was looked for is told from what stands around it.
struct Piece {
    std::string text;
    bool hit;

    friend bool operator==(const Piece&, const Piece&) = default;
};

struct Hit {
    std::int64_t item_id;
    std::string key;
    std::string type;
    std::string title;
    std::string state;
    std::string category;
    std::string project_key;
    std::string project_name;
    std::string rank;
    bool shortened;  ///< Not every word of the item is in the index.
    std::vector<Piece> snippet{};
};

struct Question {
    std::string text;  ///< As a person wrote it: words, "phrases", -without, or.
    std::optional<std::string> project{};  ///< By key.
    std::optional<Place> after{};
    std::size_t limit = page_hits;
};

/// The best hits first, of one more than `limit` if there is another page. No text is an error but
/// one that is too long: operators and quotes that make no sense are words or nothing.
/// @throws InvalidInput naming "q", "project" or "limit".
[[nodiscard]] std::vector<Hit> find(radd::Transaction& tx,
                                    const std::string& configuration,
                                    const Question& question);

/// Fills in the snippets of `hits`, which is what costs: one page's at a time.
void add_snippets(radd::Transaction& tx,
                  const std::string& configuration,
                  const std::string& text,
                  std::vector<Hit>& hits);

/// What may be the beginning of an item's key, in upper case: "proj-1" is, "crash" is not.
[[nodiscard]] std::optional<std::string> key_in(std::string_view text);

/// "it \x02burns\x03" as pieces.
[[nodiscard]] std::vector<Piece> pieces_of(std::string_view marked);

}  // namespace search
