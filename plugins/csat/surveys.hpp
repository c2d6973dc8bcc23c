#pragma once

/// Surveys as rows: asked about an item at most once, answered once.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <csat/events.hpp>
#include <radd/clock.hpp>
#include <radd/transaction.hpp>

namespace csat {

inline constexpr std::size_t comment_length_max = 4000;  ///< In characters.
inline constexpr std::int64_t list_rows_max = 1000;

/// Whom to ask about which item.
struct Request {
    std::string email;
    std::string name;  ///< Empty if nobody knows it.
    std::string item_key;
    std::string item_title;
    std::int64_t attempt = 1;  ///< More: those before are known not to have gone out.
};

/// 256 bits nobody can guess, as they stand in a link.
[[nodiscard]] std::string make_token(radd::Random& random);

/// Writes down that `item_id` is being asked about, and tells whom to ask: the item's contact,
/// else its reporter. Empty, with nothing written, if its project wants no surveys, nobody can be
/// reached, or it was asked about before, by whichever host.
///
/// A survey that was marked as unsent is asked once more: `token` takes the place of the one
/// before, which opens nothing from then on, and the mark is gone.
[[nodiscard]] std::optional<Request> request(radd::Transaction& tx,
                                             std::string_view item_id,
                                             std::string_view token);

/// Writes down that the mail with `token` is known not to have gone out, so that request() may ask
/// again. Changes nothing if the survey has another token by now, was answered, or is gone.
void mark_unsent(radd::Transaction& tx, std::string_view item_id, std::string_view token);

enum class Answer : std::uint8_t { recorded, already_answered, unknown_token };

/// Records what was answered, and emits csat.responded. The first answer stands.
/// @throws InvalidInput if `score` or `comment` is out of bounds; nothing was written.
[[nodiscard]] Answer answer(radd::Transaction& tx,
                            std::string_view token,
                            std::int64_t score,
                            const std::optional<std::string>& comment);

/// Whether the project wants surveys. Asking for what is so already is no error.
/// @throws InvalidInput if no project has this key.
void set_enabled(radd::Transaction& tx, std::string_view project_key, bool enabled);

/// What whoever holds a token may know of its survey.
struct Question {
    std::string item_key;
    std::string item_title;
    std::optional<std::int64_t> score{};  ///< Set once it was answered.
    std::optional<std::string> comment{};
};

/// The survey of this token; nothing if there is none, or if another token has taken its place.
[[nodiscard]] std::optional<Question> find(radd::Transaction& tx, std::string_view token);

/// Whether it could be one: what cannot is not looked for.
[[nodiscard]] bool looks_like_token(std::string_view text) noexcept;

/// Times are RFC 3339, in UTC.
struct Survey {
    std::int64_t item_id = 0;
    std::string item_key;
    std::string item_title;
    std::string requested_at;
    std::optional<std::string> unsent_since{};  ///< The mail is known not to have gone out.
    std::optional<std::int64_t> score{};
    std::optional<std::string> comment{};
    std::optional<std::string> responded_at{};
};

/// {"item":{"id","key","title"},"requested_at","unsent_since","score","comment","responded_at"}
[[nodiscard]] radd::json to_json(const Survey& survey);

/// The latest first, at most `limit` and never more than `list_rows_max`: those asked for before
/// the survey of item `before`, else from the latest on.
/// @throws InvalidInput naming "before" if that item has no survey.
[[nodiscard]] std::vector<Survey> list(radd::Transaction& tx,
                                       std::int64_t limit = list_rows_max,
                                       std::optional<std::int64_t> before = {});

}  // namespace csat
