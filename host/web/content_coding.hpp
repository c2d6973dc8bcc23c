#pragma once

/// gzip, and whether it pays. The home of zlib.

#include <cstddef>
#include <string>
#include <string_view>

#include <host/web/message.hpp>

namespace radd::web {

/// Below it the headers weigh more than what is saved.
inline constexpr std::size_t compressed_bytes_min = 1024;

/// Whether the client takes gzip, by its Accept-Encoding (RFC 9110, 12.5.3): q-values and `*`.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

/// Whether content of this type becomes smaller: text, JSON, scripts, SVG.
[[nodiscard]] bool is_compressible(std::string_view content_type);

[[nodiscard]] std::string gzip(std::string_view bytes);

/// Compresses the body where type and size say so and the client takes it; adds Vary wherever the
/// type does, and leaves alone what is encoded already.
void compress_where_it_pays(Outgoing& answer, std::string_view accept_encoding);

}  // namespace radd::web
