#include "message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "markup.hpp"
#include <radd/percent.hpp>

namespace chat {
namespace {

constexpr std::string_view dash = " \xe2\x80\x93 ";
constexpr std::string_view arrow = " \xe2\x86\x92 ";
constexpr std::string_view ellipsis = " \xe2\x80\xa6";

/// A member that is text; empty if it is not there or is something else.
std::string_view text_in(const radd::json& object, const char* name) {
    if (!object.is_object()) return {};
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string()) return {};
    return found->get_ref<const std::string&>();
}

const radd::json& member(const radd::json& object, const char* name) {
    static const radd::json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

/// One side of a change: a scalar, or what a reference is called. Empty: nothing to show.
std::string shown(const radd::json& value) {
    std::string text;
    if (value.is_string()) text = value.get<std::string>();
    if (value.is_boolean() || value.is_number()) text = value.dump();
    for (const char* name : {"name", "key", "title"}) {
        if (text.empty()) text = text_in(value, name);
    }
    return inert(one_line(text, value_characters_max));
}

std::string change(const radd::json& entry) {
    std::string text = inert(one_line(text_in(entry, "field"), value_characters_max));
    if (text.empty()) return text;
    const auto from = shown(member(entry, "from"));
    const auto to = shown(member(entry, "to"));
    if (!from.empty() || !to.empty())
        text.append(" ")
            .append(from.empty() ? "nothing" : from)
            .append(arrow)
            .append(to.empty() ? "nothing" : to);
    return text;
}

/// A line that takes whole pieces until one does not fit.
class Line {
public:
    explicit Line(std::string begin) : text_{std::move(begin)} {}

    Line& add(const std::string& piece) {
        if (is_full_) return *this;
        is_full_ = text_.size() + piece.size() + ellipsis.size() > message_bytes_max;
        text_.append(is_full_ ? ellipsis : piece);
        return *this;
    }
    [[nodiscard]] std::string take() && { return std::move(text_); }

private:
    std::string text_;
    bool is_full_ = false;
};

void add_changes(Line& line, const radd::Event& event) {
    std::size_t count = 0;
    for (const radd::json& entry : event.changes()) {
        const auto one = change(entry);
        if (one.empty()) continue;
        if (count < changes_shown_max) line.add((count == 0 ? ": " : ", ") + one);
        ++count;
    }
    if (count > changes_shown_max)
        line.add(" and " + std::to_string(count - changes_shown_max) + " more");
}

/// A member of a reference, cut and inert; empty if it has none.
std::string words(const radd::json& ref, const char* name, std::size_t characters_max) {
    return inert(one_line(text_in(ref, name), characters_max));
}

}  // namespace

std::string line_of(const radd::Event& event, std::string_view public_url) {
    const radd::json& ref = member(event.payload(), event.entity_type.c_str());
    const std::string page = std::string{public_url} + "/entities/" +
                             radd::percent_encoded(event.entity_type) + "/" +
                             radd::percent_encoded(event.entity_id);
    const auto key = text_in(ref, "key");
    const std::string called =
        key.empty() ? event.entity_type + " " + event.entity_id : std::string{key};
    Line line{link(page, one_line(called, value_characters_max))};
    const auto title = words(ref, "title", title_characters_max);
    if (!title.empty()) line.add(" " + title);
    line.add(std::string{dash} + inert(event.type));
    const auto author = words(member(ref, "author"), "name", value_characters_max);
    if (!author.empty()) line.add(" by " + author);
    add_changes(line, event);
    const auto excerpt = words(ref, "excerpt", title_characters_max);
    if (!excerpt.empty()) line.add(": " + excerpt);
    return std::move(line).take();
}

std::string line_of(std::string_view text) {
    std::string line;
    // What makes it inert makes it longer, by a factor that depends on the text.
    for (std::size_t characters = message_bytes_max; characters > 0; characters /= 2) {
        line = inert(one_line(text, characters));
        if (line.size() <= message_bytes_max) break;
    }
    return line;
}

std::size_t lines_that_fit(std::span<const std::string> lines) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    for (const auto& line : lines) {
        bytes += line.size() + 1;
        if (count > 0 && (bytes - 1 > message_bytes_max || count == lines_per_message_max)) break;
        ++count;
    }
    return count;
}

std::string joined(std::span<const std::string> lines) {
    std::string text;
    for (const auto& line : lines) text.append(text.empty() ? "" : "\n").append(line);
    return text;
}

std::string body_of(std::string_view text) {
    return radd::json{{"text", text}}.dump(-1, ' ', false, radd::json::error_handler_t::replace);
}

std::string url_of(std::string_view url, std::string_view delivery_uid, std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: another text is another message.
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    constexpr std::size_t digits = 17;
    std::array<char, digits> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash));
    std::string named{url};
    named.append(url.find('?') == std::string_view::npos ? "?" : "&").append("requestId=");
    return named.append(delivery_uid).append("-").append(hex.data());
}

}  // namespace chat
