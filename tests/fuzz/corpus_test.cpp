// What the fuzzers start from and what they once found, on every run and with any compiler.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/fuzz/elf_body.hpp>
#include <tests/fuzz/jira_body.hpp>
#include <tests/fuzz/mail_body.hpp>
#include <tests/fuzz/payload_body.hpp>
#include <tests/fuzz/request_body.hpp>
#include <tests/fuzz/yaml_body.hpp>

namespace {

namespace fs = std::filesystem;

void feed(const std::string& target, void (*check)(std::string_view)) {
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::directory_iterator{fs::path{RADD_SOURCE_DIR} / "tests/fuzz/corpus" / target})
        files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE_FALSE(files.empty());

    for (const auto& file : files) {
        std::ifstream in{file, std::ios::binary};
        const std::string input{std::istreambuf_iterator<char>{in}, {}};
        CAPTURE(file.filename().string());
        CHECK_NOTHROW(check(input));
    }
}

}  // namespace

TEST_SUITE("fuzz corpus") {
    TEST_CASE("any bytes are a tree or a problem") {
        feed("yaml", fuzz::check_yaml);
    }

    TEST_CASE("any bytes are a library or refused by a code") {
        feed("elf", fuzz::check_elf);
    }

    TEST_CASE("any payload is kept byte by byte or refused") {
        feed("payload", fuzz::check_payload);
    }

    TEST_CASE("any export is issues and refused issues") {
        feed("jira", fuzz::check_jira);
    }

    TEST_CASE("any texts are one mail to one person") {
        feed("mail", fuzz::check_mail);
    }

    TEST_CASE("any request has an answer that can be sent") {
        feed("request", fuzz::check_request);
    }

    TEST_CASE("a broken claim is noticed") {
        CHECK_THROWS_AS(fuzz::require(false, "water is dry"), fuzz::Broken);
    }
}
