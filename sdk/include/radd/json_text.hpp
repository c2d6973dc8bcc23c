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

#include <radd/error.hpp>

namespace radd {

using json = nlohmann::json;

/// One JSON value, as text. Made from a document or from text that is JSON already; what is not
/// is refused where it is used (emit, a ref, a rendered schema), naming the field.
class JsonText {
public:
    JsonText() = default;  ///< An empty object.

    // Implicit, so that `.payload = radd::json{{"score", 5}}` reads as what it is.
    /// @throws InvalidInput if a text in `document` is not UTF-8: nothing is dropped in silence.
    template <typename Json>
    requires std::is_same_v<std::remove_cvref_t<Json>, json> JsonText(Json&& document)
        : text_{dump(document)} {}
    JsonText(std::string text) noexcept : text_{std::move(text)} {}
    JsonText(std::string_view text) : text_{text} {}
    JsonText(const char* text) : text_{text} {}

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const JsonText&, const JsonText&) = default;

private:
    static std::string dump(const json& document) {
        try {
            return document.dump();
        } catch (const json::exception&) {
            throw InvalidInput{"json", "a text in it is not UTF-8"};
        }
    }

    std::string text_ = "{}";
};

}  // namespace radd
