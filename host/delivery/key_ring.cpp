#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include <openssl/evp.h>

#include <fcntl.h>
#include <host/delivery/key_ring.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace radd::delivery {
namespace {

constexpr std::string_view format = "radd1";
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t id_bytes = 4;
constexpr std::string_view remedy =
    "; write one with `openssl rand -hex 32` into a file that only the host may read, and set "
    "secrets.key_file to it";

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

void require(bool worked) {
    if (!worked) throw Error{"secrets: OpenSSL refused to encrypt"};
}

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += digits[byte >> 4U];
        hex += digits[byte & 0xFU];
    }
    return hex;
}

std::optional<std::string> bytes_in(std::string_view hex) {
    const auto value = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const int high = value(hex[i]);
        const int low = value(hex[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes.push_back(static_cast<char>(high * 16 + low));
    }
    return bytes;
}

std::string sha256(std::string_view text) {
    std::string hash(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    require(EVP_Digest(text.data(), text.size(), bytes_of(hash), &size, EVP_sha256(), nullptr) ==
            1);
    hash.resize(size);
    return hash;
}

/// Authenticated with the text: what it is for, and by which key.
std::string context_of(std::string_view purpose, std::string_view key_id) {
    return std::string{format} + '.' + std::string{key_id} + '.' + std::string{purpose};
}

std::string encrypt(std::string_view key,
                    std::string_view nonce,
                    std::string_view context,
                    std::string_view text) {
    const Context cipher{EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};
    std::string sealed(text.size() + tag_bytes, '\0');
    int size = 0;
    require(cipher &&
            EVP_EncryptInit_ex(
                cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1);
    require(
        EVP_EncryptUpdate(
            cipher.get(), nullptr, &size, bytes_of(context), static_cast<int>(context.size())) ==
        1);
    require(
        EVP_EncryptUpdate(
            cipher.get(), bytes_of(sealed), &size, bytes_of(text), static_cast<int>(text.size())) ==
        1);
    require(EVP_EncryptFinal_ex(cipher.get(), bytes_of(sealed) + size, &size) == 1);
    require(EVP_CIPHER_CTX_ctrl(cipher.get(),
                                EVP_CTRL_GCM_GET_TAG,
                                static_cast<int>(tag_bytes),
                                bytes_of(sealed) + text.size()) == 1);
    return sealed;
}

/// Empty: it was changed, or sealed for something else.
std::optional<std::string> decrypt(std::string_view key,
                                   std::string_view nonce,
                                   std::string_view context,
                                   std::string_view sealed) {
    const Context cipher{EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};
    std::string tag{sealed.substr(sealed.size() - tag_bytes)};
    sealed.remove_suffix(tag_bytes);
    std::string text(sealed.size() + 1, '\0');
    int size = 0;
    int last = 0;
    require(cipher &&
            EVP_DecryptInit_ex(
                cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1);
    require(
        EVP_DecryptUpdate(
            cipher.get(), nullptr, &size, bytes_of(context), static_cast<int>(context.size())) ==
        1);
    require(EVP_DecryptUpdate(cipher.get(),
                              bytes_of(text),
                              &size,
                              bytes_of(sealed),
                              static_cast<int>(sealed.size())) == 1);
    require(EVP_CIPHER_CTX_ctrl(
                cipher.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(tag_bytes), tag.data()) == 1);
    if (EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + size, &last) != 1) return std::nullopt;
    text.resize(static_cast<std::size_t>(size + last));
    return text;
}

}  // namespace

std::string KeyRing::seal(std::string_view purpose, std::string_view text) {
    constexpr std::size_t text_bytes_max = std::size_t{64} * 1024;
    if (text.size() > text_bytes_max) throw InvalidInput{"secret", "is longer than 64 KiB"};
    const Key& key = keys().front();
    std::string nonce(nonce_bytes, '\0');
    const std::uint64_t high = random_.bits();
    const std::uint64_t low = random_.bits();
    std::memcpy(nonce.data(), &high, sizeof(high));
    std::memcpy(nonce.data() + sizeof(high), &low, nonce_bytes - sizeof(high));
    return std::string{format} + '.' + key.id + '.' +
           hex_of(nonce + encrypt(key.bytes, nonce, context_of(purpose, key.id), text));
}

std::string KeyRing::open(std::string_view purpose, std::string_view sealed) {
    const auto first = sealed.find('.');
    const auto second = first == std::string_view::npos ? first : sealed.find('.', first + 1);
    const auto body =
        second == std::string_view::npos ? std::nullopt : bytes_in(sealed.substr(second + 1));
    if (!body || sealed.substr(0, first) != format || body->size() < nonce_bytes + tag_bytes)
        throw Error{"secrets: this is no sealed text"};
    const std::string id{sealed.substr(first + 1, second - first - 1)};
    const auto& known = keys();
    const auto key = std::ranges::find(known, id, &Key::id);
    if (key == known.end())
        throw ConfigError{"secrets: a text was sealed under key " + id +
                          ", which is not among those given; add that key to secrets.key_file"};
    const std::string_view bytes{*body};
    auto text = decrypt(key->bytes,
                        bytes.substr(0, nonce_bytes),
                        context_of(purpose, id),
                        bytes.substr(nonce_bytes));
    if (!text) throw Error{"secrets: a sealed text was changed, or is not for this purpose"};
    return *std::move(text);
}

const std::vector<KeyRing::Key>& KeyRing::keys() {
    const std::scoped_lock lock{mutex_};
    if (!keys_.empty()) return keys_;
    if (source_.file.empty())
        throw ConfigError{"secrets: this installation has no key" + std::string{remedy}};
    std::error_code none;
    if (source_.make_if_missing && !std::filesystem::exists(source_.file, none)) make();
    keys_ = read();
    return keys_;
}

std::vector<KeyRing::Key> KeyRing::read() const {
    const std::string where = "secrets: " + source_.file.string();
    std::ifstream file{source_.file, std::ios::binary};
    std::string text(file_bytes_max + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || !file.eof())
        throw ConfigError{where + ": cannot be read, or is longer than 16 KiB" +
                          std::string{remedy}};
    text.resize(static_cast<std::size_t>(file.gcount()));
    std::vector<Key> keys;
    std::istringstream lines{text};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        if (line.empty() || line.starts_with('#')) continue;
        auto bytes = bytes_in(line);
        if (!bytes || bytes->size() != key_bytes || keys.size() == keys_max)
            throw ConfigError{where + ":" + std::to_string(number) +
                              ": is no key of 64 hexadecimal digits, or one too many" +
                              std::string{remedy}};
        auto id = hex_of(sha256("radd key id " + *bytes).substr(0, id_bytes));
        keys.push_back({.id = std::move(id), .bytes = *std::move(bytes)});
    }
    if (keys.empty()) throw ConfigError{where + ": holds no key" + std::string{remedy}};
    return keys;
}

/// Written aside and linked, so that of two who make one at once both use the first.
void KeyRing::make() const {
    std::string key;
    while (key.size() < key_bytes) {
        const std::uint64_t bits = random_.bits();
        key.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
    }
    const std::string line = hex_of(key) + "\n";
    const std::string aside = source_.file.string() + "." + std::to_string(getpid()) + ".new";
    const int descriptor =
        ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const bool written =
        descriptor >= 0 &&
        write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        fsync(descriptor) == 0;
    if (descriptor >= 0) close(descriptor);
    const bool linked =
        written && (link(aside.c_str(), source_.file.c_str()) == 0 || errno == EEXIST);
    const std::string why = std::strerror(errno);
    unlink(aside.c_str());
    if (!linked)
        throw ConfigError{"secrets: " + source_.file.string() + ": cannot be made: " + why};
}

}  // namespace radd::delivery
