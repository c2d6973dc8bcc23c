#pragma once

/// Sealing secrets under keys that lie outside the database.

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/clock.hpp>
#include <radd/secrets.hpp>

namespace radd::delivery {

/// Keys from a file: one a line of 64 hexadecimal digits, as `openssl rand -hex 32` writes them;
/// the first seals, each opens. To rotate, put a new line in front. Empty lines and lines that
/// begin with `#` are passed. Read at the first use and kept. [any-thread]
class KeyRing final : public Secrets {
public:
    static constexpr std::size_t key_bytes = 32;
    static constexpr std::size_t keys_max = 16;
    static constexpr std::size_t file_bytes_max = std::size_t{16} * 1024;

    struct Source {
        std::filesystem::path file{};  ///< Empty: none is set.
        bool make_if_missing = false;  ///< For the private database: a key beside it will do.
    };
    KeyRing(Source source, Random& random) : source_{std::move(source)}, random_{random} {}

    [[nodiscard]] std::string seal(std::string_view purpose, std::string_view text) override;
    [[nodiscard]] std::string open(std::string_view purpose, std::string_view sealed) override;

private:
    struct Key {
        std::string id;  ///< What a sealed text names it by; tells nothing of the key.
        std::string bytes;
    };
    [[nodiscard]] const std::vector<Key>& keys();
    [[nodiscard]] std::vector<Key> read() const;
    void make() const;

    Source source_;
    Random& random_;
    std::mutex mutex_;
    std::vector<Key> keys_;
};

}  // namespace radd::delivery
