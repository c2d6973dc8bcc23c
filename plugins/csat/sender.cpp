#include "sender.hpp"

#include <exception>
#include <string_view>

#include <csat/events.hpp>
#include <items/events.hpp>
#include <items/service.hpp>
#include <radd/typed_event.hpp>

namespace csat {
namespace {

/// The category in one side of a state change; empty if it has none. A change is whatever JSON
/// somebody stored, so nothing in it is taken for granted.
std::string_view category_of(const radd::json& change, const char* side) {
    const auto state = change.find(side);
    if (state == change.end() || !state->is_object()) return {};
    const auto category = state->find("category");
    if (category == state->end() || !category->is_string()) return {};
    return category->get_ref<const std::string&>();
}

/// Into done from elsewhere: renaming one done state to another resolves nothing.
bool resolves_item(const radd::Event& event) {
    const radd::json* state = event.change_of("state");
    if (state == nullptr) return false;
    constexpr auto done = items::name_of(items::Category::done);
    const auto before = category_of(*state, "from");
    return category_of(*state, "to") == done && !before.empty() && before != done;
}

radd::Mail mail_of(const Invitation& invitation, const std::string& survey_url) {
    const Request& request = invitation.request;
    constexpr radd::EventType requested = CsatEvent::requested;
    return {.to = request.email,
            .to_name = request.name,
            .subject = "How did we do? " + request.item_key + ": " + request.item_title,
            .text = "Your request " + request.item_key + " is done:\n\n    " + request.item_title +
                    "\n\nHow satisfied are you? It takes a minute:\n\n    " + survey_url +
                    invitation.token + "\n",
            .idempotency_key = std::string{requested.name()} + "/" + invitation.item_id};
}

}  // namespace

Sender::Sender(radd::Services& host)
    : database_{host.database()},
      log_{host.log()},
      mailer_{host.get<radd::Mailer>()},
      random_{host.random()},
      survey_url_{host.public_url() + "/csat/"} {}

std::optional<Invitation> Sender::plan(radd::Transaction& tx, const radd::Event& event) {
    if (!event.is(items::ItemEvent::updated) || !resolves_item(event)) return std::nullopt;

    const std::string token = make_token(random_);
    const auto asked = request(tx, event.entity_id, token);
    if (!asked) return std::nullopt;

    if (asked->attempt == 1)
        tx.emit(radd::NewEventOf<CsatEvent::requested>{.entity_id = event.entity_id,
                                                       .project_id = event.project_id});
    return Invitation{.item_id = event.entity_id, .request = *asked, .token = token};
}

void Sender::deliver(const Invitation& invitation) {
    try {
        mailer_.send(mail_of(invitation, survey_url_));
    } catch (const radd::MailUnconfirmed&) {
        throw;  // It may have gone out.
    } catch (...) {
        remember_unsent(invitation);
        throw;
    }
}

void Sender::remember_unsent(const Invitation& invitation) {
    std::string problem = "an exception that is no std::exception";
    try {
        return database_.transact(
            [&](radd::Transaction& tx) { mark_unsent(tx, invitation.item_id, invitation.token); });
    } catch (const std::exception& error) {
        problem = error.what();
    } catch (...) {
        // Said above; what matters is the error that brought us here.
    }
    log_.warn("survey of item " + invitation.item_id + ": could not be marked as unsent, " +
              problem + "; a retry will not mail it");
}

}  // namespace csat
