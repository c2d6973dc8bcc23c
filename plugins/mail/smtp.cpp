#include "smtp.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <curl/curl.h>

namespace mail {
namespace {

constexpr std::chrono::milliseconds connect_timeout_max{10'000};

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// A mail on its way, as libcurl takes it: piece by piece.
struct Upload {
    std::string_view rest;
    bool began = false;  ///< The relay has accepted sender and recipient and asked for the text.
};

/// How one attempt ended.
struct Attempt {
    CURLcode code;
    long reply;  ///< The last code the relay answered; 0 if it never did.
    bool began;
    std::string detail;
};

std::size_t read_upload(char* to, std::size_t size, std::size_t count, void* from) {
    auto& upload = *static_cast<Upload*>(from);
    upload.began = true;
    const auto taken = std::min(size * count, upload.rest.size());
    std::memcpy(to, upload.rest.data(), taken);
    upload.rest.remove_prefix(taken);
    return taken;
}

// libcurl reports a bad option when the handle is used; there is nothing to do about it earlier.
template <typename Value>
void set(CURL* handle, CURLoption option, Value value) {
    curl_easy_setopt(handle, option, value);
}

std::string url_of(const Relay& relay) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    const Url url{curl_url(), &curl_url_cleanup};
    const char* scheme = relay.security == Security::tls ? "smtps" : "smtp";
    const bool is_ipv6 = relay.host.find(':') != std::string::npos;
    const std::string host = is_ipv6 ? "[" + relay.host + "]" : relay.host;

    char* text = nullptr;
    const bool valid =
        ready == CURLE_OK && url && !relay.host.empty() &&
        curl_url_set(url.get(), CURLUPART_SCHEME, scheme, 0) == CURLUE_OK &&
        curl_url_set(url.get(), CURLUPART_HOST, host.c_str(), 0) == CURLUE_OK &&
        curl_url_set(url.get(), CURLUPART_PORT, std::to_string(relay.port).c_str(), 0) ==
            CURLUE_OK &&
        curl_url_get(url.get(), CURLUPART_URL, &text, 0) == CURLUE_OK;
    if (!valid)
        throw radd::ConfigError{"setting 'host': '" + relay.host +
                                "' is no host name; give a name or an IP address, without a port"};
    const std::unique_ptr<char, decltype(&curl_free)> owned{text, &curl_free};
    return owned.get();
}

void check(const Relay& relay, const Sender& sender) {
    if (relay.security == Security::none && !relay.username.empty())
        throw radd::ConfigError{
            "setting 'username': given without security, so the password would travel in the "
            "clear; set security to starttls or tls, or remove the user name"};
    try {
        check_address("from_address", sender.address);
    } catch (const radd::InvalidInput& error) {
        throw radd::ConfigError{std::string{"setting 'from_address': "} + error.what()};
    }
}

void apply_connection(CURL* handle, const Relay& relay, const std::string& url) {
    const auto timeout = static_cast<long>(relay.timeout.count());
    const auto connect = std::min(relay.timeout, connect_timeout_max);
    set(handle, CURLOPT_URL, url.c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    // Not even from the environment: a relay is reached directly or not at all.
    set(handle, CURLOPT_PROXY, "");
    // Timeouts by signal would be the whole process's.
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_TIMEOUT_MS, timeout);
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
    // The only bound on a relay that never answers QUIT. It is read while this handle closes the
    // connection, which is why the connection may not outlive the transfer.
    set(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, (timeout + 999) / 1000);
    set(handle, CURLOPT_FORBID_REUSE, 1L);
}

void apply_security(CURL* handle, const Relay& relay) {
    const bool wanted = relay.security != Security::none;
    set(handle, CURLOPT_USE_SSL, static_cast<long>(wanted ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!relay.ca_file.empty()) set(handle, CURLOPT_CAINFO, relay.ca_file.c_str());
    if (relay.username.empty()) return;
    set(handle, CURLOPT_USERNAME, relay.username.c_str());
    set(handle, CURLOPT_PASSWORD, relay.password.c_str());
}

Attempt attempt(const Relay& relay,
                const std::string& url,
                const std::string& from,
                const std::string& to,
                std::string_view text) {
    const Handle handle{curl_easy_init(), &curl_easy_cleanup};
    const List recipients{curl_slist_append(nullptr, to.c_str()), &curl_slist_free_all};
    if (!handle || !recipients) return {CURLE_OUT_OF_MEMORY, 0, false, "out of memory"};

    Upload upload{text};
    std::array<char, CURL_ERROR_SIZE> detail{};
    apply_connection(handle.get(), relay, url);
    apply_security(handle.get(), relay);
    set(handle.get(), CURLOPT_ERRORBUFFER, detail.data());
    set(handle.get(), CURLOPT_MAIL_FROM, from.c_str());
    set(handle.get(), CURLOPT_MAIL_RCPT, recipients.get());
    set(handle.get(), CURLOPT_UPLOAD, 1L);
    set(handle.get(), CURLOPT_READFUNCTION, &read_upload);
    set(handle.get(), CURLOPT_READDATA, &upload);
    set(handle.get(), CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(text.size()));

    const CURLcode code = curl_easy_perform(handle.get());
    long reply = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &reply);
    const char* why = detail.front() == '\0' ? curl_easy_strerror(code) : detail.data();
    return {code, reply, upload.began, why};
}

/// Turns what went wrong into what the caller can do about it.
[[noreturn]] void report(const Attempt& attempt, const Relay& relay) {
    const std::string subject =
        "mail relay " + relay.host + ":" + std::to_string(relay.port) + ": ";
    const std::string reply = std::to_string(attempt.reply);
    const bool refusal = attempt.code == CURLE_SEND_ERROR || attempt.began;

    // Before the relay knows sender and recipient, its 5xx is about us and not about this mail.
    if (refusal && attempt.reply >= 500 && attempt.reply < 600)
        throw radd::MailRefused{subject + "refused this mail with " + reply +
                                "; another attempt would be refused too"};
    if (refusal && attempt.reply >= 400)
        throw radd::MailDeferred{subject + "refused this mail for the moment with " + reply};
    if (attempt.code == CURLE_LOGIN_DENIED)
        throw radd::Unavailable{subject + "did not accept the user name and password (" + reply +
                                "); check both settings"};
    if (attempt.code == CURLE_USE_SSL_FAILED)
        throw radd::Unavailable{subject + "offers no STARTTLS (" + reply +
                                "); set security to what it offers"};
    if (attempt.reply >= 400)
        throw radd::Unavailable{subject + "answered " + reply + "; try again later"};
    if (attempt.began)
        throw radd::MailUnconfirmed{subject + attempt.detail +
                                    "; it was given the mail and may have taken it"};
    const std::string after = attempt.reply == 0 ? "" : " after " + reply;
    throw radd::Unavailable{subject + attempt.detail + after +
                            "; check that it runs and can be reached"};
}

}  // namespace

SmtpMailer::SmtpMailer(Relay relay, Sender sender, const radd::Clock& clock)
    : relay_{std::move(relay)}, sender_{std::move(sender)}, url_{url_of(relay_)}, clock_{clock} {
    check(relay_, sender_);
}

void SmtpMailer::send(const radd::Mail& mail) {
    const std::string text = compose(mail, sender_, clock_.now());
    const Attempt result = attempt(relay_, url_, sender_.address, mail.to, text);
    if (result.code != CURLE_OK) report(result, relay_);
}

}  // namespace mail
