#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <memory>
#include <utility>

#include <curl/curl.h>

#include <arpa/inet.h>
#include <host/delivery/outbound.hpp>
#include <host/delivery/outbound_url.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

namespace radd::delivery {
namespace {

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// One call on its way, as libcurl's callbacks see it.
struct Exchange {
    const AddressGuard& guard;
    const HttpCall& call;
    HttpAnswer answer{};
    std::string refused_address{};
    bool hung_up_by_us = false;  ///< The answer was longer than we read.
};

// libcurl reports a bad option when the handle is used; there is nothing to do about it earlier.
template <typename Value>
void set(CURL* handle, CURLoption option, Value value) {
    curl_easy_setopt(handle, option, value);
}

// RFC 9110 §15: what is none of these is to be taken as a failure of the server.
bool is_status(long status) {
    return status >= 100 && status <= 599;
}

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7F;
}

std::size_t read_header(const char* bytes, std::size_t, std::size_t count, void* to) {
    auto& answer = static_cast<Exchange*>(to)->answer;
    std::string_view line{bytes, count};
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) answer.headers.clear();  // 100 Continue came before.
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || answer.headers.size() == outbound_answer_headers_max)
        return count;
    std::string name{line.substr(0, colon)};
    std::ranges::transform(
        name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    answer.headers.emplace_back(std::move(name), line);
    return count;
}

std::size_t read_body(const char* bytes, std::size_t, std::size_t count, void* to) {
    auto& exchange = *static_cast<Exchange*>(to);
    const auto room = exchange.call.answer_bytes_max - exchange.answer.body.size();
    exchange.answer.body.append(bytes, std::min(room, count));
    if (count <= room) return count;
    exchange.answer.body_cut = exchange.hung_up_by_us = true;
    return 0;
}

