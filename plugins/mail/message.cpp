#include "message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "encoding.hpp"

namespace mail {
namespace {

constexpr std::size_t address_bytes_max = 254;  // RFC 5321, without the angle brackets.
constexpr std::size_t local_part_bytes_max = 64;
constexpr std::size_t label_bytes_max = 63;
constexpr std::string_view empty_subject = "(no subject)";

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_atom_character(char c) {
    return is_alphanumeric(c) ||
           std::string_view{"!#$%&'*+-/=?^_`{|}~"}.find(c) != std::string_view::npos;
}
bool is_label_character(char c) {
    return is_alphanumeric(c) || c == '-';
}

/// `text` at every `separator`; n separators make n + 1 parts, empty ones included.
std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

bool is_local_part(std::string_view local) {
    return local.size() <= local_part_bytes_max &&
           std::ranges::all_of(split(local, '.'), [](const std::string& atom) {
               return !atom.empty() && std::ranges::all_of(atom, is_atom_character);
           });
}

bool is_host_name(std::string_view domain) {
    return std::ranges::all_of(split(domain, '.'), [](const std::string& label) {
        return !label.empty() && label.size() <= label_bytes_max && label.front() != '-' &&
               label.back() != '-' && std::ranges::all_of(label, is_label_character);
    });
}

std::string_view domain_of(std::string_view address) {
    return address.substr(address.find('@') + 1);
}

std::vector<std::string> words_of(std::string_view text) {
    return is_plain(text) ? split(text, ' ') : encoded_words(text);
}

/// A display name as the words of a phrase: bare if it may stand so, quoted if it must.
std::vector<std::string> phrase(std::string_view name) {
    const bool bare =
        std::ranges::all_of(name, [](char c) { return c == ' ' || is_atom_character(c); });
    if (bare || !is_plain(name)) return words_of(name);

    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    quoted += '"';
    return is_plain(quoted) ? split(quoted, ' ') : encoded_words(name);
}

std::string mailbox_header(std::string_view header,
                           std::string_view name,
                           const std::string& address) {
    const std::string shown = header_text(name);
    if (shown.empty()) return folded(header, {address});
    auto words = phrase(shown);
    words.push_back("<" + address + ">");
    return folded(header, words);
}

/// RFC 5322 wants English names whatever the locale is, which rules out strftime.
std::string date(radd::Timestamp now) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto midnight = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day day{midnight};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(now - midnight)};

    std::array<char, 40> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%s, %02u %s %04d %02d:%02d:%02d +0000",
                  days.at(std::chrono::weekday{midnight}.c_encoding()),
                  static_cast<unsigned>(day.day()),
                  months.at(static_cast<unsigned>(day.month()) - 1),
                  static_cast<int>(day.year()),
                  static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text.data();
}

/// http://www.isthe.com/chongo/tech/comp/fnv: 128 bits in two halves, because ISO C++ has no
/// integer of that size.
struct Fnv1a128 {
    std::uint64_t high = 0x6c62272e07bb0142;
    std::uint64_t low = 0x62b821756295c58d;

    void add(char c) {
        low ^= static_cast<std::uint8_t>(c);
        // Times the prime, 2^88 + 0x13b.
        constexpr std::uint64_t prime_low = 0x13b;
        const std::uint64_t lower = (low & 0xffffffff) * prime_low;
        const std::uint64_t upper = (low >> 32) * prime_low + (lower >> 32);
        high = high * prime_low + (upper >> 32) + (low << 24);
        low = upper << 32 | (lower & 0xffffffff);
    }
};

}  // namespace

void check_address(std::string_view field, std::string_view address) {
    const auto at = address.find('@');
    const bool valid = at != std::string_view::npos && address.size() <= address_bytes_max &&
                       is_local_part(address.substr(0, at)) && is_host_name(address.substr(at + 1));
    if (valid) return;
    throw radd::InvalidInput{std::string{field},
                             "is no mail address; give exactly one, as local@domain in ASCII, "
                             "without a name, brackets or spaces"};
}

std::string message_id(std::string_view idempotency_key, const Sender& sender) {
    const auto domain = domain_of(sender.address);
    Fnv1a128 hash;
    for (const auto part : {idempotency_key, domain, std::string_view{sender.instance}}) {
        for (const char c : part) hash.add(c);
        hash.add('\0');  // Keeps "a" and "bc" apart from "ab" and "c".
    }

    std::array<char, 33> digits{};
    std::snprintf(digits.data(),
                  digits.size(),
                  "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high),
                  static_cast<unsigned long long>(hash.low));
    return std::string{"<"}.append(digits.data()).append("@").append(domain).append(">");
}

std::string compose(const radd::Mail& mail, const Sender& sender, radd::Timestamp now) {
    check_address("to", mail.to);
    check_address("from_address", sender.address);
    if (mail.idempotency_key.empty())
        throw radd::InvalidInput{"idempotency_key",
                                 "is empty, so every mail would share one Message-ID; name what "
                                 "the mail is about"};

    std::string subject = header_text(mail.subject);
    if (subject.empty()) subject = empty_subject;
    const EncodedBody body = encoded_body(mail.text);

    return folded("Date", {date(now)}) + mailbox_header("From", sender.name, sender.address) +
           mailbox_header("To", mail.to_name, mail.to) + folded("Subject", words_of(subject)) +
           folded("Message-ID", {message_id(mail.idempotency_key, sender)}) +
           "Auto-Submitted: auto-generated\r\n"
           "MIME-Version: 1.0\r\n"
           "Content-Type: text/plain; charset=utf-8\r\n" +
           folded("Content-Transfer-Encoding", {body.transfer_encoding}) + "\r\n" + body.text;
}

}  // namespace mail
