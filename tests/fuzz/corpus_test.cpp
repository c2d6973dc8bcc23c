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

#include <tests/fuzz/answer_body.hpp>
#include <tests/fuzz/csv_body.hpp>
#include <tests/fuzz/elf_body.hpp>
#include <tests/fuzz/event_body.hpp>
#include <tests/fuzz/jira_body.hpp>
#include <tests/fuzz/mail_body.hpp>
#include <tests/fuzz/payload_body.hpp>
#include <tests/fuzz/request_body.hpp>
#include <tests/fuzz/url_body.hpp>
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

/// Each file of the corpus has an outcome, by the name of the file, and it is that one.
template <typename Outcome, typename Judge>
void check_outcomes(const std::string& target,
                    const std::map<std::string, Outcome>& outcomes,
                    Judge judge) {
    const auto folder = fs::path{RADD_SOURCE_DIR} / "tests/fuzz/corpus" / target;
    for (const auto& entry : fs::directory_iterator{folder}) {
        const auto name = entry.path().stem().string();
        CAPTURE(name);
        REQUIRE(outcomes.contains(name));
        CHECK(judge(contents(entry.path())) == outcomes.at(name));
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
        check_outcomes("elf", codes, [](const auto& bytes) { return fuzz::elf_refusal(bytes); });
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

    TEST_CASE("any text is a URL for us or refused") {
        feed("url", fuzz::check_url);
    }

    TEST_CASE("a URL is refused for what is wrong with it") {
        const std::map<std::string, std::string> refusals{
            {"address_bytes", "url"},
            {"backslash", "url"},
            {"blank", "url"},
            {"credentials", "url"},
            {"dot_at_the_end", ""},
            {"empty", "url"},
            {"empty_credentials", "url"},
            {"file", "url"},
            {"gopher", "url"},
            {"host_behind_at", "url"},
            {"line_break", "url"},
            {"loopback", "address"},
            {"loopback_6to4", "address"},
            {"loopback_as_one_number", "address"},
            {"loopback_as_one_number_with_a_dot", "address"},
            {"loopback_by_name", "address"},
            {"loopback_in_hex", "address"},
            {"loopback_nat64", "address"},
            {"loopback_with_a_dot", "address"},
            {"metadata_mapped", "address"},
            {"name_behind_percent", "url"},
            {"no_host", "url"},
            {"no_path", ""},
            {"nul", "url"},
            {"number_behind_percent", "url"},
            {"one_slash", "url"},
            {"plain", ""},
            {"port_and_case", ""},
            {"port_too_high", "url"},
            {"public_ipv6", ""},
            {"public_nat64", ""},
            {"public_number", ""},
            {"public_number_in_octal", ""},
            {"script", "url"},
            {"three_slashes", "url"},
            {"too_long", "url"},
            {"twice_behind_percent", "url"},
            {"unicode", ""},
            {"unique_local", "address"},
            {"zone", "address"}};
        check_outcomes("url", refusals, [](const auto& text) { return fuzz::url_refusal(text); });
    }

    TEST_CASE("any bytes from a server are an answer within its limits or none") {
        feed("answer", fuzz::check_answer);
    }

    TEST_CASE("a server is heard where it speaks HTTP") {
        const std::map<std::string, int> statuses{{"blanks_in_headers", 200},
                                                  {"body_cut_short", 0},
                                                  {"chunk_is_no_number", 0},
                                                  {"chunk_of_everything", 0},
                                                  {"chunked", 200},
                                                  {"chunks_too_long", 200},
                                                  {"chunks_without_end", 0},
                                                  {"continue_alone", 0},
                                                  {"continue_first", 202},
                                                  {"empty", 0},
                                                  {"gone", 410},
                                                  {"gzip_stays", 200},
                                                  {"header_without_colon", 0},
                                                  {"http_0_9", 0},
                                                  {"http_1_0_to_the_end", 200},
                                                  {"http_2", 200},
                                                  {"http_9", 0},
                                                  {"length_beyond_64_bits", 200},
                                                  {"length_is_no_number", 0},
                                                  {"line_feeds_alone", 200},
                                                  {"many_headers", 200},
                                                  {"no_content", 204},
                                                  {"no_status", 0},
                                                  {"nul_in_a_header", 0},
                                                  {"plain", 200},
                                                  {"redirect", 301},
                                                  {"redirect_to_a_path", 302},
                                                  {"redirect_to_bytes", 308},
                                                  {"retry_after", 503},
                                                  {"retry_after_date", 429},
                                                  {"retry_after_year_0", 429},
                                                  {"status_999", 0},
                                                  {"status_of_five_digits", 0},
                                                  {"status_of_two_digits", 0},
                                                  {"switches", 101},
                                                  {"too_long_a_body", 200},
                                                  {"two_lengths", 200}};
        check_outcomes("answer", statuses, [](const auto& stream) {
            const auto answer = fuzz::answer_to(stream);
            return answer ? answer->status : 0;
        });
    }

    TEST_CASE("any row of the stream is an event or refused") {
        feed("event", fuzz::check_event);
    }

    TEST_CASE("a row that no table has is refused by its column") {
        const std::map<std::string, std::string> columns{{"actor_is_no_uuid", "actor_id"},
                                                         {"bytes_of_anything", ""},
                                                         {"changes", ""},
                                                         {"changes_are_no_jsonb", "changes"},
                                                         {"changes_are_no_list", ""},
                                                         {"changes_are_null", ""},
                                                         {"changes_of_anything", ""},
                                                         {"empty", "id"},
                                                         {"id_of_four_bytes", "id"},
                                                         {"ids_at_their_ends", ""},
                                                         {"no_id", "id"},
                                                         {"no_payload", "payload"},
                                                         {"no_silent", "silent"},
                                                         {"no_time", "occurred_at"},
                                                         {"no_type", "event_type"},
                                                         {"nobody", ""},
                                                         {"payload_is_a_list", ""},
                                                         {"payload_is_a_number", ""},
                                                         {"payload_is_a_text", ""},
                                                         {"payload_is_deep", ""},
                                                         {"payload_is_empty", ""},
                                                         {"payload_is_no_jsonb", "payload"},
                                                         {"payload_of_another_format", "payload"},
                                                         {"payload_repeats_a_key", ""},
                                                         {"payload_with_nul", ""},
                                                         {"plain", ""},
                                                         {"project_is_no_number", "project_id"},
                                                         {"silent", ""},
                                                         {"silent_of_two_bytes", "silent"},
                                                         {"texts_of_anything", ""},
                                                         {"time_before_christ", ""},
                                                         {"time_of_infinity", ""},
                                                         {"time_of_nine_bytes", "recorded_at"},
                                                         {"time_of_year_12024", ""}};
        check_outcomes("event", columns, [](const auto& text) {
            std::string refused;
            static_cast<void>(fuzz::event_of(fuzz::cells_from(text), refused));
            return refused;
        });
    }

    TEST_CASE("a broken claim is noticed") {
        CHECK_THROWS_AS(fuzz::require(false, "water is dry"), fuzz::Broken);
    }
}
