#include "facts.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "condition.hpp"

namespace automations {
namespace {

using radd::json;

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";

json or_null(const std::optional<std::string>& text) {
    return text ? json(*text) : json();
}

/// RFC 3339 with microseconds, UTC.
std::string text_of(radd::Timestamp at) {
    using namespace std::chrono;
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{at - day};
    std::array<char, 96> text{};
    const int size = std::snprintf(text.data(),
                                   text.size(),
                                   "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                                   static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()),
                                   static_cast<unsigned>(date.day()),
                                   static_cast<int>(time.hours().count()),
                                   static_cast<int>(time.minutes().count()),
                                   static_cast<int>(time.seconds().count()),
                                   static_cast<int>(time.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

json facts_of(const radd::Event& event) {
    return {{"id", event.id},
            {"type", event.type},
            {"entity_type", event.entity_type},
            {"entity_id", event.entity_id},
            {"actor_id", or_null(event.actor_id)},
            {"project_id", event.project_id ? json(*event.project_id) : json()},
            {"occurred_at", text_of(event.occurred_at)}};
}

const json* member(const json& value, const std::string& word) {
    if (value.is_object()) {
        const auto found = value.find(word);
        return found == value.end() ? nullptr : &*found;
    }
    if (!value.is_array()) return nullptr;
    std::size_t index = 0;
    const auto* end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, index);
    const bool is_index = result.ec == std::errc{} && result.ptr == end;
    return is_index && index < value.size() ? &value[index] : nullptr;
}

json walked(const json* value, const std::vector<std::string>& words, std::size_t from) {
    for (std::size_t i = from; value != nullptr && i < words.size(); ++i)
        value = member(*value, words[i]);
    return value == nullptr ? json() : *value;
}

/// Calls `fill` for each `{{path}}`, and puts what it returns in its place.
template <typename Fill>
std::string replaced(const std::string& text, const std::string& place, Fill fill) {
    std::string made;
    std::size_t done = 0;
    for (auto start = text.find(opening); start != std::string::npos;
         start = text.find(opening, done)) {
        const auto end = text.find(closing, start);
        if (end == std::string::npos) throw radd::InvalidInput{place, "has a {{ without its }}"};
        made += text.substr(done, start - done);
        made += fill(text.substr(start + opening.size(), end - start - opening.size()));
        done = end + closing.size();
    }
    return made + text.substr(done);
}

std::string trimmed(const std::string& path) {
    const auto first = path.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return path.substr(first, path.find_last_not_of(' ') - first + 1);
}

json filled_text(const std::string& text, Facts& facts) {
    const bool alone = text.starts_with(opening) && text.ends_with(closing) &&
                       text.find(opening, opening.size()) == std::string::npos;
    if (alone)
        return facts.at(
            trimmed(text.substr(opening.size(), text.size() - opening.size() - closing.size())));
    return replaced(text, "arguments", [&](const std::string& path) {
        const json value = facts.at(trimmed(path));
        if (value.is_null()) return std::string{};
        return value.is_string() ? value.get<std::string>() : value.dump();
    });
}

json filled_value(const json& value, Facts& facts) {
    if (value.is_string()) return filled_text(value.get<std::string>(), facts);
    json made = value;
    if (value.is_structured()) {
        for (auto& part : made) part = filled_value(part, facts);
    }
    return made;
}

}  // namespace

const json& Facts::entity() {
    if (entity_) return *entity_;
    entity_.emplace();
    const auto* spec = event_ == nullptr ? nullptr : catalog_.entity(event_->entity_type);
    if (spec == nullptr) return *entity_;
    const std::array ids{event_->entity_id};
    const auto refs = spec->ref(tx_, ids);
    if (!refs.empty() && refs.front()) *entity_ = json::parse(refs.front()->text());
    return *entity_;
}

json Facts::at(const std::string& path) {
    if (event_ == nullptr) return {};
    const auto words = words_of(path);
    if (words.front() == "payload") return walked(&event_->payload(), words, 1);
    if (words.front() == "entity") return walked(&entity(), words, 1);
    if (words.front() == "changes") {
        if (words.size() == 1) return event_->changes();
        return walked(event_->change_of(words[1]), words, 2);
    }
    if (words.front() != "event") return {};
    if (!event_facts_) event_facts_ = facts_of(*event_);
    return walked(&*event_facts_, words, 1);
}

json filled(const json& arguments, Facts& facts) {
    auto made = filled_value(arguments, facts);
    if (made.dump().size() > arguments_bytes_max)
        throw radd::InvalidInput{
            "arguments",
            "have more than " + std::to_string(arguments_bytes_max) + " bytes once filled in"};
    return made;
}

bool check_places(const json& arguments, const std::string& place) {
    bool any = false;
    if (arguments.is_string()) {
        (void)replaced(arguments.get<std::string>(), place, [&](const std::string& path) {
            check_path(trimmed(path), place);
            any = true;
            return std::string{};
        });
    } else if (arguments.is_structured()) {
        for (const auto& [key, value] : arguments.items())
            any = check_places(value, place + "." + key) || any;
    }
    return any;
}

}  // namespace automations
