#pragma once

/// The files of the pages, as they lie in the binary.

#include <span>
#include <string_view>

namespace radd::web {

/// One file. Every view points into the program itself and is good for ever.
struct Asset {
    std::string_view path;          ///< "/index.html", "/assets/app.3f9a1c.js".
    std::string_view content_type;  ///< "text/html; charset=utf-8"
    std::string_view bytes;
    std::string_view gzip;   ///< The same, compressed at build time; empty where it does not pay.
    std::string_view etag;   ///< With its quotes; changes with `bytes`.
    bool immutable = false;  ///< The name holds a hash of the content: cached for a year.
};

/// Every file of the pages, sorted by path; empty in a build without them. Defined by what
/// radd_embed_pages() generates, or by no_pages.cpp.
[[nodiscard]] std::span<const Asset> embedded_pages() noexcept;

}  // namespace radd::web
