#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <host/config/address_range.hpp>

namespace radd::config {
namespace {

constexpr int address_bits = 128;
constexpr int ipv4_bits = 32;
constexpr int byte_bits = 8;
constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

bool is_mapped(const Address& address) {
    return std::equal(mapped_prefix.begin(), mapped_prefix.end(), address.begin());
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
    const std::string terminated{text};
    if (terminated.find('\0') != std::string::npos) return std::nullopt;
    Address address{};
    if (inet_pton(AF_INET6, terminated.c_str(), address.data()) == 1) return address;
    std::copy(mapped_prefix.begin(), mapped_prefix.end(), address.begin());
    if (inet_pton(AF_INET, terminated.c_str(), address.data() + mapped_prefix.size()) == 1)
        return address;
    return std::nullopt;
}

std::string to_text(const Address& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool mapped = is_mapped(address);
    const auto* bytes = address.data() + (mapped ? mapped_prefix.size() : 0);
    inet_ntop(mapped ? AF_INET : AF_INET6, bytes, text.data(), text.size());
    return text.data();
}

std::string address_block(std::string_view address) {
    auto block = parse_address(address);
    if (!block) return std::string{address};
    if (is_mapped(*block)) return to_text(*block);
    constexpr std::size_t block_bytes = 8;
    std::fill(block->begin() + block_bytes, block->end(), std::uint8_t{0});
    return to_text(*block) + "/64";
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
    const auto slash = std::min(text.find('/'), text.size());
    const auto address = parse_address(text.substr(0, slash));
    if (!address) return std::nullopt;
    const bool is_ipv4 = text.substr(0, slash).find(':') == std::string_view::npos;
    const int bits_max = is_ipv4 ? ipv4_bits : address_bits;
    int bits = bits_max;
    if (slash != text.size()) {
        const auto digits = text.substr(slash + 1);
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        const bool is_number = parsed.ec == std::errc{} && parsed.ptr == digits.end();
        if (!is_number || bits < 0 || bits > bits_max) return std::nullopt;
    }
    AddressRange range;
    range.first_ = *address;
    range.prefix_bits_ = address_bits - bits_max + bits;
    for (int bit = range.prefix_bits_; bit < address_bits; ++bit) {
        const auto byte = range.first_[static_cast<std::size_t>(bit / byte_bits)];
        if ((byte >> (byte_bits - 1 - bit % byte_bits) & 1) != 0) return std::nullopt;
    }
    return range;
}

bool AddressRange::contains(const Address& address) const noexcept {
    for (int bit = 0; bit < prefix_bits_; ++bit) {
        const auto at = static_cast<std::size_t>(bit / byte_bits);
        const int shift = byte_bits - 1 - bit % byte_bits;
        if ((first_[at] >> shift & 1) != (address[at] >> shift & 1)) return false;
    }
    return true;
}

}  // namespace radd::config
