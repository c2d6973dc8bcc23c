#include "routes.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "page.hpp"
#include "surveys.hpp"
#include <radd/commit_in_doubt.hpp>
#include <radd/form.hpp>
#include <radd/http.hpp>

namespace csat {
namespace {

constexpr std::int64_t page_rows = 100;
constexpr std::int64_t page_rows_max = 500;  // Less than list_rows_max: one more is read.

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Question> question_of(radd::Services& host, const std::string& token) {
    if (!looks_like_token(token)) return std::nullopt;
    return host.database().transact([&](radd::Transaction& tx) { return find(tx, token); });
}

/// A person gets a page also when the database is away.
template <typename Work>
radd::HttpResponse as_page(Work&& work) {
    try {
        return work();
    } catch (const radd::CommitInDoubt&) {
        return in_doubt_page();
    } catch (const radd::Unavailable&) {
        return unavailable_page();
    } catch (const radd::Contention&) {
        return unavailable_page();
    }
}

radd::HttpResponse show(const radd::HttpRequest& request, radd::Services& host) {
    return as_page([&] {
        const auto question = question_of(host, request.path_parameter("token"));
        if (!question) return unknown_page();
        return question->score ? thanks_page(*question) : form_page(*question);
    });
}

Draft draft_of(const radd::Form& form) {
    Draft draft{.comment = form.text_value("comment").value_or("")};
    if (const auto score = form.value("score")) draft.score = std::string{*score};
    return draft;
}

/// What came of an answer, and the survey as it is after it.
struct Submitted {
    Answer outcome = Answer::unknown_token;
    std::optional<Question> question{};
};

Submitted submit(radd::Services& host,
                 const std::string& token,
                 std::int64_t score,
                 const std::optional<std::string>& comment) {
    if (!looks_like_token(token)) return {};
    return host.database().transact([&](radd::Transaction& tx) {
        const auto outcome = answer(tx, token, score, comment);
        return Submitted{.outcome = outcome, .question = find(tx, token)};
    });
}

/// The page to put a mistake right, with what was written.
radd::HttpResponse refused(radd::Services& host, const std::string& token, const Draft& draft) {
    const auto question = question_of(host, token);
    if (!question) return unknown_page();
    return question->score ? answered_before_page(*question) : form_page(*question, draft);
}

radd::HttpResponse take_form(const radd::HttpRequest& request, radd::Services& host) {
    return as_page([&] {
        const auto& token = request.path_parameter("token");
        const auto form = radd::Form::of(request);
        auto draft = draft_of(form);
        const auto comment = form.text_value("comment");
        const auto score = whole_number(draft.score.value_or(""));
        if (!score) {
            draft.score_problem = "Please choose one of the five.";
            return refused(host, token, draft);
        }
        try {
            const auto [outcome, question] = submit(host, token, *score, comment);
            if (!question) return unknown_page();
            const bool stands = question->score == score && question->comment == comment;
            // Who sends the same twice, by a double click, has been heard. 303, so that a reload
            // of the page sends nothing; relative, as the proxy in front may add a path.
            if (outcome == Answer::recorded || stands) return radd::see_other(token);
            return answered_before_page(*question);
        } catch (const radd::InvalidInput& error) {
            const bool is_score = error.field() == "score";
            (is_score ? draft.score_problem : draft.comment_problem) =
                is_score ? "Please choose one of the five."
                         : "Please shorten your comment to " + std::to_string(comment_length_max) +
                               " characters, and take out what is no text.";
            return refused(host, token, draft);
        }
    });
}

/// 5 and 5.0 are one number in JSON, and a body may hold any other.
std::int64_t score_of(const radd::json& body) {
    const auto score = body.find("score");
    if (score == body.end()) throw radd::InvalidInput{"score", "is missing"};
    const bool is_number = score->is_number();
    const double value = is_number ? score->get<double>() : 0;
    if (!is_number || value != std::floor(value) || value < static_cast<double>(score_min) ||
        value > static_cast<double>(score_max))
        throw radd::InvalidInput{"score", "must be a whole number from 1 to 5"};
    return static_cast<std::int64_t>(value);
}

std::optional<std::string> comment_of(const radd::json& body) {
    const auto comment = body.find("comment");
    if (comment == body.end() || comment->is_null()) return std::nullopt;
    if (!comment->is_string()) throw radd::InvalidInput{"comment", "must be a text or null"};
    return comment->get<std::string>();
}

radd::HttpResponse take_json(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    if (!body.is_object()) throw radd::InvalidInput{"body", "must be a JSON object"};
    for (const auto& [name, value] : body.items()) {
        if (name != "score" && name != "comment")
            throw radd::InvalidInput{name, "is no field of this; there are: score comment"};
    }
    const auto score = score_of(body);
    const auto comment = comment_of(body);
    const auto [outcome, question] = submit(host, request.path_parameter("token"), score, comment);
    if (outcome == Answer::unknown_token || !question)
        throw radd::HttpError{404, "no survey has this token"};
    if (outcome == Answer::already_answered)
        throw radd::HttpError{409, "it was answered before; the first answer stands"};
    return radd::json_response(
        radd::json{{"item", {{"key", question->item_key}, {"title", question->item_title}}},
                   {"score", score},
                   {"comment", comment ? radd::json(*comment) : radd::json()}});
}

std::int64_t limit_of(const radd::HttpRequest& request) {
    const auto text = request.query_value("limit");
    if (!text) return page_rows;
    const auto limit = whole_number(*text);
    if (!limit || *limit < 1 || *limit > page_rows_max)
        throw radd::InvalidInput{"limit", "must be 1 to " + std::to_string(page_rows_max)};
    return *limit;
}

std::optional<std::int64_t> before_of(const radd::HttpRequest& request) {
    const auto text = request.query_value("before");
    if (!text) return std::nullopt;
    const auto before = whole_number(*text);
    if (!before) throw radd::InvalidInput{"before", "must be the id of an item"};
    return before;
}

radd::HttpResponse list_surveys(const radd::HttpRequest& request, radd::Services& host) {
    const auto limit = limit_of(request);
    const auto before = before_of(request);
    const auto surveys = host.database().transact(
        [&](radd::Transaction& tx) { return list(tx, limit + 1, before); });

    auto page = radd::json::array();
    for (const auto& survey : surveys) {
        if (static_cast<std::int64_t>(page.size()) < limit) page.push_back(to_json(survey));
    }
    radd::json body{{"surveys", page}, {"next", nullptr}};
    if (page.size() < surveys.size()) body["next"] = {{"before", page.back().at("item").at("id")}};
    return radd::json_response(body);
}

constexpr const char* answer_schema = R"json({
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 1, "maximum": 5,
                  "description": "1: very dissatisfied, 5: very satisfied"},
        "comment": {"type": ["string", "null"], "maxLength": 4000}
    },
    "required": ["score"],
    "additionalProperties": false
})json";

