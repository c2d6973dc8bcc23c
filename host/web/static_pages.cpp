#include <algorithm>

#include <host/web/content_coding.hpp>
#include <host/web/static_pages.hpp>
#include <host/web/text.hpp>

namespace radd::web {
namespace {

/// By name: `*/*` of a program that mistyped an address wants its 404.
bool accepts_html(std::string_view accept) {
    return std::ranges::any_of(split(accept, ','), [](std::string_view item) {
        return is_same_name(trimmed(item.substr(0, item.find(';'))), "text/html");
    });
}

bool is_known(std::string_view if_none_match, std::string_view etag) {
    return std::ranges::any_of(split(if_none_match, ','), [&](std::string_view item) {
        auto known = trimmed(item);
        if (known.starts_with("W/")) known.remove_prefix(2);
        return known == "*" || known == etag;
    });
}

Outgoing answer_with(const Asset& asset, const std::vector<HttpField>& headers) {
    Outgoing answer;
    answer.headers = {
        {"ETag", std::string{asset.etag}},
        {"Cache-Control", asset.immutable ? "public, max-age=31536000, immutable" : "no-cache"}};
    if (!asset.gzip.empty()) answer.headers.emplace_back("Vary", "Accept-Encoding");
    if (is_known(header_value(headers, "if-none-match"), asset.etag)) {
        constexpr int not_modified = 304;
        answer.status = not_modified;
        return answer;
    }
    const bool packed =
        !asset.gzip.empty() && accepts_gzip(header_value(headers, "accept-encoding"));
    answer.headers.emplace_back("Content-Type", asset.content_type);
    if (packed) answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.body = packed ? asset.gzip : asset.bytes;
    return answer;
}

}  // namespace

const Asset* StaticPages::file(std::string_view path) const {
    const auto found = std::ranges::lower_bound(assets_, path, {}, &Asset::path);
    return found != assets_.end() && found->path == path ? &*found : nullptr;
}

std::optional<Outgoing> StaticPages::find(std::string_view path,
                                          const std::vector<HttpField>& headers) const {
    if (const Asset* asset = file(path)) return answer_with(*asset, headers);
    if (path.starts_with("/api/") || path.starts_with("/assets/")) return std::nullopt;
    if (path != "/" && !accepts_html(header_value(headers, "accept"))) return std::nullopt;
    const Asset* index = file("/index.html");
    if (index == nullptr) return std::nullopt;
    return answer_with(*index, headers);
}

}  // namespace radd::web
