// What a browser sends, and what everybody else sends who says that they are one.

#include <string>

#include <doctest/doctest.h>

#include <radd/form.hpp>

using radd::Form;

namespace {

int refused(const std::string& body) {
    try {
        (void)Form{body};
    } catch (const radd::HttpError& error) {
        return error.status();
    }
    return 0;
}

std::string numbered(std::size_t fields) {
    std::string body;
    for (std::size_t i = 0; i < fields; ++i) body += "a=" + std::to_string(i) + "&";
    return body;
}

}  // namespace

TEST_SUITE("form") {
    TEST_CASE("fields are decoded and keep their order") {
        const Form form{
            "score=4&comment=Fast+%26+friendly%21&score=5&empty=&alone&=x&&%C3%A9=%e2%82%ac"};

        CHECK(form.value("score") == "4");
        CHECK(form.value("comment") == "Fast & friendly!");
        CHECK(form.value("empty") == "");
        CHECK(form.value("alone") == "");
        CHECK(form.value("") == "x");
        CHECK(form.value("é") == "€");
        CHECK_FALSE(form.value("other").has_value());
        CHECK(form.fields().size() == 7);
        CHECK(Form{""}.fields().empty());
    }

    TEST_CASE("a text has line breaks of one kind and is nothing when blank") {
        const Form form{"a=one%0D%0Atwo%0Dthree%0A&b=+%0D%0A%09&c=%00"};

        CHECK(form.text_value("a") == "one\ntwo\rthree\n");
        CHECK_FALSE(form.text_value("b").has_value());
        CHECK(form.text_value("c") == std::string(1, '\0'));
        CHECK_FALSE(form.text_value("d").has_value());
    }

    // P22
    TEST_CASE("what is not UTF-8 or not encoded is refused with its place") {
        for (const char* body : {"a=%",
                                 "a=%4",
                                 "a=%zz",
                                 "%g0=1",
                                 "a=%FF",
                                 "%ED%A0%80=1",
                                 "a=%C0%AF",
                                 "a=%F4%90%80%80",
                                 "a=\xE2\x82"})
            CHECK_MESSAGE(refused(body) == 400, body);
        CHECK_THROWS_WITH(Form{"a=1&b=%FF"}, "field 2 of the form is not UTF-8");
    }

    TEST_CASE("the number of fields is bounded") {
        CHECK(refused(numbered(radd::form_fields_max)) == 0);
        CHECK(refused(numbered(radd::form_fields_max + 1)) == 400);
    }

    TEST_CASE("a body that says it is something else is refused") {
        const auto status = [](const char* type) {
            radd::HttpRequest request{.method = radd::HttpMethod::post, .path = "/"};
            if (type != nullptr) request.headers = {{"content-type", type}};
            try {
                (void)Form::of(request);
            } catch (const radd::HttpError& error) {
                return error.status();
            }
            return 0;
        };

        CHECK(status("application/x-www-form-urlencoded") == 0);
        CHECK(status("Application/X-WWW-Form-Urlencoded; charset=UTF-8") == 0);
        CHECK(status("multipart/form-data; boundary=x") == 415);
        CHECK(status("application/json") == 415);
        CHECK(status(nullptr) == 415);
    }
}

TEST_SUITE("percent-encoding") {
    TEST_CASE("every byte comes back") {
        std::string all;
        for (int c = 0; c < 256; ++c) all += static_cast<char>(c);

        const auto encoded = radd::percent_encoded(all);

        CHECK(radd::percent_decoded(encoded) == all);
        CHECK(encoded.find_first_of(" +&=/?#\"<>") == std::string::npos);
        CHECK(radd::percent_encoded("a-b._~Z9") == "a-b._~Z9");
    }

    TEST_CASE("the first byte that is no text is found") {
        CHECK_FALSE(radd::first_invalid_utf8("aé€😀\x7f").has_value());
        CHECK(radd::first_invalid_utf8("ab\x80") == 2);
        CHECK(radd::first_invalid_utf8("a\xE2\x82") == 1);
        CHECK(radd::first_invalid_utf8("\xED\xA0\x80") == 0);
        CHECK(radd::first_invalid_utf8("\xC1\xBF") == 0);
        CHECK(radd::first_invalid_utf8("\xF4\x90\x80\x80") == 0);
        CHECK(radd::first_invalid_utf8("\xF0\x8F\xBF\xBF") == 0);
    }
}
