// What the fuzzers start from and what they once found, on every run and with any compiler.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/fuzz/csv_body.hpp>
#include <tests/fuzz/elf_body.hpp>
#include <tests/fuzz/jira_body.hpp>
#include <tests/fuzz/mail_body.hpp>
#include <tests/fuzz/payload_body.hpp>
#include <tests/fuzz/request_body.hpp>
#include <tests/fuzz/yaml_body.hpp>

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void feed(const std::string& target, void (*check)(std::string_view)) {
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::directory_iterator{fs::path{RADD_SOURCE_DIR} / "tests/fuzz/corpus" / target})
        files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE_FALSE(files.empty());

    for (const auto& file : files) {
        CAPTURE(file.filename().string());
        CHECK_NOTHROW(check(contents(file)));
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

    TEST_CASE("a library that is damaged is refused by what is wrong with it") {
        const std::map<std::string, std::string> codes{{"address_wraps", "E02"},
                                                       {"build_id_of_65_bytes", ""},
                                                       {"cut", "E02"},
                                                       {"dynamic_without_end", "E02"},
                                                       {"empty", "E01"},
                                                       {"gnu_hash", ""},
                                                       {"gnu_hash_bloom_beyond", "E02"},
                                                       {"gnu_hash_buckets_beyond", "E02"},
                                                       {"gnu_hash_first_above_last", "E02"},
                                                       {"gnu_hash_without_end", "E02"},
                                                       {"hash_claims_a_million", "E02"},
                                                       {"hash_claims_everything", "E02"},
                                                       {"header_alone", "E02"},
                                                       {"ident_alone", "E02"},
                                                       {"many_dynamic_sections", "E02"},
                                                       {"name_too_long", "E02"},
                                                       {"needed_beyond_strings", "E02"},
                                                       {"needed_by_path", ""},
                                                       {"no_elf", "E01"},
                                                       {"no_note", ""},
                                                       {"no_segments", ""},
                                                       {"note_cut", "E04"},
                                                       {"note_desc_beyond", "E02"},
                                                       {"note_empty", "E04"},
                                                       {"note_name_beyond", "E02"},
                                                       {"note_of_format_1", "E04"},
                                                       {"note_of_six_bytes", "E04"},
                                                       {"note_without_nul", ""},
                                                       {"notes_aligned_to_8", ""},
                                                       {"notes_by_the_thousand", "E02"},
                                                       {"plugin", ""},
                                                       {"runpath_unique_execstack", ""},
                                                       {"seal_beyond", "E02"},
                                                       {"seal_name_beyond", ""},
                                                       {"seal_name_cut", ""},
                                                       {"seal_too_long", "E02"},
                                                       {"seal_wraps", "E02"},
                                                       {"sealed", ""},
                                                       {"sealed_deep", ""},
                                                       {"sealed_empty", ""},
                                                       {"sealed_no_json", ""},
                                                       {"sealed_twice", "E02"},
                                                       {"section_names_beyond", "E02"},
                                                       {"section_names_nowhere", ""},
                                                       {"sections_beyond", "E02"},
                                                       {"sections_wrap", "E02"},
                                                       {"segment_of_everything", "E02"},
                                                       {"segment_wraps", "E02"},
                                                       {"segments_65535", "E02"},
                                                       {"segments_beyond", "E02"},
                                                       {"strings_outside", "E02"},
                                                       {"symbols_outside", "E02"},
                                                       {"two_notes", "E04"},
                                                       {"writable_code", ""}};
        const auto folder = fs::path{RADD_SOURCE_DIR} / "tests/fuzz/corpus/elf";
        for (const auto& entry : fs::directory_iterator{folder}) {
            const auto name = entry.path().stem().string();
            CAPTURE(name);
            REQUIRE(codes.contains(name));
            CHECK(fuzz::elf_refusal(contents(entry.path())) == codes.at(name));
        }
    }

    TEST_CASE("any payload is kept byte by byte or refused") {
        feed("payload", fuzz::check_payload);
    }

    TEST_CASE("any export is issues and refused issues") {
        feed("jira", fuzz::check_jira);
    }

    TEST_CASE("any table is rows and rows that cannot be read") {
        feed("csv", fuzz::check_csv);
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
