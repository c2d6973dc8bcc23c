#include "sender.hpp"

#include <string_view>

#include <csat/events.hpp>
#include <items/events.hpp>
#include <items/service.hpp>

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

}  // namespace

Sender::Sender(radd::Services& host)
    : mailer_{host.get<radd::Mailer>()},
      random_{host.random()},
      survey_url_{host.public_url() + "/csat/"} {}

std::optional<Invitation> Sender::plan(radd::Transaction& tx, const radd::Event& event) {
    if (!event.is(items::ItemEvent::updated) || !resolves_item(event)) return std::nullopt;

    const std::string token = make_token(random_);
    const auto asked = request(tx, event.entity_id, token);
    if (!asked) return std::nullopt;

    tx.emit({.type = CsatEvent::requested,
             .entity = items::ItemEntity::item,
             .entity_id = event.entity_id,
             .project_id = event.project_id});
    return Invitation{.item_id = event.entity_id, .request = *asked, .token = token};
}

void Sender::deliver(const Invitation& invitation) {
    const auto& [email, name, key, title] = invitation.request;
    constexpr radd::EventType requested = CsatEvent::requested;
    mailer_.send({.to = email,
                  .to_name = name,
                  .subject = "How did we do? " + key + ": " + title,
                  .text = "Your request " + key + " is done:\n\n    " + title +
                          "\n\nHow satisfied are you? It takes a minute:\n\n    " + survey_url_ +
                          invitation.token + "\n",
                  .idempotency_key = std::string{requested.name()} + "/" + invitation.item_id});
}

}  // namespace csat
