#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include <host/plugins/elf_file.hpp>
#include <host/plugins/library.hpp>
#include <radd/layout.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using loader_test::Bytes;
using loader_test::fixture_path;
using loader_test::read_file;

namespace {

std::string refusal_code(const Bytes& bytes) {
    try {
        (void)loader::read_elf(bytes);
        return "none";
    } catch (const loader::BadElf& bad) {
        return bad.code();
    }
}

}  // namespace

TEST_SUITE("elf file") {
    TEST_CASE("a plugin says who it is without being run") {
        const auto elf = loader::read_elf(read_file(fixture_path("probe")));

        REQUIRE(elf.note);
        CHECK(elf.note->id == "probe");
        CHECK(elf.note->version == "1.0.0");
        CHECK(elf.note->sdk_version == RADD_SDK_VERSION);
        CHECK(elf.note->abi_major == abi::abi_major);
        CHECK(elf.note->layout_hash == abi::layout_hash);
        CHECK(elf.note->fingerprint == abi::fingerprint);
        CHECK(elf.note->entry == "radd_plugin_entry_v1");
        CHECK(elf.build_id.size() == 40);
        CHECK(elf.exports == std::vector<std::string>{"radd_plugin_entry_v1"});
        CHECK(elf.unique_exports.empty());
        CHECK(std::ranges::find(elf.needed, "libradd_sdk.so.1") != elf.needed.end());
        CHECK(elf.search_paths.empty());
        CHECK_FALSE(elf.text_relocations);
        CHECK_FALSE(elf.executable_stack);
    }

    TEST_CASE("a plugin that follows the rules has no problem") {
        const auto elf = loader::read_elf(read_file(fixture_path("probe")));

        CHECK(loader::check_library(elf, "probe.so").empty());
    }

    TEST_CASE("a header of another kind is refused by its kind") {
        Bytes bytes = read_file(fixture_path("probe"));
        const auto patched = [&](std::size_t at, int value) {
            Bytes copy = bytes;
            copy.at(at) = static_cast<std::byte>(value);
            return refusal_code(copy);
        };

        CHECK(patched(0, 'X') == "E01");
        CHECK(patched(4, 1) == "E03");    // 32 bits
        CHECK(patched(5, 2) == "E03");    // big-endian
        CHECK(patched(16, 2) == "E03");   // an executable
        CHECK(patched(18, 40) == "E03");  // arm
        CHECK(refusal_code({}) == "E01");
        CHECK(refusal_code(Bytes(bytes.begin(), bytes.begin() + 20)) == "E02");
    }

    // What was measured: opening such a file ends the process with SIGBUS.
    TEST_CASE("every truncation is refused") {
        const Bytes bytes = read_file(fixture_path("probe"));

        for (std::size_t part = 0; part < 50; ++part) {
            const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * part / 50);
            CAPTURE(part);
            CHECK(refusal_code(Bytes(bytes.begin(), end)) != "none");
        }
        CHECK(refusal_code(Bytes(bytes.begin(), bytes.end() - 1)) == "E02");
    }

    TEST_CASE("a hostile file is refused or read but never crashes the reader") {
        const Bytes original = read_file(fixture_path("no_note"));
        std::mt19937 random{20260101};
        const auto below = [&](std::size_t limit) { return random() % limit; };
        std::size_t refused = 0;
        std::size_t accepted = 0;

        for (int round = 0; round < 10'000; ++round) {
            Bytes bytes = original;
            // Most numbers that matter stand in the first pages and in the dynamic tables.
            const std::size_t window =
                round % 2 == 0 ? std::min<std::size_t>(1024, bytes.size()) : bytes.size();
            for (std::size_t edits = 1 + below(8); edits > 0; --edits)
                bytes[below(window)] = static_cast<std::byte>(below(256));
            if (below(4) == 0) bytes.resize(below(bytes.size()));
            ++(refusal_code(bytes) == "none" ? accepted : refused);
        }

        CHECK(refused > 1000);
        CHECK(accepted > 1000);
    }

    TEST_CASE("a hostile plugin is refused or read but never crashes the reader") {
        const Bytes original = read_file(fixture_path("probe"));
        std::mt19937 random{7};
        std::size_t refused = 0;

        for (int round = 0; round < 500; ++round) {
            Bytes bytes = original;
            for (int edits = 0; edits < 4; ++edits)
                bytes[random() % 4096] = static_cast<std::byte>(random() % 256);
            if (refusal_code(bytes) != "none") ++refused;
        }

        CHECK(refused > 20);
    }

    TEST_CASE("only fields that differ are told") {
        CHECK(loader::fingerprint_difference("a=1 b=2 c=3", "a=1 b=9 c=3") ==
              "host b=2, plugin b=9");
        CHECK(loader::fingerprint_difference("a=1", "a=1").empty());
        CHECK(loader::fingerprint_difference("a=1 b=2", "a=1 c=3") ==
              "host b=2, plugin b=unknown; host c=unknown, plugin c=3");
    }
}
