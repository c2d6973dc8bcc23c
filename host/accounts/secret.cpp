#include <array>
#include <cstdint>
#include <cstring>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <host/accounts/secret.hpp>
#include <radd/error.hpp>

namespace radd::accounts {
namespace {

using Digest = std::array<unsigned char, secret_bytes>;

Digest sha256(std::string_view text) {
    Digest digest{};
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw Error{"OpenSSL cannot compute SHA-256"};
    return digest;
}

std::string_view bytes_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string base64url(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    std::uint32_t held = 0;
    int held_bits = 0;
    for (const char c : bytes) {
        held = (held << 8U) | static_cast<unsigned char>(c);
        held_bits += 8;
        while (held_bits >= 6) {
            held_bits -= 6;
            text += digits[(held >> held_bits) & 63U];
        }
    }
    if (held_bits > 0) text += digits[(held << (6 - held_bits)) & 63U];
    return text;
}

Secret new_secret(Random& random, std::string_view prefix) {
    std::array<char, secret_bytes> bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bits = random.bits();
        std::memcpy(bytes.data() + at, &bits, sizeof bits);
    }
    Secret secret{.text = std::string{prefix} + base64url({bytes.data(), bytes.size()}),
                  .hash = {}};
    secret.hash = hash_of(secret.text);
    return secret;
}

std::string hash_of(std::string_view secret) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : sha256(secret)) {
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string csrf_token_of(std::string_view session_cookie) {
    return base64url(bytes_of(sha256("radd csrf " + std::string{session_cookie})));
}

}  // namespace radd::accounts
