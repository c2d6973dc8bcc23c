#include "poster.hpp"

#include <algorithm>
#include <utility>

#include "message.hpp"
#include "sql.hpp"
#include <radd/retry_after.hpp>

namespace chat {
namespace {

using std::chrono::milliseconds;
using Outcome = radd::AttemptResult::Outcome;

constexpr int bad_request = 400;
constexpr int not_found = 404;
constexpr int gone = 410;
constexpr int too_large = 413;
/// A claim of lines outlasts the call: time to record the result.
constexpr milliseconds taken_for = Poster::timeout + std::chrono::seconds{30};

// Notes of results, for settled().
constexpr const char* was_posted = "posted";
constexpr const char* is_gone = "gone";
constexpr const char* not_asked = "not asked";

std::int64_t room_of(const radd::Delivery& delivery) {
    return std::stoll(delivery.lane);
}

std::int64_t line_of_delivery(const radd::Delivery& delivery) {
    return radd::json::parse(delivery.payload_text).at("line_id").get<std::int64_t>();
}

std::string text_of_delivery(const radd::Delivery& delivery) {
    return radd::json::parse(delivery.payload_text).at("text").get<std::string>();
}

std::optional<std::chrono::seconds> wait_asked_by(const radd::HttpAnswer& answer) {
    std::vector<std::string_view> values;
    for (const auto& [name, value] : answer.headers) {
        if (name == "retry-after") values.push_back(value);
    }
    const auto date = answer.header("date");
    const auto theirs = date ? radd::parse_http_date(*date) : std::nullopt;
    // By its own clock or not at all: one without a Date is asked again when the room has rested.
    return radd::retry_after(values, theirs.value_or(radd::Timestamp::max()));
}

radd::AttemptResult with_note(radd::AttemptResult result, const char* note) {
    result.note = note;
    return result;
}

}  // namespace

radd::AttemptResult judge(const radd::HttpAnswer& answer) {
    const std::string answered = "answered " + std::to_string(answer.status);
    if (answer.status >= 200 && answer.status < 300)
        return with_note(radd::AttemptResult::delivered(answered), was_posted);
    if (answer.status == not_found || answer.status == gone)
        return with_note(radd::AttemptResult::dead(answered + ": the room is gone"), is_gone);
    if (answer.status == bad_request || answer.status == too_large)
        return radd::AttemptResult::dead(answered + ": the message was refused");
    if (answer.status >= 300 && answer.status < 400)
        return radd::AttemptResult::failed(answered + ": a redirect is not followed");
    return radd::AttemptResult::failed(answered, wait_asked_by(answer));
}

radd::HttpCall call_of(const std::string& url, const std::string& uid, const std::string& text) {
    return {.url = url_of(url, uid, text),
            .headers = {{"Content-Type", "application/json; charset=UTF-8"}},
            .body = body_of(text),
            .timeout = Poster::timeout};
}

/// What is to be done now: nothing more, to wait, or to post `lines`.
struct Poster::Turn {
    std::optional<radd::AttemptResult> over{};
    milliseconds wait{0};
    std::string sealed_url{};
    std::vector<std::string> lines{};
};

Poster::Poster(radd::Services& host, std::function<void(milliseconds)> pause)
    : host_{host}, rooms_{host}, pause_{std::move(pause)} {}

std::vector<std::string> Poster::take_lines(radd::Transaction& tx,
                                            const radd::Delivery& delivery,
                                            std::int64_t line_id) {
    std::vector<std::pair<std::int64_t, std::string>> taken;
    for (const auto row : tx.query(sql::lines_of_delivery, delivery.id))
        taken.emplace_back(row.integer("id"), row.text("text"));
    if (taken.empty()) {
        // Its own and what is older first, so that nothing overtakes without need.
        const auto room = room_of(delivery);
        const auto limit = static_cast<std::int64_t>(lines_per_message_max);
        taken.emplace_back(line_id, text_of_delivery(delivery));
        for (const bool older : {true, false}) {
            for (const auto row : tx.query(sql::waiting_lines, room, line_id, older, limit))
                taken.emplace_back(row.integer("id"), row.text("text"));
        }
        std::vector<std::string> texts;
        for (const auto& [id, text] : taken) texts.push_back(text);
        taken.resize(lines_that_fit(texts));
        std::ranges::sort(taken);
    }
    std::string ids = "{";
    std::vector<std::string> lines;
    for (const auto& [id, text] : taken) {
        ids += (lines.empty() ? "" : ",") + std::to_string(id);
        lines.push_back(text);
    }
    tx.execute(sql::take_lines, delivery.id, ids + "}", taken_for.count());
    return lines;
}

Poster::Turn Poster::take_turn(const radd::Delivery& delivery) {
    return host_.database().transact([&](radd::Transaction& tx) -> Turn {
        const auto room = tx.query_one(sql::room_to_post_to, room_of(delivery));
        if (!room) return {.over = radd::AttemptResult::cancelled("room deleted")};
        if (!room->boolean("enabled"))
            return {.over = radd::AttemptResult::cancelled("room disabled")};
        const auto line_id = line_of_delivery(delivery);
        const auto line = tx.query_one(sql::find_line, line_id, delivery.id);
        if (line && line->boolean("dropped") && !delivery.replay_of)
            return {.over = radd::AttemptResult::cancelled("room switched off meanwhile")};
        // Who has it sent again wants this one, whatever became of the first.
        const bool alone = delivery.replay_of.has_value() || !line;
        if (!alone && !line->is_null("posted_with"))
            return {.over = radd::AttemptResult::delivered("posted together with delivery " +
                                                           line->text("posted_with"))};
        if (!alone && !line->is_null("is_taken") && line->boolean("is_taken"))
            return {.over = with_note(radd::AttemptResult::failed(
                                          "delivery " + line->text("taken_by") + " is posting it"),
                                      not_asked)};
        Turn turn{.wait = milliseconds{room->integer("wait_ms")}, .sealed_url = room->text("url")};
        if (turn.wait.count() > 0) return turn;
        turn.lines =
            alone ? std::vector{text_of_delivery(delivery)} : take_lines(tx, delivery, line_id);
        tx.execute(sql::hold_room, room_of(delivery), milliseconds{apart}.count());
        return turn;
    });
}

radd::AttemptResult Poster::attempt(const radd::Delivery& delivery) {
    constexpr int looks_max = 3;  // Another host may have the turn that was waited for.
    Turn turn;
    for (int look = 0; look < looks_max; ++look) {
        turn = take_turn(delivery);
        if (turn.over) return *turn.over;
        if (turn.wait.count() == 0) break;
        if (turn.wait > pause_max) break;
        pause_(turn.wait);
    }
    if (turn.wait.count() > 0)
        return with_note(
            radd::AttemptResult::failed("the room takes no message for another " +
                                            std::to_string(turn.wait.count()) + " ms",
                                        std::chrono::ceil<std::chrono::seconds>(turn.wait)),
            not_asked);
    return post(host_.secrets().open(Rooms::purpose(room_of(delivery)), turn.sealed_url),
                delivery.uid,
                turn.lines);
}

radd::AttemptResult Poster::post(const std::string& url,
                                 const std::string& uid,
                                 const std::vector<std::string>& lines) {
    try {
        auto result = judge(host_.http_client().call(call_of(url, uid, joined(lines))));
        if (lines.size() > 1) result.detail += ", with " + std::to_string(lines.size()) + " lines";
        return result;
    } catch (const radd::AddressNotAllowed& refused) {
        return radd::AttemptResult::failed(refused.what());
    } catch (const radd::Unavailable& failure) {
        return radd::AttemptResult::unreachable(failure.what());
    }
}

void Poster::settled(radd::Transaction& tx,
                     const radd::Delivery& delivery,
                     const radd::Settled& settled) {
    const auto& result = settled.result;
    const auto room = room_of(delivery);
    if (result.note == was_posted) {
        tx.execute(sql::note_posted, delivery.id);
        return;
    }
    tx.execute(sql::let_go, delivery.id);
    if (!settled.is_final && result.note != not_asked)
        tx.execute(sql::hold_room,
                   room,
                   milliseconds{std::max(rest, result.retry_after.value_or(rest))}.count());
    if (settled.is_dead) tx.execute(sql::drop_line, line_of_delivery(delivery));
    if (result.note == is_gone)
        rooms_.disable(tx, room, "its service answered that the room is gone");
}

}  // namespace chat