/// Called with each address that the name resolved to, and makes the socket that is connected to
/// it: what is looked at here is what is reached.
curl_socket_t open_vetted(void* from, curlsocktype, curl_sockaddr* to) {
    auto& exchange = *static_cast<Exchange*>(from);
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* number = nullptr;
    if (to->family == AF_INET)
        number = &reinterpret_cast<const sockaddr_in*>(&to->addr)->sin_addr;
    else if (to->family == AF_INET6)
        number = &reinterpret_cast<const sockaddr_in6*>(&to->addr)->sin6_addr;
    if (number == nullptr || inet_ntop(to->family, number, text.data(), text.size()) == nullptr)
        return CURL_SOCKET_BAD;
    const auto address = config::parse_address(text.data());
    if (!address || !exchange.guard.allows(*address)) {
        exchange.refused_address = text.data();
        return CURL_SOCKET_BAD;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

void apply_limits(CURL* handle, const HttpCall& call) {
    const auto timeout =
        std::clamp(call.timeout, std::chrono::milliseconds{1}, outbound_timeout_max);
    set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    set(handle,
        CURLOPT_CONNECTTIMEOUT_MS,
        static_cast<long>(std::min(timeout, OutboundClient::connect_timeout_max).count()));
    // Timeouts by signal would be the whole process's.
    set(handle, CURLOPT_NOSIGNAL, 1L);
    // A name server that does not answer is waited for by a thread of the handle's own, which is
    // left behind when the time is over; without this, closing the handle would wait for it.
    set(handle, CURLOPT_QUICK_EXIT, 1L);
    // A connection is made to an address that was vetted for this call, and used for no other.
    set(handle, CURLOPT_FORBID_REUSE, 1L);
    set(handle, CURLOPT_FRESH_CONNECT, 1L);
}

void apply_route(CURL* handle, Exchange& exchange) {
    set(handle, CURLOPT_URL, exchange.call.url.c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(handle, CURLOPT_PROXY, "");  // Not from the environment either: it would bypass the guard.
    set(handle, CURLOPT_NOPROXY, "*");
    set(handle, CURLOPT_FOLLOWLOCATION, 0L);
    set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    set(handle, CURLOPT_OPENSOCKETFUNCTION, &open_vetted);
    set(handle, CURLOPT_OPENSOCKETDATA, &exchange);
    set(handle, CURLOPT_HEADERFUNCTION, &read_header);
    set(handle, CURLOPT_HEADERDATA, &exchange);
    set(handle, CURLOPT_WRITEFUNCTION, &read_body);
    set(handle, CURLOPT_WRITEDATA, &exchange);
}

void apply_request(CURL* handle, const HttpCall& call) {
    if (call.method == HttpMethod::get) return;
    set(handle, CURLOPT_POST, 1L);
    set(handle, CURLOPT_CUSTOMREQUEST, name_of(call.method).data());
    set(handle, CURLOPT_POSTFIELDS, call.body.data());
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
}

List headers_of(const HttpCall& call) {
    if (call.headers.size() > outbound_headers_max)
        throw InvalidInput{"headers", "are more than " + std::to_string(outbound_headers_max)};
    // Sent by libcurl unless they are given empty: waiting for 100 Continue helps nobody.
    List list{curl_slist_append(nullptr, "Expect:"), &curl_slist_free_all};
    const auto add = [&](const std::string& line) {
        if (curl_slist_append(list.get(), line.c_str()) == nullptr)
            throw Unavailable{"libcurl: out of memory"};
    };
    bool has_type = false;
    for (const auto& [name, value] : call.headers) {
        const bool bad_name = name.empty() || name.find_first_of(": ") != std::string::npos ||
                              std::ranges::any_of(name, is_control);
        if (bad_name || std::ranges::any_of(value, is_control))
            throw InvalidInput{"headers", "one has a control character or no name"};
        has_type = has_type || strcasecmp(name.c_str(), "content-type") == 0;
        add(value.empty() ? name + ";" : name + ": " + value);
    }
    if (!has_type) add("Content-Type:");
    return list;
}

}  // namespace

OutboundClient::OutboundClient(const std::vector<std::string>& allowed, std::string user_agent)
    : guard_{allowed}, user_agent_{std::move(user_agent)} {}

void OutboundClient::vet_url(std::string_view text) const {
    const auto url = parse_url(text);
    if (!url.zone.empty())
        throw AddressNotAllowed{"address not allowed: it is of one network interface"};
    const auto number = number_in(url.host);
    if (number && !guard_.allows(*number))
        throw AddressNotAllowed{"address not allowed: " + url.host +
                                " is not public; outbound.allow lists exceptions"};
}

HttpAnswer OutboundClient::call(const HttpCall& call) {
    vet_url(call.url);
    const auto host = parse_url(call.url).host;
    const Handle handle{curl_easy_init(), &curl_easy_cleanup};
    if (!handle) throw Unavailable{"libcurl: out of memory"};
    const List headers = headers_of(call);
    Exchange exchange{.guard = guard_, .call = call};
    std::array<char, CURL_ERROR_SIZE> detail{};
    apply_limits(handle.get(), call);
    apply_route(handle.get(), exchange);
    apply_request(handle.get(), call);
    set(handle.get(), CURLOPT_HTTPHEADER, headers.get());
    set(handle.get(), CURLOPT_USERAGENT, user_agent_.c_str());
    set(handle.get(), CURLOPT_ERRORBUFFER, detail.data());

    const CURLcode code = curl_easy_perform(handle.get());
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    const char* address = nullptr;
    if (curl_easy_getinfo(handle.get(), CURLINFO_PRIMARY_IP, &address) == CURLE_OK &&
        address != nullptr)
        exchange.answer.address = address;
    exchange.answer.status = static_cast<int>(status);
    const bool answered = code == CURLE_OK || (exchange.hung_up_by_us && status != 0);
    if (answered && is_status(status)) return std::move(exchange.answer);
    if (answered)
        throw Unavailable{host + ": answered " + std::to_string(status) +
                          ", which is no status of HTTP"};
    if (!exchange.refused_address.empty())
        throw AddressNotAllowed{"address not allowed: " + host + " is " + exchange.refused_address +
                                ", which is not public; outbound.allow lists exceptions"};
    throw Unavailable{host + ": " +
                      (detail.front() == '\0' ? curl_easy_strerror(code) : detail.data())};
}

}  // namespace radd::delivery
