#pragma once

/// JSON as it crosses the boundary between the host and its plugins: text.
///
/// A parsed document never appears in a virtual signature, so a plugin may be compiled against
/// another release of the JSON library than the host.

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

namespace radd {

using json = nlohmann::json;

/// One JSON value, as text. Made from a document or from text that is JSON already; what is not
/// is refused where it is used (emit, a ref, a rendered schema), naming the field.
class JsonText {
public:
    JsonText() = default;  ///< An empty object.

    // Implicit, so that `.payload = radd::json{{"score", 5}}` reads as what it is. Invalid UTF-8
    // is kept out by emit(), which can name the field; dump() must not throw half-way here.
    template <typename Json>
    requires std::is_same_v<std::remove_cvref_t<Json>, json> JsonText(Json&& document)
        : text_{document.dump(-1, ' ', false, json::error_handler_t::ignore)} {}
    JsonText(std::string text) noexcept : text_{std::move(text)} {}
    JsonText(std::string_view text) : text_{text} {}
    JsonText(const char* text) : text_{text} {}

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const JsonText&, const JsonText&) = default;

private:
    std::string text_ = "{}";
};

}  // namespace radd
