#include "surveys.hpp"

#include <algorithm>

#include <csat/events.hpp>
#include <items/events.hpp>
#include <radd/percent.hpp>
#include <radd/typed_event.hpp>

namespace csat {
namespace {

// Base64url (RFC 4648) of 6 bits at a time: 43 digits hold 256 bits and need no padding.
constexpr std::string_view token_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t token_digits_total = 43;

// One statement holds every guard: no row unless the item is there, its project wants surveys,
// somebody can be reached, and nobody was asked about this item before, but for a mail that is
// known not to have gone out. Two hosts that get here at once meet at the primary key, and the
// second one waits, sees what the first one left, and gets no row.
constexpr radd::Sql write_survey = R"sql(
    WITH asked AS (
        SELECT item.id, item.key, item.title,
               coalesce(item.contact_email, reporter.email) AS email,
               CASE WHEN item.contact_email IS NULL THEN reporter.name
                    ELSE item.contact_name END AS name
        FROM items.items AS item
        JOIN csat.projects AS project ON project.project_id = item.project_id
        LEFT JOIN items.people AS reporter ON reporter.id = item.reporter_id
        WHERE item.id = $1
    ), written AS (
        INSERT INTO csat.surveys AS survey (item_id, token_hash)
        SELECT id, sha256(convert_to($2, 'UTF8')) FROM asked WHERE email IS NOT NULL
        ON CONFLICT (item_id) DO UPDATE
            SET token_hash = excluded.token_hash, attempts = survey.attempts + 1,
                unsent_since = NULL
            WHERE survey.unsent_since IS NOT NULL
        RETURNING survey.item_id, survey.attempts
    )
    SELECT asked.email, asked.name, asked.key, asked.title, written.attempts
    FROM written JOIN asked ON asked.id = written.item_id)sql";

// By the token as well: a survey that was renewed since has another mail on its way.
constexpr radd::Sql set_unsent = R"sql(
    UPDATE csat.surveys SET unsent_since = now()
    WHERE item_id = $1 AND token_hash = sha256(convert_to($2, 'UTF8')) AND responded_at IS NULL)sql";

constexpr radd::Sql record_answer = R"sql(
    UPDATE csat.surveys AS survey
    SET score = $2, comment = $3, responded_at = now(), unsent_since = NULL
    FROM items.items AS item
    WHERE survey.token_hash = sha256(convert_to($1, 'UTF8'))
      AND survey.responded_at IS NULL
      AND item.id = survey.item_id
    RETURNING survey.item_id, item.project_id)sql";

constexpr radd::Sql find_survey = R"sql(
    SELECT item_id FROM csat.surveys WHERE token_hash = sha256(convert_to($1, 'UTF8')))sql";

// One that is being deleted is waited for, and then is not there.
constexpr radd::Sql find_project = "SELECT id FROM items.projects WHERE key = $1 FOR KEY SHARE";

constexpr radd::Sql enable_project =
    "INSERT INTO csat.projects (project_id) VALUES ($1) ON CONFLICT (project_id) DO NOTHING";

constexpr radd::Sql disable_project = "DELETE FROM csat.projects WHERE project_id = $1";

constexpr radd::Sql open_survey = R"sql(
    SELECT item.key, item.title, survey.score, survey.comment
    FROM csat.surveys AS survey JOIN items.items AS item ON item.id = survey.item_id
    WHERE survey.token_hash = sha256(convert_to($1, 'UTF8')))sql";

constexpr radd::Sql has_survey = "SELECT item_id FROM csat.surveys WHERE item_id = $1";

// Index: surveys_by_time.
constexpr radd::Sql list_surveys = R"sql(
    SELECT survey.item_id, item.key, item.title, survey.score, survey.comment,
           to_char(survey.requested_at AT TIME ZONE 'UTC', time.format) AS requested_at,
           to_char(survey.unsent_since AT TIME ZONE 'UTC', time.format) AS unsent_since,
           to_char(survey.responded_at AT TIME ZONE 'UTC', time.format) AS responded_at
    FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, csat.surveys AS survey
    JOIN items.items AS item ON item.id = survey.item_id
    WHERE $2::bigint IS NULL
       OR (survey.requested_at, survey.item_id) <
          (SELECT requested_at, item_id FROM csat.surveys WHERE item_id = $2::bigint)
    ORDER BY survey.requested_at DESC, survey.item_id DESC
    LIMIT $1::bigint)sql";

radd::json optional_json(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}

