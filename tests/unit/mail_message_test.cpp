#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/mail/encoding.hpp>
#include <plugins/mail/message.hpp>

namespace {

constexpr radd::Timestamp noon =
    std::chrono::sys_days{std::chrono::year{2026} / 2 / 3} + std::chrono::hours{12};

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (auto end = text.find("\r\n"); end != std::string_view::npos; end = text.find("\r\n")) {
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 2);
    }
    CHECK_MESSAGE(text.empty(), "text after the last line end");
    return lines;
}

std::vector<std::size_t> lengths_of(const std::vector<std::string>& texts) {
    std::vector<std::size_t> lengths;
    for (const auto& text : texts) lengths.push_back(text.size());
    return lengths;
}

/// What base64 stands for, decoded independently of the code under test.
std::string decoded(std::string_view base64) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const char c : base64) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 0xFF);
    }
    return bytes;
}

std::string shown(const std::vector<std::string>& encoded_words) {
    constexpr std::size_t head = std::string_view{"=?UTF-8?B?"}.size();
    std::string text;
    for (const auto& word : encoded_words)
        text += decoded(std::string_view{word}.substr(head, word.size() - head - 2));
    return text;
}

/// A complete mail, and how its headers read once unfolded.
struct Bench {
    radd::Mail mail{.to = "ada@example.org",
                    .subject = "Printer",
                    .text = "Hello\n",
                    .idempotency_key = "test/1"};
    mail::Sender sender{.address = "desk@example.com", .name = "Service desk"};

    [[nodiscard]] std::string composed() const { return mail::compose(mail, sender, noon); }

    [[nodiscard]] std::vector<std::string> headers() const {
        std::vector<std::string> unfolded;
        for (const auto& line : lines_of(composed())) {
            if (line.empty()) break;
            if (line.front() == ' ')
                unfolded.back() += line;
            else
                unfolded.push_back(line);
        }
        return unfolded;
    }

    [[nodiscard]] std::vector<std::string> header(std::string_view name) const {
        std::vector<std::string> values;
        for (const auto& line : headers()) {
            if (line.starts_with(std::string{name} + ": "))
                values.push_back(line.substr(name.size() + 2));
        }
        return values;
    }

    [[nodiscard]] std::string body() const {
        const auto text = composed();
        return text.substr(text.find("\r\n\r\n") + 4);
    }
};

using Values = std::vector<std::string>;

}  // namespace

