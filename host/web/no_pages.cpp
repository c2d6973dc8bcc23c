// A build without the pages: npm was not there.

#include <host/web/asset.hpp>

namespace radd::web {

std::span<const Asset> embedded_pages() noexcept {
    return {};
}

}  // namespace radd::web