constexpr const char* recorded_schema = R"json({
    "type": "object",
    "properties": {
        "item": {"type": "object", "description": "What it is about",
                 "properties": {"key": {"type": "string"}, "title": {"type": "string"}},
                 "required": ["key", "title"]},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "comment": {"type": ["string", "null"]}
    },
    "required": ["item", "score", "comment"]
})json";

constexpr const char* surveys_schema = R"json({
    "type": "object",
    "properties": {
        "surveys": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "item": {"type": "object",
                         "properties": {"id": {"type": "integer"}, "key": {"type": "string"},
                                        "title": {"type": "string"}},
                         "required": ["id", "key", "title"]},
                "requested_at": {"type": "string", "format": "date-time"},
                "unsent_since": {"type": ["string", "null"], "format": "date-time",
                    "description": "Since when its mail is known not to have gone out"},
                "score": {"type": ["integer", "null"], "description": "Null: not answered yet"},
                "comment": {"type": ["string", "null"]},
                "responded_at": {"type": ["string", "null"], "format": "date-time"}
            },
            "required": ["item", "requested_at", "unsent_since", "score", "comment",
                         "responded_at"]}},
        "next": {"type": ["object", "null"],
                 "description": "What to ask the next page with; null on the last one",
                 "properties": {"before": {"type": "integer"}}, "required": ["before"]}
    },
    "required": ["surveys", "next"]
})json";

constexpr const char* html = "text/html; charset=utf-8";

std::vector<radd::RouteSpec> page_routes() {
    return {
        {.method = radd::HttpMethod::get,
         .path = "/csat/{token}",
         .access = radd::Access::anyone,
         .summary = "Show a survey to whoever was asked",
         .description = "The page that the mail links to; afterwards the answer that stands.",
         .responses = {{.description = "The form, or the answer", .content_type = html}},
         .handle = show},
        {.method = radd::HttpMethod::post,
         .path = "/csat/{token}",
         .access = radd::Access::anyone,
         .summary = "Answer a survey by its form",
         .description = "Fields `score`, 1 to 5, and `comment`. The first answer stands.",
         .responses = {{.status = 303,
                        .description = "Recorded; the page thanks",
                        .content_type = html}},
         .handle = take_form},
        {.method = radd::HttpMethod::get,
         .path = "/csat/style.css",
         .access = radd::Access::anyone,
         .summary = "Show the style sheet of the survey's pages",
         .responses = {{.description = "The style sheet",
                        .content_type = "text/css; charset=utf-8"}},
         .handle = [](const radd::HttpRequest&, radd::Services&) { return style_sheet(); }},
    };
}

std::vector<radd::RouteSpec> api_routes() {
    return {
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/csat/{token}/answer",
         .access = radd::Access::anyone,
         .summary = "Answer a survey",
         .description = "The token in the link of the mail is all that it takes. The first answer "
                        "stands: another one gets 409.",
         .request_schema = answer_schema,
         .responses = {{.description = "The answer was recorded", .schema = recorded_schema}},
         .handle = take_json},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/csat/surveys",
         .access = radd::Access::admin,
         .summary = "List surveys and their answers",
         .description = "The latest first.",
         .query = {{.name = "before",
                    .description = "Only those before the one about the item of this id: "
                                   "`next.before` of the page before",
                    .schema = R"({"type":"integer","minimum":1})"},
                   {.name = "limit",
                    .description = "Entries of a page",
                    .schema = R"({"type":"integer","minimum":1,"maximum":500,"default":100})"}},
         .responses = {{.description = "A page of surveys", .schema = surveys_schema}},
         .handle = list_surveys},
    };
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    auto all = page_routes();
    for (auto& route : api_routes()) all.push_back(std::move(route));
    return all;
}

}  // namespace csat
