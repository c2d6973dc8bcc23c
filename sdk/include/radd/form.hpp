#pragma once

/// What a browser sends when a page without a script is submitted.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/http.hpp>
#include <radd/percent.hpp>

namespace radd {

inline constexpr std::size_t form_fields_max = 100;  ///< Past it: 400.

/// The fields of an `application/x-www-form-urlencoded` body, decoded, in their order.
///
/// Names and values are UTF-8; control characters, NUL among them, are the reader's to judge. A
/// line break in a text area arrives as CR LF; text_value() gives it back as LF.
class Form {
public:
    /// @throws HttpError 415 if the request says that its body is something else, 400 naming the
    ///         field or the byte if it is no such form: broken percent-encoding, no UTF-8, more
    ///         than form_fields_max fields.
    [[nodiscard]] static Form of(const HttpRequest& request) {
        const auto type = request.header("content-type").value_or("");
        const auto end = type.find_first_of("; \t");
        if (lower(type.substr(0, end)) != "application/x-www-form-urlencoded")
            throw HttpError{415, "send the form as application/x-www-form-urlencoded"};
        return Form{request.body};
    }

    /// @throws HttpError 400 as of().
    explicit Form(std::string_view body) {
        while (!body.empty()) {
            const auto pair = body.substr(0, body.find('&'));
            body.remove_prefix(std::min(body.size(), pair.size() + 1));
            if (pair.empty()) continue;
            if (fields_.size() == form_fields_max)
                throw HttpError{
                    400, "the form has more than " + std::to_string(form_fields_max) + " fields"};
            add(pair);
        }
    }

    [[nodiscard]] const std::vector<HttpField>& fields() const noexcept { return fields_; }

    /// The first value under this name, as it was sent.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const {
        const auto found = std::ranges::find(fields_, name, &HttpField::first);
        if (found == fields_.end()) return std::nullopt;
        return found->second;
    }
    /// The same with line breaks as LF, and nothing if there is but white space.
    [[nodiscard]] std::optional<std::string> text_value(std::string_view name) const {
        const auto raw = value(name);
        if (!raw || raw->find_first_not_of(" \t\r\n") == std::string_view::npos)
            return std::nullopt;
        std::string text;
        text.reserve(raw->size());
        for (std::size_t at = 0; at < raw->size(); ++at) {
            if (raw->substr(at, 2) != "\r\n") text += (*raw)[at];
        }
        return text;
    }

private:
    static std::string lower(std::string_view text) {
        std::string result{text};
        for (char& c : result) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        return result;
    }

    void add(std::string_view pair) {
        const auto equals = pair.find('=');
        const auto raw =
            equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
        auto name = percent_decoded(pair.substr(0, equals), true);
        auto text = percent_decoded(raw, true);
        const std::string place = "field " + std::to_string(fields_.size() + 1);
        if (!name || !text)
            throw HttpError{400, place + " of the form has a % without two hexadecimal digits"};
        if (first_invalid_utf8(*name) || first_invalid_utf8(*text))
            throw HttpError{400, place + " of the form is not UTF-8"};
        fields_.emplace_back(*std::move(name), *std::move(text));
    }

    std::vector<HttpField> fields_;
};

}  // namespace radd
