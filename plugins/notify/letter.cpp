#include "letter.hpp"

#include <radd/event.hpp>

namespace notify {
namespace {

/// Text of `detail`; empty if it has none of this name.
std::string text_in(const radd::json& detail, const char* name) {
    const auto found = detail.find(name);
    return found != detail.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::string fields_in(const radd::json& detail) {
    std::string fields;
    const auto found = detail.find("fields");
    if (found == detail.end() || !found->is_array()) return "it";
    for (const auto& field : *found) {
        if (!field.is_string()) continue;
        fields += (fields.empty() ? "" : ", ") + field.get<std::string>();
    }
    return fields.empty() ? "it" : fields;
}

std::string who(const Told& told) {
    if (told.actor_name) return *told.actor_name;
    if (told.automated || told.actor_id == radd::system_actor) return "An automation";
    return "Somebody";
}

std::string what(const Told& told, const Kinds& kinds) {
    if (const auto said = text_in(told.detail, "text"); !said.empty()) return said;
    if (told.kind == kind::created) return who(told) + " created it";
    if (told.kind == kind::assigned) return who(told) + " assigned it to you";
    if (told.kind == kind::mentioned) return who(told) + " mentioned you";
    if (told.kind == kind::commented) return who(told) + " commented";
    if (told.kind == kind::changed) return who(told) + " changed " + fields_in(told.detail);
    if (told.kind == kind::moved)
        return who(told) + " moved it from " + text_in(told.detail, "from") + " to " +
               text_in(told.detail, "to");
    const Kind* known = kinds.find(told.kind);
    return known != nullptr ? known->label : told.kind;
}

std::string quoted(const std::string& text) {
    std::string lines = "> ";
    for (const char c : text) {
        lines += c;
        if (c == '\n') lines += "> ";
    }
    return lines;
}

std::string item_url(const Told& told, const Addressee& to) {
    return to.public_url + "/entities/item/" + std::to_string(told.item_id);
}

std::string ending(const Addressee& to) {
    return "\n-- \nWhat you are told of, and how, is yours to say: " + to.public_url +
           "/inbox/preferences\n";
}

}  // namespace

Told told_of(const radd::Row& row) {
    auto detail = radd::json::parse(row.text("detail"), nullptr, false);
    return {.id = row.integer("id"),
            .kind = row.text("kind"),
            .item_id = row.integer("item_id"),
            .item_key = row.text("item_key"),
            .item_title = row.text("item_title"),
            .actor_id = row.optional_text("actor_id"),
            .actor_name = row.optional_text("actor_name"),
            .automated = row.optional_text("automated"),
            .detail = detail.is_object() ? std::move(detail) : radd::json::object(),
            .excerpt = row.optional_text("excerpt")};
}

std::string sentence(const Told& told, const Kinds& kinds) {
    const auto said = what(told, kinds);
    return told.automated ? said + " (automation: " + *told.automated + ")" : said;
}

radd::Mail letter(const Told& told, const Kinds& kinds, const Addressee& to) {
    std::string text = sentence(told, kinds) + ".\n\n" + told.item_key + " " + told.item_title +
                       "\n" + item_url(told, to) + "\n";
    if (told.excerpt) text += "\n" + quoted(*told.excerpt) + "\n";
    return {.to = to.email,
            .to_name = to.name,
            .subject = "[" + told.item_key + "] " + told.item_title,
            .text = text + ending(to),
            .idempotency_key = "notify.notice/" + std::to_string(told.id)};
}

radd::Mail digest_letter(std::int64_t digest,
                         std::string_view day,
                         const std::vector<Told>& lines,
                         std::int64_t total,
                         const Kinds& kinds,
                         const Addressee& to) {
    std::string text = "What you have not seen yet:\n";
    std::int64_t item = 0;
    for (const Told& told : lines) {
        if (told.item_id != item)
            text += "\n" + told.item_key + " " + told.item_title + "\n" + item_url(told, to) + "\n";
        item = told.item_id;
        text += "  - " + sentence(told, kinds) + "\n";
    }
    const auto shown = static_cast<std::int64_t>(lines.size());
    if (total > shown)
        text += "\nand " + std::to_string(total - shown) + " more: " + to.public_url + "/inbox\n";
    const std::string of_day{day};
    return {.to = to.email,
            .to_name = to.name,
            .subject =
                std::to_string(total) + (total == 1 ? " notice" : " notices") + " until " + of_day,
            .text = text + ending(to),
            .idempotency_key = "notify.digest/" + std::to_string(digest)};
}

}  // namespace notify
