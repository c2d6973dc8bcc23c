#pragma once

/// Which requests a route's path means: shared by the host's router, its checks at boot, and the
/// fixture host of tests.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/error.hpp>
#include <radd/http.hpp>
#include <radd/percent.hpp>

namespace radd {

/// The segments of a request's path, each decoded by itself, so that `%2F` is part of a segment
/// and separates none: "/a/b%2Fc" → {"a", "b/c"}; "/" → {""}. Empty: it does not begin with '/',
/// or its encoding is broken, or what it encodes is not UTF-8 or holds a NUL; answer 400.
[[nodiscard]] inline std::optional<std::vector<std::string>> path_segments(std::string_view path) {
    if (!path.starts_with('/')) return std::nullopt;
    std::vector<std::string> segments;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const auto raw = path.substr(0, path.find('/'));
        path.remove_prefix(raw.size());
        auto segment = percent_decoded(raw);
        if (!segment || first_invalid_utf8(*segment)) return std::nullopt;
        if (segment->find('\0') != std::string::npos) return std::nullopt;
        segments.push_back(*std::move(segment));
    }
    return segments;
}

/// A RouteSpec's path, understood.
class RoutePattern {
public:
    struct Segment {
        std::string text;  ///< What must stand there, or the name of the parameter.
        bool is_parameter = false;
    };

    static constexpr std::size_t segments_max = 20;
    static constexpr std::size_t bytes_max = 200;

    /// Empty, or what is wrong with `path`, as the end of a sentence.
    [[nodiscard]] static std::string fault(std::string_view path) {
        if (!path.starts_with('/')) return "must begin with '/'";
        if (path.size() > bytes_max)
            return "is longer than " + std::to_string(bytes_max) + " bytes";
        if (path == "/") return {};
        const auto texts = split(path);
        if (texts.size() > segments_max)
            return "has more than " + std::to_string(segments_max) + " segments";
        std::set<std::string_view> names;
        for (const auto text : texts) {
            if (auto found = segment_fault(text); !found.empty()) return found;
            if (text.front() == '{' && !names.insert(text).second)
                return "names the parameter " + std::string{text} + " twice";
        }
        return {};
    }

    /// @throws ConfigError if it has a fault().
    explicit RoutePattern(std::string_view path) {
        if (auto found = fault(path); !found.empty())
            throw ConfigError{"path '" + std::string{path} + "' " + found};
        for (const auto text : split(path)) {
            const bool is_parameter = text.starts_with('{');
            segments_.push_back(
                {std::string{is_parameter ? text.substr(1, text.size() - 2) : text}, is_parameter});
        }
    }

    /// At least one; "/" has one, which is empty.
    [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }

    /// The path without the names of its parameters: "/api/v1/items/{}". Two routes of one method
    /// and one shape mean the same requests.
    [[nodiscard]] std::string shape() const {
        std::string text;
        for (const auto& segment : segments_)
            text += segment.is_parameter ? "/{}" : "/" + segment.text;
        return text;
    }

    /// What its parameters stand for in a request; nothing if it does not mean this request.
    /// A parameter never stands for an empty segment.
    [[nodiscard]] std::optional<std::vector<HttpField>> match(
        const std::vector<std::string>& request) const {
        if (request.size() != segments_.size()) return std::nullopt;
        std::vector<HttpField> parameters;
        for (std::size_t i = 0; i < request.size(); ++i) {
            const auto& [text, is_parameter] = segments_[i];
            if (is_parameter ? request[i].empty() : request[i] != text) return std::nullopt;
            if (is_parameter) parameters.emplace_back(text, request[i]);
        }
        return parameters;
    }

    /// Of two that match one request, whether this one takes it: at the first segment where one
    /// has text and the other a parameter, text wins.
    [[nodiscard]] bool precedes(const RoutePattern& other) const {
        const auto size = std::min(segments_.size(), other.segments_.size());
        for (std::size_t i = 0; i < size; ++i) {
            if (segments_[i].is_parameter != other.segments_[i].is_parameter)
                return !segments_[i].is_parameter;
        }
        return false;
    }

private:
    static std::vector<std::string_view> split(std::string_view path) {
        std::vector<std::string_view> texts;
        while (path.starts_with('/')) {
            path.remove_prefix(1);
            texts.push_back(path.substr(0, path.find('/')));
            path.remove_prefix(texts.back().size());
        }
        return texts;
    }

    static bool is_name(std::string_view text) {
        return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
               std::ranges::all_of(text, [](char c) {
                   return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
               });
    }
    static bool is_plain(std::string_view text) {
        return std::ranges::all_of(text, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '.' || c == '_' || c == '~';
        });
    }
    static std::string segment_fault(std::string_view text) {
        const std::string shown = "'" + std::string{text} + "'";
        if (text.empty()) return "has an empty segment";
        if (text == "." || text == "..") return "has the segment " + shown;
        if (text.find_first_of("{}") == std::string_view::npos)
            return is_plain(text)
                       ? ""
                       : "has a segment " + shown + " with other than letters, digits and -._~";
        const bool is_parameter = text.size() > 2 && text.starts_with('{') && text.ends_with('}') &&
                                  is_name(text.substr(1, text.size() - 2));
        return is_parameter ? ""
                            : "has a segment " + shown +
                                  "; a parameter is a whole segment such as {item_key}, in lower "
                                  "case";
    }

    std::vector<Segment> segments_;
};

}  // namespace radd
