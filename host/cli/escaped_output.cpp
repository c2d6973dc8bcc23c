#include <algorithm>
#include <string>

#include <host/cli/escaped_output.hpp>

namespace radd::cli {
namespace {

constexpr char lead_of_controls = '\xC2';
constexpr char del = '\x7F';

std::string escape_of(unsigned char code) {
    constexpr std::string_view hex = "0123456789abcdef";
    return {'\\', 'u', '0', '0', hex[code >> 4U], hex[code & 15U]};
}

}  // namespace

EscapedOutput::EscapedOutput(std::ostream& stream) : stream_{stream}, target_{*stream.rdbuf()} {
    stream_.rdbuf(this);
}

EscapedOutput::~EscapedOutput() {
    if (holds_lead_) put({&lead_of_controls, 1});
    const auto state = stream_.rdstate();  // Which the next line forgets.
    stream_.rdbuf(&target_);
    stream_.setstate(state);
}

EscapedOutput::int_type EscapedOutput::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof()))
        return traits_type::not_eof(character);
    const char one = traits_type::to_char_type(character);
    return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize EscapedOutput::xsputn(const char* text, std::streamsize size) {
    std::string_view rest{text, static_cast<std::size_t>(size)};
    while (!rest.empty()) {
        if (holds_lead_) {
            const auto led = static_cast<unsigned char>(rest.front());
            const bool is_control = led >= 0x80 && led < 0xA0;
            if (!put(is_control ? escape_of(led) : std::string{lead_of_controls})) return 0;
            holds_lead_ = false;
            if (is_control) rest.remove_prefix(1);
            continue;
        }
        constexpr std::string_view stops{"\xC2\x7F"};
        const auto at = std::min(rest.find_first_of(stops), rest.size());
        if (!put(rest.substr(0, at))) return 0;
        rest.remove_prefix(at);
        if (rest.empty()) break;
        if (rest.front() == del && !put(escape_of(static_cast<unsigned char>(del)))) return 0;
        holds_lead_ = rest.front() == lead_of_controls;
        rest.remove_prefix(1);
    }
    return size;
}

int EscapedOutput::sync() {
    return target_.pubsync();
}

bool EscapedOutput::put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return target_.sputn(text.data(), size) == size;
}

}  // namespace radd::cli
