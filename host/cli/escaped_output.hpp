#pragma once

/// Output that commands nobody's terminal.

#include <ostream>
#include <streambuf>
#include <string_view>

namespace radd::cli {

/// While it lives, DEL and the characters U+0080 to U+009F leave `stream` as `\u007f` to `\u009f`.
/// A terminal obeys U+009B as it does ESC, and JSON lets both stand as they are; what reads JSON
/// reads the escape as the same text. ESC itself passes, because colours are made of it: text that
/// people wrote goes through terminal_text() before, as it must not break a line either.
class EscapedOutput final : private std::streambuf {
public:
    explicit EscapedOutput(std::ostream& stream);
    EscapedOutput(const EscapedOutput&) = delete;
    EscapedOutput& operator=(const EscapedOutput&) = delete;
    ~EscapedOutput() override;

private:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    bool put(std::string_view text);

    std::ostream& stream_;
    std::streambuf& target_;
    bool holds_lead_ = false;  ///< 0xC2 was written, and what it leads was not yet.
};

}  // namespace radd::cli
