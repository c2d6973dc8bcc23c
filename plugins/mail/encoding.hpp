#pragma once

/// Text as mail carries it: ASCII in short lines, whatever goes in. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mail {

/// RFC 5322 allows 998 bytes a line and asks for 78; RFC 2047 asks for 76 where a line holds
/// encoded-words. One wanted length serves all.
inline constexpr std::size_t line_bytes_max = 998;
inline constexpr std::size_t line_bytes_wanted = 76;
inline constexpr std::size_t encoded_word_bytes_max = 75;

/// Longer header texts are cut, between two characters: a title of a megabyte is no subject.
inline constexpr std::size_t header_text_bytes_max = 8 * 1024;

/// `text` with U+FFFD for every byte that is not part of a character (RFC 3629: no overlong form,
/// no surrogate).
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// `text` on one line: valid UTF-8, at most `header_text_bytes_max`, and a space for whatever a
/// reader could take for a line end: CR, LF, CRLF, U+0085, U+2028, U+2029 and every control
/// character. What comes out cannot start a header.
[[nodiscard]] std::string header_text(std::string_view text);

/// RFC 4648, in one line.
[[nodiscard]] std::string base64(std::string_view bytes);

/// `utf8` as encoded-words in base64 (RFC 2047), each of which is whole characters by itself.
[[nodiscard]] std::vector<std::string> encoded_words(std::string_view utf8);

/// True if `text` reads the same when it stands in a header as it is: ASCII, single spaces
/// between words that fit in a line, and nothing that looks like an encoded-word.
[[nodiscard]] bool is_plain(std::string_view text);

/// `name: word word…` and a line end, folded before each word that would pass the wanted length.
/// Not before the first: a name alone on its line reads as an empty header to some, and as one
/// that begins with a space to others. So the first line may be longer by the name.
[[nodiscard]] std::string folded(std::string_view name, const std::vector<std::string>& words);

/// A body and how it was encoded.
struct EncodedBody {
    std::string transfer_encoding;  ///< "quoted-printable" or "base64".
    std::string text;               ///< Lines of at most 76 bytes, each ending in CRLF.
};

/// `text` as the body of a mail, with any line ends it came with. Quoted-printable where most of
/// it stays readable, else base64. A receiver gets every line back as it was, a lone dot included.
[[nodiscard]] EncodedBody encoded_body(std::string_view text);

}  // namespace mail
