#include "page.hpp"

#include <array>
#include <utility>

namespace csat {
namespace {

constexpr std::array<std::string_view, 5> score_words{
    "Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"};
static_assert(score_words.size() == score_max - score_min + 1);

std::string_view words_for(std::int64_t score) {
    return score_words.at(static_cast<std::size_t>(score - score_min));
}

/// A whole page. The style is named relative to the address of the survey, so that it is found
/// behind a proxy that serves this host under a path of its own.
radd::HttpResponse page(int status, std::string_view title, const std::string& content) {
    std::string text =
        "<!doctype html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"robots\" content=\"noindex\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<title>";
    text += html_escaped(title);
    text +=
        "</title>\n"
        "<link rel=\"stylesheet\" href=\"style.css\">\n"
        "</head>\n"
        "<body>\n"
        "<main>\n";
    text += content;
    text +=
        "</main>\n"
        "</body>\n"
        "</html>\n";
    auto response = radd::html_response(std::move(text), status);
    // The address is a secret and the answer somebody's own.
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
}

std::string item_line(const Question& question) {
    return "<p class=\"item\"><span class=\"key\">" + html_escaped(question.item_key) +
           "</span> <bdi>" + html_escaped(question.item_title) + "</bdi></p>\n";
}

/// The sentence that says what is wrong with a field, which the field points to.
std::string problem_line(std::string_view id, const std::optional<std::string>& problem) {
    if (!problem) return {};
    return "<p class=\"problem\" role=\"alert\" id=\"" + std::string{id} + "\">" +
           html_escaped(*problem) + "</p>\n";
}

std::string score_tile(std::int64_t score, const Draft& draft) {
    const std::string number = std::to_string(score);
    return "<label class=\"score\"><input type=\"radio\" name=\"score\" value=\"" + number +
           "\" required" + (draft.score == number ? " checked" : "") + "> <span class=\"number\">" +
           number + "</span> <span class=\"words\">" + std::string{words_for(score)} +
           "</span></label>\n";
}

std::string scores(const Draft& draft) {
    std::string text = "<fieldset";
    if (draft.score_problem) text += " aria-describedby=\"score-problem\"";
    text += ">\n<legend>How satisfied are you with how it went?</legend>\n";
    text += problem_line("score-problem", draft.score_problem);
    text += "<div class=\"scores\">\n";
    for (auto score = score_min; score <= score_max; ++score) text += score_tile(score, draft);
    return text + "</div>\n</fieldset>\n";
}

std::string comment_field(const Draft& draft) {
    std::string text =
        "<label class=\"comment\" for=\"comment\">Anything else we should know? "
        "<span class=\"hint\">(optional)</span></label>\n";
    text += problem_line("comment-problem", draft.comment_problem);
    text += "<textarea id=\"comment\" name=\"comment\" rows=\"5\" maxlength=\"" +
            std::to_string(comment_length_max) + "\"";
    if (draft.comment_problem)
        text += " aria-invalid=\"true\" aria-describedby=\"comment-problem\"";
    // HTML drops one line break behind the tag: this one, and none of the text's.
    return text + ">\n" + html_escaped(draft.comment) + "</textarea>\n";
}

std::string answer_lines(const Question& question) {
    const std::int64_t score = question.score.value_or(score_min);
    std::string text = "<dl>\n<dt>Your answer</dt>\n<dd><span class=\"number\">" +
                       std::to_string(score) + "</span> " + std::string{words_for(score)} +
                       "</dd>\n";
    if (question.comment)
        text += "<dt>Your comment</dt>\n<dd class=\"text\">" + html_escaped(*question.comment) +
                "</dd>\n";
    return text + "</dl>\n";
}

}  // namespace

radd::HttpResponse form_page(const Question& question, const Draft& draft) {
    const bool refused = draft.score_problem || draft.comment_problem;
    const std::string title = std::string{refused ? "Please check your answer: " : ""} +
                              "How did we do? " + question.item_key;
    return page(refused ? 422 : 200,
                title,
                "<h1>How did we do?</h1>\n" + item_line(question) + "<form method=\"post\">\n" +
                    scores(draft) + comment_field(draft) +
                    "<button type=\"submit\">Send answer</button>\n</form>\n");
}

radd::HttpResponse thanks_page(const Question& question) {
    return page(200,
                "Thank you: " + question.item_key,
                "<h1>Thank you</h1>\n" + item_line(question) +
                    "<p>Your answer has been recorded. You may close this page.</p>\n" +
                    answer_lines(question));
}

radd::HttpResponse answered_before_page(const Question& question) {
    return page(409,
                "Already answered: " + question.item_key,
                "<h1>This was answered before</h1>\n" + item_line(question) +
                    "<p>The first answer stands, and what you have just sent was not recorded. "
                    "If something has changed, please write to us.</p>\n" +
                    answer_lines(question));
}

radd::HttpResponse unknown_page() {
    return page(404,
                "Nothing here",
                "<h1>There is nothing here</h1>\n"
                "<p>This address opens no survey. It may have been cut short on its way: please "
                "follow the link in the mail, or copy all of it. If you have got several mails "
                "about one request, the link in the latest is the one that works.</p>\n");
}

radd::HttpResponse in_doubt_page() {
    return page(503,
                "Please look again",
                "<h1>Please follow the link in the mail once more</h1>\n"
                "<p>We lost our database while your answer was being recorded. The page shows "
                "whether it has arrived; if it has not, please send it again.</p>\n");
}

radd::HttpResponse unavailable_page() {
    auto response = page(503,
                         "Please try again",
                         "<h1>Please try again in a minute</h1>\n"
                         "<p>We cannot take your answer right now, and nothing has been recorded. "
                         "Go back to find what you have written, and send it again.</p>\n");
    response.headers.emplace_back("Retry-After", "30");
    return response;
}

std::string html_escaped(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '\0':
                escaped += "\uFFFD";  // No document may hold a NUL.
                break;
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

}  // namespace csat
