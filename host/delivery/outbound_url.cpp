#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include <curl/curl.h>

#include <arpa/inet.h>
#include <host/delivery/outbound_url.hpp>
#include <netinet/in.h>
#include <radd/http_client.hpp>

namespace radd::delivery {
namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> owned{text, &curl_free};
    return owned.get();
}

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7F;
}

Url parsed(std::string_view text) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (text.size() > outbound_url_bytes_max)
        throw InvalidInput{"url",
                           "has " + std::to_string(text.size()) + " bytes, at most " +
                               std::to_string(outbound_url_bytes_max) + " fit"};
    if (std::ranges::any_of(text, is_control)) throw InvalidInput{"url", "has a control character"};
    Url url{curl_url(), &curl_url_cleanup};
    if (ready != CURLE_OK || !url) throw Unavailable{"libcurl cannot be used: out of memory"};
    const auto problem =
        curl_url_set(url.get(), CURLUPART_URL, std::string{text}.c_str(), CURLU_NON_SUPPORT_SCHEME);
    if (problem != CURLUE_OK)
        throw InvalidInput{"url", std::string{"is no URL: "} + curl_url_strerror(problem)};
    const auto scheme = part_of(url.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https")
        throw InvalidInput{"url", "must begin with https:// or http://"};
    // libcurl forgives one slash or three; who shows the host of a URL could not find it then.
    const auto behind = text.substr(std::min(text.find(':'), text.size()));
    if (!behind.starts_with("://") || behind.starts_with(":///"))
        throw InvalidInput{"url", "must have its host behind https:// or http://"};
    constexpr std::size_t slashes = 3;
    const auto place = behind.substr(slashes, behind.find_first_of("/?#", slashes) - slashes);
    if (place.find('@') != std::string_view::npos)
        throw InvalidInput{"url", "must hold no user name and password; use a header"};
    // libcurl undoes %31 after it has looked for numbers: 127.0.0.1 would pass for a name.
    if (!place.starts_with('[') && place.find('%') != std::string_view::npos)
        throw InvalidInput{"url", "must have its host written without %"};
    return url;
}

}  // namespace

OutboundUrl parse_url(std::string_view text) {
    const Url url = parsed(text);
    return {.text = part_of(url.get(), CURLUPART_URL),
            .host = part_of(url.get(), CURLUPART_HOST),
            .zone = part_of(url.get(), CURLUPART_ZONEID)};
}

// Numbers in any spelling are one by now: libcurl writes 2130706433 and 0x7f.1 as 127.0.0.1.
std::optional<config::Address> number_in(std::string host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    while (host.ends_with('.')) host.pop_back();
    std::ranges::transform(
        host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (host == "localhost" || host.ends_with(".localhost")) host = "127.0.0.1";
    if (const auto address = config::parse_address(host)) return address;
    // What stood before a dot at the end is in the spelling it came in.
    in_addr number{};
    if (inet_aton(host.c_str(), &number) == 0) return std::nullopt;
    std::array<char, INET_ADDRSTRLEN> text{};
    return config::parse_address(inet_ntop(AF_INET, &number, text.data(), text.size()));
}

}  // namespace radd::delivery
