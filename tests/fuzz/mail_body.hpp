#pragma once

/// Any texts as a mail: the lines are those of RFC 5322, the headers are ours and no others, and
/// who receives it reads the subject and the body that were given.
///
/// The input is seven fields with U+001F between them; the last one may hold more of it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plugins/mail/encoding.hpp>
#include <plugins/mail/message.hpp>
#include <radd/error.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

inline std::vector<std::string> mail_lines(std::string_view message) {
    std::vector<std::string> lines;
    while (!message.empty()) {
        const auto end = message.find("\r\n");
        require(end != std::string_view::npos, "every line ends in CRLF");
        const auto line = message.substr(0, end);
        require(line.size() <= mail::line_bytes_max, "no line is longer than RFC 5322 allows");
        require(
            std::ranges::all_of(line, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); }),
            "a line is printable ASCII");
        lines.emplace_back(line);
        message.remove_prefix(end + 2);
    }
    return lines;
}

inline std::string from_base64(std::string_view text) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        const auto value = alphabet.find(c);
        require(value != std::string_view::npos, "base64 is in its alphabet");
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xFF);
    }
    return bytes;
}

inline std::string from_quoted_printable(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) {
        require(!line.ends_with(' '), "no line of quoted-printable ends in a blank");
        std::size_t at = 0;
        for (; at < line.size(); ++at) {
            if (line[at] != '=') {
                text += line[at];
            } else if (at + 1 < line.size()) {
                text += static_cast<char>(std::stoi(line.substr(at + 1, 2), nullptr, 16));
                at += 2;
            }
        }
        if (!line.ends_with('=')) text += "\r\n";
    }
    return text;
}

/// RFC 2047: the space between two encoded-words is none of the text's.
inline std::string decoded_header(std::string_view text) {
    constexpr std::string_view head = "=?UTF-8?B?";
    if (!text.starts_with(head)) return std::string{text};
    std::string decoded;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const auto word = text.substr(0, end);
        require(word.starts_with(head) && word.ends_with("?=") &&
                    word.size() <= mail::encoded_word_bytes_max,
                "an encoded-word is one");
        const auto part = from_base64(word.substr(head.size(), word.size() - head.size() - 2));
        require(mail::valid_utf8(part) == part, "an encoded-word is whole characters");
        decoded += part;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return decoded;
}

/// The text as a receiver should have it: valid, each line ended by CRLF.
inline std::string canonical(std::string_view text) {
    std::string wanted;
    const std::string valid = mail::valid_utf8(text);
    for (std::size_t at = 0; at < valid.size(); ++at) {
        const bool is_end = valid[at] == '\r' || valid[at] == '\n';
        if (valid[at] == '\r' && valid.substr(at, 2) == "\r\n") ++at;
        wanted += is_end ? "\r\n" : std::string{valid[at]};
    }
    if (!wanted.empty() && !wanted.ends_with("\r\n")) wanted += "\r\n";
    return wanted;
}

inline void check_message(const radd::Mail& mail, const std::string& message) {
    constexpr std::array<std::string_view, 9> names{"Date",
                                                    "From",
                                                    "To",
                                                    "Subject",
                                                    "Message-ID",
                                                    "Auto-Submitted",
                                                    "MIME-Version",
                                                    "Content-Type",
                                                    "Content-Transfer-Encoding"};
    const auto lines = mail_lines(message);
    const auto blank = std::ranges::find(lines, "");
    require(blank != lines.end(), "a blank line ends the headers");
    std::vector<std::string> headers;
    for (auto line = lines.begin(); line != blank; ++line) {
        require(line->find('\t') == std::string::npos, "no control character is in a header");
        if (!line->starts_with(' ')) {
            headers.push_back(*line);
            continue;
        }
        require(!headers.empty() && line->find_first_not_of(' ') != std::string::npos,
                "a folded line goes on with a header");
        headers.back() += *line;
    }
    require(headers.size() == names.size(), "no header is injected");
    for (std::size_t i = 0; i < names.size(); ++i)
        require(headers[i].starts_with(std::string{names.at(i)} + ": "), "a header is ours");
    require(headers[2].ends_with(mail.to + (mail.to == headers[2].substr(4) ? "" : ">")),
            "one person gets it");

    const auto subject = mail::header_text(mail.subject);
    require(decoded_header(headers[3].substr(9)) == (subject.empty() ? "(no subject)" : subject),
            "the subject is read as it was given");
    const std::vector<std::string> body{blank + 1, lines.end()};
    require(std::ranges::none_of(body, [](const auto& line) { return line.size() > 76; }),
            "a line of the body is short");
    std::string text;
    for (const auto& line : body) text += line;
    const bool is_base64 = headers[8].ends_with(" base64");
    require((is_base64 ? from_base64(text) : from_quoted_printable(body)) == canonical(mail.text),
            "the body is read as it was given");
}

inline void check_mail(std::string_view input) {
    std::array<std::string, 7> fields;
    for (auto& field : fields) {
        const bool is_last = &field == &fields.back();
        const auto end = is_last ? input.size() : std::min(input.find('\x1f'), input.size());
        field = input.substr(0, end);
        input.remove_prefix(std::min(end + 1, input.size()));
    }
    const radd::Mail mail{.to = fields[0],
                          .to_name = fields[1],
                          .subject = fields[2],
                          .text = fields[6],
                          .idempotency_key = fields[3]};
    const mail::Sender sender{.address = fields[4], .name = fields[5], .instance = fields[5]};
    std::string message;
    try {
        message = mail::compose(mail, sender, radd::Timestamp{std::chrono::hours{500'000}});
    } catch (const radd::InvalidInput& error) {
        require(!error.field().empty(), "a refusal names the field");
        return;
    }
    require(!mail.idempotency_key.empty(), "a mail has a key");
    check_message(mail, message);
}

}  // namespace fuzz