std::size_t characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::ranges::count_if(
        utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void check(std::int64_t score, const std::optional<std::string>& comment) {
    if (score < score_min || score > score_max)
        throw radd::InvalidInput{"score",
                                 std::to_string(score) + " is out of range; give " +
                                     std::to_string(score_min) + " to " +
                                     std::to_string(score_max)};
    if (!comment) return;
    if (radd::first_invalid_utf8(*comment) || comment->find('\0') != std::string::npos)
        throw radd::InvalidInput{"comment", "is not UTF-8 or holds a NUL, which no text does"};
    if (characters(*comment) > comment_length_max)
        throw radd::InvalidInput{"comment",
                                 "has " + std::to_string(characters(*comment)) +
                                     " characters; shorten it to " +
                                     std::to_string(comment_length_max)};
}

}  // namespace

std::string make_token(radd::Random& random) {
    constexpr std::size_t digits_per_draw = 10;  // 60 of the 64 bits.

    std::string token;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < token_digits_total; ++i) {
        if (i % digits_per_draw == 0) bits = random.bits();
        token += token_digits[bits & 0x3F];
        bits >>= 6;
    }
    return token;
}

std::optional<Request> request(radd::Transaction& tx,
                               std::string_view item_id,
                               std::string_view token) {
    const auto row = tx.query_one(write_survey, item_id, token);
    if (!row) return std::nullopt;
    return Request{.email = row->text("email"),
                   .name = row->optional_text("name").value_or(""),
                   .item_key = row->text("key"),
                   .item_title = row->text("title"),
                   .attempt = row->integer("attempts")};
}

void mark_unsent(radd::Transaction& tx, std::string_view item_id, std::string_view token) {
    tx.execute(set_unsent, item_id, token);
}

Answer answer(radd::Transaction& tx,
              std::string_view token,
              std::int64_t score,
              const std::optional<std::string>& comment) {
    check(score, comment);

    const auto row = tx.query_one(record_answer, token, score, comment);
    if (!row)
        return tx.query_one(find_survey, token) ? Answer::already_answered : Answer::unknown_token;

    tx.emit(radd::NewEventOf<CsatEvent::responded>{
        .entity_id = row->integer("item_id"),
        .payload = Response{.score = score, .comment = comment},
        .project_id = row->integer("project_id")});
    return Answer::recorded;
}

void set_enabled(radd::Transaction& tx, std::string_view project_key, bool enabled) {
    const auto project = tx.query_one(find_project, project_key);
    if (!project)
        throw radd::InvalidInput{"project",
                                 "no project has the key '" + std::string{project_key} +
                                     "'; keys are upper case, as in DEMO-1"};
    tx.execute(enabled ? enable_project : disable_project, project->integer("id"));
}

std::optional<Question> find(radd::Transaction& tx, std::string_view token) {
    const auto row = tx.query_one(open_survey, token);
    if (!row) return std::nullopt;
    return Question{.item_key = row->text("key"),
                    .item_title = row->text("title"),
                    .score = row->optional_integer("score"),
                    .comment = row->optional_text("comment")};
}

bool looks_like_token(std::string_view text) noexcept {
    return text.size() == token_digits_total &&
           text.find_first_not_of(token_digits) == std::string_view::npos;
}

radd::json to_json(const Survey& survey) {
    return {
        {"item", {{"id", survey.item_id}, {"key", survey.item_key}, {"title", survey.item_title}}},
        {"requested_at", survey.requested_at},
        {"unsent_since", optional_json(survey.unsent_since)},
        {"score", survey.score ? radd::json(*survey.score) : radd::json()},
        {"comment", optional_json(survey.comment)},
        {"responded_at", optional_json(survey.responded_at)}};
}

std::vector<Survey> list(radd::Transaction& tx,
                         std::int64_t limit,
                         std::optional<std::int64_t> before) {
    if (before && !tx.query_one(has_survey, *before))
        throw radd::InvalidInput{"before",
                                 "item " + std::to_string(*before) + " has no survey; start again"};
    std::vector<Survey> surveys;
    const auto rows = tx.query(list_surveys, std::min(limit, list_rows_max), before);
    for (const auto row : rows)
        surveys.push_back({.item_id = row.integer("item_id"),
                           .item_key = row.text("key"),
                           .item_title = row.text("title"),
                           .requested_at = row.text("requested_at"),
                           .unsent_since = row.optional_text("unsent_since"),
                           .score = row.optional_integer("score"),
                           .comment = row.optional_text("comment"),
                           .responded_at = row.optional_text("responded_at")});
    return surveys;
}

}  // namespace csat
