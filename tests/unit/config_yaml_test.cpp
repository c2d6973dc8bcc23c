#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/yaml.hpp>

using radd::config::Place;
using radd::config::Problems;
using radd::config::YamlNode;

namespace fs = std::filesystem;

namespace {

struct Parsed {
    std::optional<YamlNode> root;
    Problems problems;

    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> texts;
        for (const auto& problem : problems) texts.push_back(to_text(problem));
        return texts;
    }
};

Parsed parse(std::string_view text) {
    Parsed parsed;
    parsed.root = radd::config::parse_yaml(text, "a.yaml", parsed.problems);
    return parsed;
}

/// The only complaint about `text`.
std::string complaint(std::string_view text) {
    const auto lines = parse(text).lines();
    REQUIRE_MESSAGE(lines.size() == 1, lines.size() << " problems in: " << text);
    return lines.front();
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

std::string nested_lists(std::size_t depth) {
    return repeated("[", depth) + repeated("]", depth);
}

/// A list with `count` values, the list itself included.
std::string document_of(std::size_t count) {
    return "[" + repeated("1,", count - 1) + "]";
}

/// `count` tokens glued together by a generator of which every result is the same everywhere.
std::string random_document(std::mt19937& random) {
    static const std::vector<std::string> tokens{
        "a",  "b",   ": ",   "- ",  "\n",   "\n  ", "\n    ", "[",    "]",   "{",  "}",   ",",
        "? ", "!",   "!!",   "&a ", "*a",   "| ",   ">-\n",   "\"",   "'",   "#",  " #",  "%",
        "@",  "`",   "---",  "...", "<<: ", "\t",   "~",      "null", "0x1", "\\", "\r",  "é",
        "1",  "yes", "!<x>", ":",   "-",    "\xFF", "\x01",   "<<",   "\\u", "|2", "\n\n"};
    const auto count = 1 + random() % 24;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += tokens[random() % tokens.size()];
    return text;
}

/// Walks the whole tree, so that a sanitizer sees every byte of it.
std::size_t values_in(const YamlNode& node) {
    std::size_t count = 1 + (node.text.empty() ? 0 : static_cast<std::size_t>(node.text[0] == 0));
    for (const auto& item : node.items) count += values_in(item);
    for (const auto& member : node.members) count += 1 + values_in(member.value);
    return count;
}

void check_bounded(std::string_view text) {
    CAPTURE(text);
    const auto parsed = parse(text);
    CHECK((parsed.root.has_value() || radd::config::has_errors(parsed.problems)));
    CHECK(parsed.problems.size() <= radd::config::yaml_problems_max + 1);
    if (parsed.root) CHECK(values_in(*parsed.root) <= radd::config::yaml_nodes_max);
}

std::string read(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_SUITE("yaml tree") {
    TEST_CASE("a value knows its place and whether it was quoted") {
        const auto parsed = parse("a: 1\nb:\n  - \"2\"\n  - é: x\n");

        REQUIRE(parsed.problems.empty());
        const YamlNode& b = *parsed.root->find("b");
        CHECK(parsed.root->find("a")->text == "1");
        CHECK_FALSE(parsed.root->find("a")->quoted);
        CHECK(b.items.at(0).text == "2");
        CHECK(b.items.at(0).quoted);
        CHECK(b.items.at(0).place == Place{3, 5});
        CHECK(b.items.at(1).members.at(0).value.place == Place{4, 8});
        CHECK(parsed.root->find("c") == nullptr);
    }

    TEST_CASE("scalars stay as they were written") {
        for (const char* text : {"no", "off", "0300", "1_000", ".inf", "1.50", "True"}) {
            CHECK(parse(std::string{"a: "} + text).root->find("a")->text == text);
        }
    }

    TEST_CASE("nothing and a tilde are null and so is an empty file") {
        CHECK(parse("a:\nb: 1").root->find("a")->kind == YamlNode::Kind::null);
        CHECK(parse("a: ~").root->find("a")->kind == YamlNode::Kind::null);
        CHECK(parse("a: null").root->find("a")->kind == YamlNode::Kind::null);
        CHECK(parse("a: \"\"").root->find("a")->kind == YamlNode::Kind::scalar);
        CHECK(parse("a: \"null\"").root->find("a")->kind == YamlNode::Kind::scalar);
        CHECK(parse("").root->kind == YamlNode::Kind::null);
        CHECK(parse("# only this\n").root->kind == YamlNode::Kind::null);
    }

    TEST_CASE("a missing value is placed at its key") {
        const auto parsed = parse("a:\n\n\nb: 1\n");

        CHECK(parsed.root->find("a")->place == Place{1, 1});
    }

    TEST_CASE("a byte order mark moves no column") {
        const auto parsed = parse(
            "\xEF\xBB\xBF"
            "ab: 1");

        CHECK(parsed.root->find("ab")->place == Place{1, 5});
    }

    TEST_CASE("line ends may be those of Windows") {
        const auto parsed = parse("a: 1\r\nb: 2\r\n");

        REQUIRE(parsed.problems.empty());
        CHECK(parsed.root->find("a")->text == "1");
        CHECK(parsed.root->find("b")->place == Place{2, 4});
    }
}

TEST_SUITE("yaml refusals") {
    // P57
    TEST_CASE("a key given twice names itself and both places") {
        CHECK(complaint("batch_size: 10\nx: 1\nbatch_size: 500\n") ==
              "E42 a.yaml:3:1: duplicate key 'batch_size', first given on line 1. Keep one");
        CHECK(complaint("consumers:\n  a: {}\nx: 1\nconsumers:\n  b: {}\n") ==
              "E42 a.yaml:4:1: duplicate key 'consumers', first given on line 1. Keep one");
        CHECK(complaint("consumers:\n  a.b: {}\n  \"a.b\": {}\n") ==
              "E42 a.yaml:3:3: consumers: duplicate key 'a.b', first given on line 2. Keep one");
    }

    TEST_CASE("the first of two equal keys is kept for the rest of the pass") {
        const auto parsed = parse("a: 1\na: 2\n");

        REQUIRE(parsed.root->members.size() == 1);
        CHECK(parsed.root->find("a")->text == "1");
    }

    // P58
    TEST_CASE("a merge key is refused and not ignored") {
        CHECK(complaint("a:\n  <<: {b: 1}\n") ==
              "E41 a.yaml:2:3: a: merge keys ('<<') are not supported. Write the keys out");
        CHECK(parse("\"<<\": 1").problems.empty());
    }

    TEST_CASE("a merge of an anchor is two mistakes and not three") {
        CHECK(parse("x: &base {b: 1}\na:\n  <<: *base\n").lines() ==
              std::vector<std::string>{
                  "E41 a.yaml:1:4: x: anchors ('&base') are not supported. Write the value out "
                  "where it is needed",
                  "E41 a.yaml:3:3: a: merge keys ('<<') are not supported. Write the keys out"});
    }

    TEST_CASE("an alias is refused where it stands") {
        const auto parsed = parse("a: &x 1\nb: [2, *x]\n");

        REQUIRE(parsed.problems.size() == 2);
        CHECK(to_text(parsed.problems[1]) ==
              "E41 a.yaml:2:8: b[1]: aliases ('*name') are not supported. Write it out");
        CHECK(parsed.root->find("b")->items.at(1).kind == YamlNode::Kind::broken);
    }

    TEST_CASE("a value that contains itself is refused") {
        CHECK(parse("a: &a {b: *a}").problems.size() == 2);
    }

    TEST_CASE("a tag is refused") {
        CHECK(complaint("a: !!str 5") ==
              "E41 a.yaml:1:4: a: tags ('tag:yaml.org,2002:str') are not supported. Put quotes "
              "around what is meant as text");
        CHECK(complaint("a: !secret [x]").starts_with("E41 a.yaml:1:4: a: tags ('!secret')"));
    }

    TEST_CASE("a second document is refused at its start") {
        CHECK(complaint("a: 1\n---\nb: 2\n") ==
              "E41 a.yaml:2:1: a second document, or text that belongs to nothing, begins here. "
              "A file holds one document");
        CHECK(parse("---\na: 1\n...\n").problems.empty());
    }

    TEST_CASE("a lone comma ends") {
        CHECK(complaint(",").starts_with("E4"));
    }

    TEST_CASE("bytes that are not UTF-8 are refused with their place") {
        CHECK(complaint("a: 1\nb: \"é\xFF\"\n") ==
              "E40 a.yaml:2:6: not valid UTF-8. Save the file as UTF-8");
        for (const char* text : {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
            CHECK(complaint(text).starts_with("E40 a.yaml:1:1: not valid UTF-8"));
        }
    }

    TEST_CASE("a control character does not cut the file short") {
        CHECK(complaint("a: 1\n\x04\nb: 2\n") == "E40 a.yaml:2:1: a control character. Remove it");
        CHECK(complaint(std::string_view{"a: \0", 4}).starts_with("E40 a.yaml:1:4"));
    }

    TEST_CASE("an escaped NUL is refused") {
        CHECK(complaint("a: \"x\\0y\"") ==
              "E41 a.yaml:1:4: a: a text must not contain a NUL character");
    }

    TEST_CASE("an escape that would break UTF-8 is refused") {
        CHECK(
            complaint("a: \"x\\Ny\"") ==
            "E41 a.yaml:1:4: a: the escapes '\\N' and '\\_' are not supported. Write '\\u0085' or "
            "'\\u00a0'");
        CHECK(parse("a: \"\\u0085 \\u00a0 \\L\"").lines().empty());
    }

    TEST_CASE("a problem stays on one line whatever the text holds") {
        CHECK(complaint("\"a\\nb\": {c: &x 1}") ==
              "E41 a.yaml:1:13: 'a\\nb'.c: anchors ('&x') are not supported. Write the value out "
              "where it is needed");
        CHECK(complaint("a: \"\\").find('\x04') == std::string::npos);
    }

    TEST_CASE("a key is a name") {
        CHECK(complaint("? [a]\n: 1\n") == "E41 a.yaml:1:3: a key must be a name");
        CHECK(complaint("{~: 1}") == "E41 a.yaml:1:2: a key must be a name");
    }

    TEST_CASE("a fault of syntax has a place") {
        CHECK(complaint("a: 1\n\tb: 2\n").starts_with("E40 a.yaml:2:"));
        CHECK(complaint("a: [1, 2\n").starts_with("E40 a.yaml:"));
        CHECK(complaint("a: b: c\n").starts_with("E40 a.yaml:1:5: not valid YAML: "));
        CHECK(complaint("a: \"\\uD800\"").starts_with("E40 a.yaml:1:"));
    }

    TEST_CASE("faults before one of syntax are reported with it") {
        const auto parsed = parse("a: 1\na: 2\nb: [\n");

        CHECK_FALSE(parsed.root.has_value());
        REQUIRE(parsed.problems.size() == 2);
        CHECK(parsed.problems[0].code == "E42");
        CHECK(parsed.problems[1].code == "E40");
    }
}

TEST_SUITE("yaml limits") {
    TEST_CASE("depth is allowed to its limit and refused one past it") {
        CHECK(parse(nested_lists(radd::config::yaml_depth_max)).problems.empty());
        CHECK(complaint(nested_lists(radd::config::yaml_depth_max + 1)) ==
              "E40 a.yaml:1:65: nested more than 64 levels deep");
        for (const char* token : {"[", "{a: ", "- ", "? "}) {
            CHECK(complaint(repeated(token, 100'000)).find("64 levels") != std::string::npos);
        }
    }

    TEST_CASE("values are allowed to their limit and refused one past it") {
        CHECK(parse(document_of(radd::config::yaml_nodes_max)).problems.empty());
        CHECK(complaint(document_of(radd::config::yaml_nodes_max + 1))
                  .ends_with("more than 100000 values in one file"));
    }

    TEST_CASE("bytes are allowed to their limit and refused one past it") {
        const std::string longest(radd::config::yaml_bytes_max, 'x');

        CHECK(parse(longest).root->text.size() == longest.size());
        CHECK(complaint(longest + "x") == "E40 a.yaml: larger than 1048576 bytes");
    }

    TEST_CASE("problems are reported to their limit and then summed up") {
        const auto parsed = parse("a: 1\n" + repeated("a: 1\n", 500));

        REQUIRE(parsed.problems.size() == radd::config::yaml_problems_max + 1);
        CHECK(parsed.problems.back().message ==
              "too many problems; the rest of the file was not read");
    }
}

TEST_SUITE("yaml file") {
    TEST_CASE("a directory and a missing file cannot be read") {
        Problems problems;

        CHECK_FALSE(radd::config::read_yaml_file("/", problems).has_value());
        CHECK_FALSE(radd::config::read_yaml_file("nowhere.yaml", problems).has_value());

        REQUIRE(problems.size() == 2);
        CHECK(to_text(problems[1]) == "E40 nowhere.yaml: not a readable file");
    }

    TEST_CASE("every document of the corpus is read or refused") {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator{RADD_SOURCE_DIR "/tests/unit/data/yaml"}) {
            if (entry.path().extension() != ".yaml") continue;
            check_bounded(read(entry.path()));
            ++count;
        }
        CHECK(count >= 8);
    }

    TEST_CASE("20000 random documents are read or refused") {
        std::mt19937 random{20260101};
        for (int i = 0; i < 20'000; ++i) check_bounded(random_document(random));
    }
}
