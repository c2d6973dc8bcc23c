#pragma once

/// The files of the pages, and the one page that stands for all addresses of the application.

#include <optional>
#include <span>
#include <string_view>

#include <host/web/asset.hpp>
#include <host/web/message.hpp>

namespace radd::web {

/// [any-thread]
class StaticPages {
public:
    /// `assets`, sorted by path, must outlive this.
    explicit StaticPages(std::span<const Asset> assets) noexcept : assets_{assets} {}

    /// The answer to GET `path`: a file; index.html for every other address outside /api/ and
    /// /assets/ that a browser opens; empty where there is nothing. 304 where the client has it.
    [[nodiscard]] std::optional<Outgoing> find(std::string_view path,
                                               const std::vector<HttpField>& headers) const;

    [[nodiscard]] bool is_empty() const noexcept { return assets_.empty(); }

private:
    [[nodiscard]] const Asset* file(std::string_view path) const;
    std::span<const Asset> assets_;
};

}  // namespace radd::web