TEST_SUITE("mail header") {
    // P34
    TEST_CASE("an encoded title is cut between characters into words of 75 bytes at most") {
        const auto emoji = mail::encoded_words(repeated("😀", 40));
        CHECK(lengths_of(emoji) == std::vector<std::size_t>{72, 72, 72, 52});
        CHECK(shown({emoji.front()}) == repeated("😀", 11));
        CHECK(shown({emoji.back()}) == repeated("😀", 7));

        for (const auto& title : {repeated("ж", 200),
                                  repeated("x", 1000),
                                  std::string{"a\u05E9\u05DC\u05D5\u05DD b"},
                                  std::string{"   "}}) {
            const auto words = mail::encoded_words(title);
            CHECK(shown(words) == title);
            for (const auto& word : words) {
                CHECK(word.size() <= mail::encoded_word_bytes_max);
                CHECK(mail::valid_utf8(shown({word})) == shown({word}));
            }
        }
    }

    // P34
    TEST_CASE_FIXTURE(Bench, "a long title is folded and no line passes the wanted length") {
        for (const auto& title : {repeated("😀", 40), repeated("word ", 300), repeated("x", 1000)}) {
            mail.subject = title;

            const std::string name = "Subject: ";
            for (const auto& line : lines_of(composed())) {
                const bool is_first = line.starts_with(name);
                CHECK(line.size() <= mail::line_bytes_wanted + (is_first ? name.size() : 0));
                CHECK(line != "Subject:");
            }
        }
    }

    // P34
    TEST_CASE_FIXTURE(Bench, "a title that spells an encoded word is shown as it is spelled") {
        mail.subject = "=?UTF-8?B?WA==?=";

        CHECK(shown(header("Subject")) == mail.subject);
    }

    TEST_CASE_FIXTURE(Bench, "a plain title stays readable on the wire") {
        mail.subject = "Printer is on fire";

        CHECK(header("Subject") == Values{"Printer is on fire"});
    }

    // P34
    TEST_CASE_FIXTURE(Bench, "an empty title has a placeholder and a blank one stays blank") {
        mail.subject = "";
        CHECK(header("Subject") == Values{"(no subject)"});

        mail.subject = "   ";
        CHECK(shown(header("Subject")) == "   ");
    }

    // P33
    TEST_CASE_FIXTURE(Bench, "line breaks in title and names become spaces and start no header") {
        mail.subject = "Printer\r\nBcc: mallory@evil.example\r\n\r\n<b>hi";
        mail.to_name = "A\nX-Evil: 1";
        sender.name = "B\rX-Evil: 2\u2028X-Evil: 3\u0085X-Evil: 4";

        CHECK(shown(header("Subject")) == "Printer Bcc: mallory@evil.example  <b>hi");
        CHECK(header("Bcc").empty());
        CHECK(header("X-Evil").empty());
        CHECK(header("To") == Values{"\"A X-Evil: 1\" <ada@example.org>"});
        CHECK(header("From") == Values{"\"B X-Evil: 2 X-Evil: 3 X-Evil: 4\" <desk@example.com>"});
    }

    TEST_CASE("every control character becomes a space") {
        CHECK(mail::header_text(std::string_view{"a\0b\tc\x7F\x1B", 7}) == "a b c  ");
        CHECK(mail::header_text("a\u0080b\u009Fc\u00A0d") == "a b c\u00A0d");
        CHECK(mail::header_text("a\r\rb\n\nc\r\nd\u2029e") == "a  b  c d e");
    }

    TEST_CASE("a header text is cut at its limit and between characters") {
        const auto fits = repeated("😀", mail::header_text_bytes_max / 4);

        CHECK(mail::header_text(fits) == fits);
        CHECK(mail::header_text("x" + fits) ==
              "x" + repeated("😀", mail::header_text_bytes_max / 4 - 1));
    }

    // P22
    TEST_CASE("a byte that belongs to no character is replaced") {
        CHECK(mail::valid_utf8("f\xF0\x9F\x98\x80") == "f😀");
        for (const char* wrong :
             {"\xFF", "\x80", "\xC0\xAF", "\xED\xA0\xBD", "\xF4\x90\x80\x80", "\xF0\x9F\x98"}) {
            std::string replaced;
            for (std::string_view rest = wrong; !rest.empty(); rest.remove_prefix(1))
                replaced += "\uFFFD";
            CHECK(mail::valid_utf8(wrong) == replaced);
        }
    }

    TEST_CASE_FIXTURE(Bench, "a name is bare or quoted or encoded as its characters require") {
        const auto to = [this](std::string name) {
            mail.to_name = std::move(name);
            return header("To").front();
        };

        CHECK(to("") == "ada@example.org");
        CHECK(to("Ada Lovelace") == "Ada Lovelace <ada@example.org>");
        CHECK(to("Lovelace, \"Ada\"") == "\"Lovelace, \\\"Ada\\\"\" <ada@example.org>");
        CHECK(to("Zoë") == "=?UTF-8?B?Wm/Dqw==?= <ada@example.org>");
        CHECK(to("=?UTF-8?B?WA==?=") == "=?UTF-8?B?PT9VVEYtOD9CP1dBPT0/PQ==?= <ada@example.org>");
    }

    TEST_CASE_FIXTURE(Bench, "the mail says when and what it is and that a machine wrote it") {
        CHECK(header("Date") == Values{"Tue, 03 Feb 2026 12:00:00 +0000"});
        CHECK(header("Auto-Submitted") == Values{"auto-generated"});
        CHECK(header("MIME-Version") == Values{"1.0"});
        CHECK(header("Content-Type") == Values{"text/plain; charset=utf-8"});
    }
}

TEST_SUITE("mail message id") {
    TEST_CASE("the same key and sender give the same id") {
        const mail::Sender sender{.address = "u@b", .name = "any", .instance = "c"};
        // FNV-1a 128 of the three, each with a NUL, computed by an independent implementation.
        CHECK(mail::message_id("a", sender) == "<d6016002763c64bf6f105ccc14f3dc15@b>");
    }

    TEST_CASE("another key or domain or instance gives another id") {
        const mail::Sender sender{.address = "u@x.org", .instance = "https://x.org"};
        const auto id = mail::message_id("a", sender);

        CHECK(mail::message_id("b", sender) != id);
        CHECK(mail::message_id("a", {.address = "u@y.org", .instance = "https://x.org"}) != id);
        CHECK(mail::message_id("a", {.address = "u@x.org", .instance = "https://y.org"}) != id);
        CHECK(mail::message_id("a", {.address = "v@x.org", .instance = "https://x.org"}) == id);
    }

    TEST_CASE_FIXTURE(Bench, "a mail without a key is refused") {
        mail.idempotency_key = "";

        CHECK_THROWS_WITH_AS(
            (void)composed(), doctest::Contains("idempotency_key"), radd::InvalidInput);
    }
}

