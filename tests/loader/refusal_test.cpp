#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include <host/plugins/report.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// One way to be refused: what is installed as probe.so, how it misbehaves, and what is said.
struct Refused {
    std::string name;
    std::function<Bytes()> library;
    std::string fault;
    std::string code;
    std::string text;
};

Bytes fixture(const std::string& name) {
    return read_file(fixture_path(name));
}

Bytes noted(const std::function<void(abi::NoteDesc&)>& change) {
    return with_note(fixture("probe"), change);
}

Bytes described(const std::function<void(radd_plugin_v1&)>& change) {
    return with_descriptor(fixture("probe"), change);
}

Bytes text_bytes(const std::string& text) {
    Bytes bytes;
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

Bytes patched(std::size_t at, int value) {
    Bytes bytes = fixture("probe");
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
}

// P53: refused by what the file says, so none of its code may run.
const std::vector<Refused> by_file{
    {"empty", [] { return Bytes{}; }, "", "E01", "the file is empty"},
    {"text", [] { return text_bytes("echo hello\n"); }, "", "E01", "no shared library"},
    {"tiny", [] { return text_bytes("\177ELF"); }, "", "E02", "cut short: 4 bytes"},
    {"half",
     [] {
         Bytes bytes = fixture("probe");
         bytes.resize(bytes.size() / 2);
         return bytes;
     },
     "",
     "E02",
     "cut short or damaged"},
    {"32 bits", [] { return patched(4, 1); }, "", "E03", "no 64-bit library"},
    {"other machine", [] { return patched(18, 183); }, "", "E03", "it is for aarch64"},
    {"no note", [] { return fixture("no_note"); }, "", "E04", "it has no note"},
    {"extra export",
     [] { return fixture("extra_export"); },
     "",
     "E05",
     "it exports more than its entry"},
    {"search path", [] { return fixture("search_path"); }, "", "E06", "'./hijack'"},
    {"executable stack", [] { return fixture("executable_stack"); }, "", "E10", "noexecstack"},
    {"next ABI",
     [] { return noted([](auto& note) { note.abi_major = abi::abi_major + 1; }); },
     "",
     "E13",
     "it was built for ABI 2.0 (SDK 0.1.0), this host speaks 1.0. Rebuild"},
    {"last ABI",
     [] { return noted([](auto& note) { note.abi_major = abi::abi_major - 1; }); },
     "",
     "E13",
     "it was built for ABI 0.0"},
    {"newer minor ABI",
     [] { return noted([](auto& note) { note.abi_minor = abi::abi_minor + 1; }); },
     "",
     "E13",
     "it was built for ABI 1.1"},
    {"other layout",
     [] { return noted([](auto& note) { note.layout_low ^= 1U; }); },
     "",
     "E13",
     "the layout of the SDK's types differs"},
    {"other compiler",
     [] {
         return noted([](auto& note) {
             std::string fingerprint{abi::fingerprint};
             fingerprint.replace(0, fingerprint.find(' '), "cc=gcc99");
             note.fingerprint = {};
             fingerprint.copy(note.fingerprint.data(), note.fingerprint.size() - 1);
         });
     },
     "",
     "E12",
     "plugin cc=gcc99. Rebuild the plugin with the compiler and the flags of the host"},
    {"a fingerprint with a field twice",
     [] {
         return noted([](auto& note) {
             std::string{abi::fingerprint}
                 .append(" cc=gcc99")
                 .append(abi::fingerprint.substr(0, 9))
                 .copy(note.fingerprint.data(), 191);
         });
     },
     "",
     "E12",
     "toolchain fingerprint differs"},
    {"debug mode", [] { return fixture("debug_mode"); }, "", "E12", "host debugmode=0, plugin"},
    {"other plugin", [] { return fixture("describer"); }, "", "E50", "is already taken from"},
    {"other id", [] { return fixture("debug_mode"); }, "", "E14", "is plugin 'debug_mode'"},
    {"other entry",
     [] { return noted([](auto& note) { note.entry[0] = 'X'; }); },
     "",
     "E14",
     "its entry is called 'Xadd_plugin_entry_v1'"},
    {"note of another format",
     [] { return noted([](auto& note) { note.format = 9; }); },
     "",
     "E04",
     "format 9"},
};

// Refused by what it does when it is asked.
const std::vector<Refused> by_behaviour{
    {"undefined symbol",
     [] { return fixture("undefined_symbol"); },
     "",
     "E11",
     "'elsewhere::nobody_defines_this(int)'"},
    {"descriptor with another id",
     [] { return noted([](auto& note) { note.version[0] = '2'; }); },
     "",
     "E14",
     "its descriptor is not about probe 2.0.0"},
    {"another SDK at relocation",
     [] { return with_text(fixture("probe"), "radd_abi_1_0", "radd_abi_9_9"); },
     "",
     "E11",
     "undefined symbol: radd_abi_9_9. It was built against another SDK"},
    {"descriptor without magic",
     [] { return described([](auto& descriptor) { descriptor.magic = 0; }); },
     "",
     "E14",
     "a wrong magic number"},
    {"descriptor that is too small",
     [] { return described([](auto& descriptor) { descriptor.struct_size = 16; }); },
     "",
     "E14",
     "its descriptor has 16 bytes, at least 56 are needed"},
    {"descriptor for another ABI",
     [] { return described([](auto& descriptor) { descriptor.abi_major = 7; }); },
     "",
     "E14",
     "its descriptor is for ABI 7.0, its note said 1.0"},
    {"descriptor with another layout",
     [] { return described([](auto& descriptor) { descriptor.layout_hash = 1; }); },
     "",
     "E14",
     "disagree about the layout"},
    {"throws an int", [] { return fixture("probe"); }, "throws_int", "E20", "no std::exception"},
    {"throws its own type",
     [] { return fixture("probe"); },
     "throws_private",
     "E20",
     "no std::exception"},
    {"null text", [] { return fixture("probe"); }, "null_what", "E20", "what() is null"},
    {"wrong id", [] { return fixture("probe"); }, "wrong_id", "E14", "its code says prober 1.0.0"},
    {"wrong version", [] { return fixture("probe"); }, "wrong_version", "E14", "probe 9.9.9"},
    {"enum gap", [] { return fixture("probe"); }, "enum_gap", "E32", "event 'probe.ended'"},
    {"undescribed subject",
     [] { return fixture("probe"); },
     "undescribed",
     "E31",
     "probe: event 'probe.happened' names subject 'itme', which no loaded plugin describes. "
     "Did you mean 'item'?"},
    {"missing dependency",
     [] { return fixture("probe"); },
     "needs_missing",
     "E51",
     "depends on plugin 'describr', which is not installed. Did you mean 'describer'?"},
    {"duplicate event",
     [] { return fixture("probe"); },
     "duplicate_event",
     "E30",
     "event 'describer.happened' is declared by plugin 'describer'"},
    {"duplicate consumer",
     [] { return fixture("probe"); },
     "duplicate_consumer",
     "E30",
     "consumer 'describer.reader' is declared by plugin 'describer'"},
};

struct Scene : Bench {
    /// describer is well; probe is refused as `expected` says, and the host does not start.
    void check(const Refused& expected) {
        CAPTURE(expected.name);
        install("describer");
        const auto path = install("probe.so", expected.library());
        declare("describer");
        declare("probe");
        const Variable fault{"FIXTURE_FAULT", expected.fault};
        const auto set = load();

        CHECK(loaded(set) == "describer");
        CHECK_FALSE(set.may_start());
        REQUIRE(set.refused().size() == 1);
        CHECK(set.refused()[0].id == "probe");
        REQUIRE_FALSE(set.refused()[0].problems.empty());
        const std::string text = loader::problems_text(set.refused()[0].problems);
        CAPTURE(text);
        CHECK(contains(text, expected.code + ' ' + path.string()));
        CHECK(contains(text, expected.text));
        CHECK(set.find("probe") == nullptr);
    }
};

}  // namespace

