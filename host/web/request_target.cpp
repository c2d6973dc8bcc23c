#include <algorithm>

#include <host/web/request_target.hpp>
#include <host/web/text.hpp>
#include <radd/percent.hpp>

namespace radd::web {
namespace {

constexpr int bad_request = 400;

[[noreturn]] void refuse(std::string_view what, const std::string& why) {
    throw HttpError{bad_request, std::string{what} + ": " + why};
}

std::string decoded(std::string_view text, std::string_view what, bool plus_is_space) {
    auto plain = percent_decoded(text, plus_is_space);
    if (!plain) refuse(what, "a '%' is not followed by two hexadecimal digits; send it as %25");
    if (plain->find('\0') != std::string::npos) refuse(what, "holds a NUL character");
    if (first_invalid_utf8(*plain)) refuse(what, "is not UTF-8");
    return *std::move(plain);
}

/// Without scheme and authority, which say nothing that Host does not.
std::string_view origin_form(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!is_same_name(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        const auto path = target.find_first_of("/?");
        if (path == std::string_view::npos) return "/";
        return target.substr(path);
    }
    return target;
}

std::vector<HttpField> parse_query(std::string_view text) {
    std::vector<HttpField> fields;
    while (!text.empty()) {
        const auto field = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(field.size() + 1, text.size()));
        if (field.empty()) continue;
        if (fields.size() == query_parameters_max)
            refuse("query",
                   "has more than " + std::to_string(query_parameters_max) + " parameters");
        const auto equals = std::min(field.find('='), field.size());
        const auto value = field.substr(std::min(equals + 1, field.size()));
        fields.emplace_back(decoded(field.substr(0, equals), "query", true),
                            decoded(value, "query", true));
    }
    return fields;
}

}  // namespace

RequestTarget parse_target(std::string_view target) {
    const auto origin = origin_form(target);
    if (origin.find('#') != std::string_view::npos) refuse("request target", "holds a fragment");
    const auto mark = std::min(origin.find('?'), origin.size());
    auto path = origin.substr(0, mark);
    if (path.empty() && origin.size() != target.size()) path = "/";
    if (!path.starts_with('/')) refuse("request target", "does not begin with '/'");

    RequestTarget parsed;
    for (auto rest = path.substr(1);;) {
        const auto end = std::min(rest.find('/'), rest.size());
        parsed.segments.push_back(decoded(rest.substr(0, end), "path", false));
        const auto& segment = parsed.segments.back();
        if (segment == "." || segment == "..") refuse("path", "holds a '.' or '..' segment");
        parsed.path.append("/").append(segment);
        if (end == rest.size()) break;
        rest.remove_prefix(end + 1);
    }
    parsed.query = parse_query(origin.substr(std::min(mark + 1, origin.size())));
    return parsed;
}

}  // namespace radd::web
