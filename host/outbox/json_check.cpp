#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/config/utf8.hpp>
#include <host/outbox/json_check.hpp>

namespace radd::outbox {
namespace {

/// Listens to the parser and stops it at the first thing that cannot be kept.
class Inspector final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Inspector(std::size_t depth_max) : depth_max_{depth_max} {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t& text) override { return accepts(text); }
    bool string(string_t& text) override { return has_no_nul(text); }
    bool binary(binary_t&) override { return false; }

    bool start_object(std::size_t) override { return enter(JsonKind::object); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(JsonKind::array); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        if (depth_ == 1) facts.keys.push_back(name);
        return has_no_nul(name);
    }

    bool parse_error(std::size_t at,
                     const std::string& last_token,
                     const nlohmann::json::exception& error) override {
        if (error.id == 406) return refuse("holds a number out of range; send it as text");
        // The parser quotes the input in its message, which may be a secret: say only where.
        const bool is_text = last_token.starts_with('"');
        return refuse("is not JSON at byte " + std::to_string(at) +
                      (is_text ? " (a text that is not valid UTF-8, holds a control character or "
                                 "half of a surrogate pair)"
                               : ""));
    }

    JsonFacts facts;
    std::string problem;

private:
    bool refuse(std::string why) {
        problem = std::move(why);
        return false;
    }
    bool has_no_nul(const std::string& text) {
        if (text.find('\0') == std::string::npos) return true;
        return refuse("holds a NUL character, which PostgreSQL cannot keep; remove it");
    }
    bool enter(JsonKind kind) {
        if (depth_ == 0) facts.kind = kind;
        if (++depth_ <= depth_max_) return true;
        return refuse("is nested deeper than " + std::to_string(depth_max_) + " levels");
    }
    bool leave() {
        --depth_;
        return true;
    }
    bool accepts(std::string_view number) {
        const auto mark = number.find_first_of("eE");
        int exponent = 0;
        bool fits = number.size() <= number_digits_max;
        if (mark != std::string_view::npos) {
            const bool has_sign = number[mark + 1] == '+';
            const char* first = number.data() + mark + (has_sign ? 2 : 1);
            const auto parsed = std::from_chars(first, number.data() + number.size(), exponent);
            fits = fits && parsed.ec == std::errc{} && exponent >= number_exponent_min;
        }
        return fits || refuse("holds a number with too many digits; send it as text");
    }

    std::size_t depth_max_;
    std::size_t depth_ = 0;
};

}  // namespace

JsonFacts check_json(std::string_view field, std::string_view text, std::size_t depth_max) {
    // The parser takes a NUL byte for the end of its input.
    if (text.find('\0') != std::string_view::npos)
        throw InvalidInput{std::string{field}, "holds a NUL byte; remove it"};
    // The parser steps over a byte order mark, PostgreSQL does not, and inside of a change nobody.
    if (text.starts_with("\xEF\xBB\xBF"))
        throw InvalidInput{std::string{field}, "begins with a byte order mark; remove it"};
    Inspector inspector{depth_max};
    if (!nlohmann::json::sax_parse(text, &inspector))
        throw InvalidInput{std::string{field}, inspector.problem};
    return std::move(inspector.facts);
}

void check_text(std::string_view field, std::string_view text, std::size_t bytes_max) {
    if (text.size() > bytes_max) {
        throw InvalidInput{std::string{field},
                           "has " + std::to_string(text.size()) + " bytes, the limit is " +
                               std::to_string(bytes_max)};
    }
    if (text.find('\0') != std::string_view::npos)
        throw InvalidInput{std::string{field}, "holds a NUL byte; remove it"};
    if (const auto at = config::first_invalid_utf8(text)) {
        throw InvalidInput{std::string{field},
                           "is not valid UTF-8 from byte " + std::to_string(*at) + " on"};
    }
}

void append_quoted(std::string& json, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    json += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            json += "\\u00";
            json += hex[static_cast<unsigned char>(c) >> 4];
            json += hex[static_cast<unsigned char>(c) & 15];
        } else {
            json += c;
        }
    }
    json += '"';
}

}  // namespace radd::outbox