TEST_SUITE("mail address") {
    TEST_CASE("an address that every relay takes is accepted") {
        for (const auto& address : {std::string{"a@b"},
                                    std::string{"first.last+tag@mail.example.org"},
                                    std::string{"o'hara@x-y.example"},
                                    repeated("a", 64) + "@b",
                                    "a@" + repeated("b", 63) + ".c"})
            CHECK_NOTHROW(mail::check_address("to", address));
    }

    // P33
    TEST_CASE("anything that could reach a second recipient is refused") {
        for (const char* address : {"u@h.example\r\nRCPT TO:<m@evil.example>",
                                    "u@h.example\n",
                                    "u@h.example m@evil.example",
                                    "u@h.example,m@evil.example",
                                    "u@h.example>",
                                    "<u@h.example>",
                                    "u@@h.example",
                                    "u@h@m.example",
                                    "\"u m\"@h.example",
                                    "u@[127.0.0.1]"})
            CHECK_THROWS_AS(mail::check_address("to", address), radd::InvalidInput);
    }

    TEST_CASE("anything that is no address is refused") {
        for (const auto& address : {std::string{},
                                    std::string{"@"},
                                    std::string{"u@"},
                                    std::string{"@h"},
                                    std::string{"u"},
                                    std::string{".u@h"},
                                    std::string{"u..v@h"},
                                    std::string{"u@h."},
                                    std::string{"u@-h"},
                                    std::string{"u@h-.example"},
                                    std::string{"zoë@h"},
                                    std::string{"u@h\0", 4},
                                    repeated("a", 65) + "@b",
                                    "a@" + repeated("b", 64),
                                    "a@" + repeated("bb.", 84) + "c"})
            CHECK_THROWS_AS(mail::check_address("to", address), radd::InvalidInput);
    }

    TEST_CASE("a refusal names the field and keeps the address to itself") {
        try {
            mail::check_address("to", "secret person");
            FAIL("accepted");
        } catch (const radd::InvalidInput& error) {
            CHECK(error.field() == "to");
            CHECK(std::string_view{error.what()}.find("secret") == std::string_view::npos);
        }
    }
}

TEST_SUITE("mail body") {
    TEST_CASE_FIXTURE(Bench, "readable text stays readable") {
        mail.text = "Grüße = 1\nsecond line \n";

        CHECK(header("Content-Transfer-Encoding") == Values{"quoted-printable"});
        CHECK(body() == "Gr=C3=BC=C3=9Fe =3D 1\r\nsecond line=20\r\n");
    }

    TEST_CASE_FIXTURE(Bench, "text in another script is base64 and comes back with its lines") {
        mail.text = repeated("ж", 200) + "\n.\nж";

        CHECK(header("Content-Transfer-Encoding") == Values{"base64"});
        std::string joined;
        for (const auto& line : lines_of(body())) joined += line;
        CHECK(decoded(joined) == repeated("ж", 200) + "\r\n.\r\nж\r\n");
    }

    // P33
    TEST_CASE_FIXTURE(Bench, "no line is long and none begins with a dot") {
        mail.text = ".\n..\n" + repeated("x", 3000) + "\n" + repeated(".", 3000);

        for (const auto& line : lines_of(body())) {
            CHECK(line.size() <= mail::line_bytes_wanted);
            CHECK_FALSE(line.starts_with("."));
        }
    }

    TEST_CASE_FIXTURE(Bench, "lines end in CRLF whichever way they ended before") {
        mail.text = "a\nb\r\nc\rd\n\ne";

        CHECK(lines_of(body()) == Values{"a", "b", "c", "d", "", "e"});
    }

    TEST_CASE_FIXTURE(Bench, "an empty text is an empty body") {
        mail.text = "";

        CHECK(body().empty());
    }
}
