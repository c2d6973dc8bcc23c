#include "signature.hpp"

#include <array>
#include <cstring>
#include <optional>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <radd/error.hpp>

namespace webhooks {
namespace {

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64(std::string_view bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > 4 * secret_bytes_max)
        return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        bytes_of(text),
                        static_cast<int>(text.size())) < 0)
        return std::nullopt;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) {
        text.remove_suffix(1);
        bytes.pop_back();
    }
    if (text.find('=') != std::string_view::npos) return std::nullopt;
    return bytes;
}

std::optional<std::string> key_in(std::string_view secret) {
    if (!secret.starts_with(secret_prefix)) return std::nullopt;
    auto key = from_base64(secret.substr(secret_prefix.size()));
    if (!key || key->size() < secret_bytes_min || key->size() > secret_bytes_max)
        return std::nullopt;
    return key;
}

}  // namespace

std::string new_secret(radd::Random& random) {
    constexpr std::size_t numbers = 4;
    std::array<std::uint64_t, numbers> chance{};
    for (auto& bits : chance) bits = random.bits();
    std::string bytes(sizeof(chance), '\0');
    std::memcpy(bytes.data(), chance.data(), sizeof(chance));
    return std::string{secret_prefix} + base64(bytes);
}

void check_secret(std::string_view secret) {
    if (key_in(secret)) return;
    throw radd::InvalidInput{
        "secret", "must be whsec_ and Base64 of 24 to 64 bytes; leave it out to have one made"};
}

std::string signature(std::string_view secret,
                      std::string_view id,
                      std::int64_t timestamp,
                      std::string_view body) {
    const auto key = key_in(secret);
    if (!key) throw radd::Error{"the endpoint's secret is none"};
    std::string signed_text{id};
    signed_text.append(".").append(std::to_string(timestamp)).append(".").append(body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(),
             key->data(),
             static_cast<int>(key->size()),
             bytes_of(signed_text),
             signed_text.size(),
             digest.data(),
             &size) == nullptr)
        throw radd::Error{"OpenSSL refused to sign"};
    return "v1," + base64({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace webhooks