TEST_SUITE("refusal") {
    // P53
    TEST_CASE("a file that does not fit is refused before its code runs") {
        for (const Refused& expected : by_file) {
            Scene scene;
            const auto marker = scene.root / "marker";
            scene.install("probe.so", expected.library());
            scene.declare("probe");
            const Variable trace{"FIXTURE_MARKER", marker.string()};

            (void)scene.load();

            CAPTURE(expected.name);
            CHECK_FALSE(fs::exists(marker));
        }
        // The trace would have been there.
        Scene control;
        const auto marker = control.root / "marker";
        control.install("probe");
        control.declare("probe");
        const Variable trace{"FIXTURE_MARKER", marker.string()};
        (void)control.load();
        CHECK(fs::exists(marker));
    }

    // P53
    TEST_CASE("a file that does not fit is told by its path and reason") {
        for (const Refused& expected : by_file) Scene{}.check(expected);
    }

    TEST_CASE("a plugin that misbehaves when asked is told by what it did") {
        for (const Refused& expected : by_behaviour) Scene{}.check(expected);
    }

    TEST_CASE_FIXTURE(Bench, "a long text is cut between two characters") {
        install("probe");
        declare("probe");
        const Variable fault{"FIXTURE_FAULT", "long_text"};

        const auto set = load();

        const std::string text = problems(set);
        CHECK(contains(text, std::string(506, 'x')));
        CHECK_FALSE(contains(text, "\xEF\xBF\xBD"));  // No half character was replaced.
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject is described by whoever is loaded whatever the order") {
        install("probe");
        install("describer", "zz.so");
        declare("probe");
        declare("describer", "zz.so");

        const auto set = load();

        CHECK(loaded(set) == "describer probe");
        CHECK(set.may_start());
        CHECK(problems(set).empty());
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject whose describer is refused refuses in turn") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer");
        const Variable fault{"FIXTURE_FAULT", "describer_refused"};

        const auto set = load();

        CHECK(loaded(set).empty());
        CHECK(set.refused().size() == 2);
        CHECK(contains(problems(set), "describer: event 'describer.happened' has an empty label"));
        CHECK(contains(problems(set),
                       "probe: event 'probe.happened' names subject 'item', which only plugin "
                       "'describer' describes, and that is refused. Repair 'describer' first"));
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject whose describer is disabled says so") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer").enabled = false;
        const Variable trace{"FIXTURE_MARKER", (root / "marker").string()};

        const auto set = load();

        CHECK(contains(problems(set),
                       "It is described by plugin 'describer', which is installed but disabled"));
    }

    TEST_CASE_FIXTURE(Bench, "a disabled plugin that crashes when asked harms nobody") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer").enabled = false;
        const Variable fault{"FIXTURE_FAULT", "describer_crashes"};

        const auto set = load();

        CHECK(contains(problems(set), "which no loaded plugin describes"));
        CHECK_FALSE(contains(problems(set), "installed but disabled"));
    }

    TEST_CASE_FIXTURE(Bench, "a plugin that is not required is dropped with a warning") {
        install("describer");
        install("probe", "probe.so");
        declare("describer");
        declare("probe").required = false;
        const Variable fault{"FIXTURE_FAULT", "throws_int"};

        const auto set = load();

        CHECK(set.may_start());
        CHECK(loaded(set) == "describer");
        REQUIRE(set.problems().size() == 1);
        CHECK(set.problems()[0].severity == config::Severity::warning);
        CHECK(contains(loader::plugins_text(set), "refused   probe"));
    }

    TEST_CASE_FIXTURE(Bench, "what a manifest says of an unknown consumer is told with its place") {
        install("describer");
        auto& file = declare("describer");
        file.consumers["describer.raeder"] = {.place = {.line = 7, .column = 3}};

        const std::string text = problems(load());

        CHECK(contains(text, "E43 manifests/describer.yaml:7:3 describer: consumers: "));
        CHECK(contains(text, "Did you mean 'describer.reader'?"));
    }

    TEST_CASE_FIXTURE(Bench, "three bad plugins give three reasons at once") {
        write_text(plugins / "a.so", "text");
        install("no_note", "b.so");
        declare("a");
        declare("b");
        declare("c");

        const auto set = load();

        CHECK(set.refused().size() == 3);
        CHECK(contains(problems(set), "E01"));
        CHECK(contains(problems(set), "E04"));
        CHECK(contains(problems(set), "E08"));
    }

    TEST_CASE_FIXTURE(Bench, "the machine reads the same as people do") {
        install("describer");
        install("probe.so", patched(4, 1));
        declare("describer");
        declare("probe");

        const auto json = nlohmann::json::parse(loader::set_json(load()));

        CHECK(json["may_start"] == false);
        CHECK(json["plugins"][0]["id"] == "describer");
        CHECK(json["plugins"][0]["entities"][0] == "item");
        CHECK(json["plugins"][0]["events"][0]["type"] == "describer.happened");
        CHECK(json["refused"][0]["problems"][0]["code"] == "E03");
        CHECK(json["problems"].size() == 1);
    }
}
