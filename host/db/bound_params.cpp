#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <variant>

#include <host/db/bound_params.hpp>

namespace radd::db {
namespace {

// PostgreSQL counts parameters of one statement in 16 bits.
constexpr std::size_t params_max = 65535;

template <typename Number>
void append_number(std::string& text, Number value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

struct Appender {
    std::string& text;
    std::size_t position;  ///< From 1, as in the statement.

    void operator()(std::nullptr_t) const {}
    void operator()(bool value) const { text += value ? 't' : 'f'; }
    void operator()(std::int64_t value) const { append_number(text, value); }
    void operator()(double value) const { append_number(text, value); }
    void operator()(std::string_view value) const {
        if (value.find('\0') != std::string_view::npos) {
            throw InvalidInput{"parameter $" + std::to_string(position),
                               "holds a NUL byte, which PostgreSQL cannot keep; remove it"};
        }
        text += value;
    }
};

}  // namespace

BoundParams::BoundParams(std::span<const Param> params) {
    if (params.size() > params_max) {
        throw InvalidInput{"parameters",
                           std::to_string(params.size()) + " in one statement, the limit is " +
                               std::to_string(params_max) + "; send fewer rows at once"};
    }
    std::vector<std::optional<std::size_t>> offsets;
    offsets.reserve(params.size());
    for (const Param& param : params) {
        const bool is_null = std::holds_alternative<std::nullptr_t>(param.value());
        offsets.push_back(is_null ? std::nullopt : std::optional{text_.size()});
        std::visit(Appender{text_, offsets.size()}, param.value());
        text_ += '\0';
    }
    // Only now: text_ has moved while it grew.
    values_.reserve(offsets.size());
    for (const auto& offset : offsets) values_.push_back(offset ? text_.data() + *offset : nullptr);
}

std::string BoundParams::without_values(std::string_view message) const {
    const auto is_bound = [this](std::string_view part) {
        return std::ranges::any_of(values_, [&](const char* value) {
            return value && std::string_view{value}.find(part) != std::string_view::npos;
        });
    };
    std::string masked;
    while (!message.empty()) {
        const auto open = message.find('"');
        const auto close = open == std::string_view::npos ? open : message.find('"', open + 1);
        // The last quote ends a value that holds quotes itself, JSON for one.
        const auto last = message.rfind('"');
        if (close == std::string_view::npos) break;
        const auto whole = message.substr(open + 1, last - open - 1);
        const auto part = message.substr(open + 1, close - open - 1);
        masked.append(message.substr(0, open));
        if (!whole.empty() && is_bound(whole)) {
            masked.append("\"…\"").append(message.substr(last + 1));
            return masked;
        }
        masked.append(!part.empty() && is_bound(part) ? "\"…\""
                                                      : message.substr(open, close - open + 1));
        message.remove_prefix(close + 1);
    }
    return masked.append(message);
}

}  // namespace radd::db
