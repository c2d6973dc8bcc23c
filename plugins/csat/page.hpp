#pragma once

/// The pages of a survey, for whoever follows the link in the mail. They need no script, and no
/// style but the one beside them, so that the strictest Content-Security-Policy serves them.

#include <optional>
#include <string>
#include <string_view>

#include "surveys.hpp"
#include <radd/http.hpp>

namespace csat {

/// What somebody sent and has to send again, and why.
struct Draft {
    std::optional<std::string> score{};  ///< As it came.
    std::string comment{};
    std::optional<std::string> score_problem{};
    std::optional<std::string> comment_problem{};
};

/// The form; 422 if the draft has a problem.
[[nodiscard]] radd::HttpResponse form_page(const Question& question, const Draft& draft = {});

/// It is answered, now or before. Shows the answer that stands.
[[nodiscard]] radd::HttpResponse thanks_page(const Question& question);

/// 409: somebody has answered before, and otherwise.
[[nodiscard]] radd::HttpResponse answered_before_page(const Question& question);

/// 404, the same for every address that opens no survey.
[[nodiscard]] radd::HttpResponse unknown_page();

/// 503: the database is away.
[[nodiscard]] radd::HttpResponse unavailable_page();
[[nodiscard]] radd::HttpResponse in_doubt_page();  ///< Whether it was recorded, the page will show.

/// The style sheet of them all.
[[nodiscard]] radd::HttpResponse style_sheet();

/// `text` as it may stand between tags and in a quoted attribute.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace csat
