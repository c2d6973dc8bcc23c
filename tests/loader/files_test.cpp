#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <doctest/doctest.h>

#include <host/plugins/report.hpp>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tests/loader/bench.hpp>
#include <unistd.h>

using namespace radd;
using namespace radd::loader_test;

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr uid_t nobody = 65534;
constexpr uid_t same_user = static_cast<uid_t>(-1);

/// False: only root can, and who runs this is not.
bool give_away(const fs::path& path, uid_t user, gid_t group) {
    if (::geteuid() != 0) return false;
    return ::chown(path.c_str(), user, group) == 0;
}

std::vector<std::string> ignored_names(const loader::PluginSet& set) {
    std::vector<std::string> names;
    for (const auto& file : set.ignored()) names.push_back(fs::path{file.file}.filename());
    return names;
}

/// Root reads every file. For its life this thread is bound by their modes, whoever runs it.
class BoundByModes {
public:
    BoundByModes() {
        auto bound = before_;
        bound[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
        if (!call(SYS_capset, bound))
            throw std::system_error{errno, std::generic_category(), "capset"};
    }
    BoundByModes(const BoundByModes&) = delete;
    BoundByModes& operator=(const BoundByModes&) = delete;
    ~BoundByModes() { call(SYS_capset, before_); }

private:
    using Sets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

    // glibc has no wrapper, and libcap would be a package for this one test.
    static bool call(long number, Sets& sets) noexcept {
        __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
        return ::syscall(number, &header, sets.data()) == 0;
    }

    static Sets current() {
        Sets sets{};
        if (!call(SYS_capget, sets))
            throw std::system_error{errno, std::generic_category(), "capget"};
        return sets;
    }

    Sets before_ = current();
};

}  // namespace

TEST_SUITE("plugins directory") {
    // P53
    TEST_CASE_FIXTURE(Bench, "only what a manifest names is opened and the rest is listed") {
        install("describer");
        install("probe", "stranger.so");
        write_text(plugins / "README", "text");
        write_text(plugins / "x.so.bak", "text");
        fs::create_directory(plugins / "y.so");
        fs::create_symlink(plugins / "nowhere", plugins / "dangling.so");
        declare("describer");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto set = load();

        CHECK(loaded(set) == "describer");
        CHECK(set.may_start());
        CHECK(ignored_names(set) == std::vector<std::string>{"dangling.so", "stranger.so", "y.so"});
        CHECK(set.ignored()[0].reason == "a link that leads nowhere");
        CHECK(set.ignored()[1].reason == "no manifest names it");
        CHECK(set.ignored()[2].reason == "a directory");
    }

    // P53
    TEST_CASE_FIXTURE(Bench, "a directory that is missing or a file is one clear error") {
        declare("probe");
        options.plugins_dir = root / "absent";
        const auto missing = load();
        write_text(root / "file", "text");
        options.plugins_dir = root / "file";
        const auto file = load();

        CHECK_FALSE(missing.may_start());
        CHECK(contains(problems(missing), "E08 " + (root / "absent").string()));
        CHECK(contains(problems(missing), "No such file or directory"));
        CHECK(contains(problems(missing), "set plugins_dir"));
        CHECK_FALSE(file.may_start());
        CHECK(contains(problems(file), "names a file and no directory"));
    }

    // P53
    TEST_CASE_FIXTURE(Bench, "what everybody may write to is not trusted") {
        install("describer");
        declare("describer");
        fs::permissions(plugins / "describer.so", fs::perms{0646});
        const auto file = load();
        fs::permissions(plugins / "describer.so", fs::perms{0644});
        fs::permissions(plugins, fs::perms{0777});
        const auto directory = load();
        fs::permissions(plugins, fs::perms{0755});

        CHECK(contains(problems(file), "E07 " + (plugins / "describer.so").string()));
        CHECK(contains(problems(file), "chmod o-w"));
        CHECK(contains(problems(directory), "E07 " + plugins.string() + ":"));
        CHECK(loaded(directory).empty());
        CHECK(loaded(load()) == "describer");
    }

    TEST_CASE_FIXTURE(Bench, "a group is trusted that the host runs under and no other") {
        const auto library = install("describer");
        declare("describer");
        fs::permissions(library, fs::perms{0664});
        CHECK(loaded(load()) == "describer");

        if (!give_away(library, same_user, nobody)) return;
        CHECK(contains(problems(load()), "E07 " + library.string()));
        CHECK(contains(problems(load()), "may write to it, and so run code in this host"));
        CHECK(contains(problems(load()), "chmod g-w " + library.string()));
        fs::permissions(library, fs::perms{0644});
        CHECK(loaded(load()) == "describer");
    }

    TEST_CASE_FIXTURE(Bench, "what belongs to another user is not trusted") {
        const auto library = install("describer");
        declare("describer");
        if (!give_away(library, nobody, nobody)) return;
        const auto text = problems(load());
        CHECK(contains(text, "E07 " + library.string() + " describer: it belongs to user "));
        CHECK(contains(text, "chown root " + library.string()));

        REQUIRE(give_away(library, 0, 0));
        REQUIRE(give_away(plugins, nobody, nobody));
        CHECK(contains(problems(load()), "E07 " + plugins.string() + ": it belongs to user "));
    }

    TEST_CASE_FIXTURE(Bench, "a directory that everybody may replace is not trusted") {
        install("describer");
        declare("describer");
        fs::permissions(root, fs::perms{0777});
        CHECK(contains(problems(load()), "E07 " + root.string() + ": everybody"));

        fs::permissions(root, fs::perms{0777} | fs::perms::sticky_bit);
        CHECK(loaded(load()) == "describer");
    }

    // P53
    TEST_CASE_FIXTURE(Bench, "what cannot be read says why") {
        install("describer");
        fs::create_symlink(plugins / "describer.so", plugins / "linked.so");
        fs::create_directory(plugins / "folder.so");
        declare("linked");
        declare("folder");
        declare("absent");

        const auto text = problems(load());

        CHECK(contains(text, "linked.so linked: is a link"));
        CHECK(contains(text, "folder.so folder: is no regular file"));
        CHECK(contains(text, "absent.so absent: cannot be opened: No such file or directory"));
    }

    // P54
    TEST_CASE_FIXTURE(Bench, "a library whose name differs by case gets a hint") {
        install("describer", "Describer.so");
        declare("describer");

        CHECK(contains(problems(load()), "Did you mean 'Describer.so'? Upper and lower case"));
    }

    TEST_CASE_FIXTURE(Bench, "copies of earlier builds go once they are old") {
        install("describer");
        declare("describer");
        (void)load();
        const auto copy = [&](const std::string& name) { return options.runtime_dir / name; };
        for (const std::string name : {"describer-old.so", "describer-new.so", "other-old.so"})
            write_text(copy(name), "text");
        const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{2};
        fs::last_write_time(copy("describer-old.so"), long_ago);
        fs::last_write_time(copy("other-old.so"), long_ago);

        CHECK(loaded(load()) == "describer");

        CHECK_FALSE(fs::exists(copy("describer-old.so")));
        CHECK(fs::exists(copy("describer-new.so")));
        CHECK(fs::exists(copy("other-old.so")));
    }

    // P53
    TEST_CASE_FIXTURE(Bench, "a file without rights is refused with the reason of the system") {
        install("describer");
        declare("describer");
        fs::permissions(plugins / "describer.so", fs::perms::none);
        const BoundByModes bound;

        CHECK(contains(problems(load()), "cannot be opened: Permission denied"));
    }

    // P54
    TEST_CASE_FIXTURE(Bench, "a copy under another name is refused and names both paths") {
        install("describer");
        install("describer", "copy.so");
        fs::create_hard_link(plugins / "describer.so", plugins / "again.so");
        declare("describer");
        declare("copy");
        declare("again");

        const auto set = load();

        CHECK(loaded(set) == "describer");
        CHECK_FALSE(set.may_start());
        const auto original = (plugins / "describer.so").string();
        for (const std::string copy : {"copy", "again"}) {
            CAPTURE(copy);
            CHECK(contains(problems(set),
                           "E50 " + (plugins / (copy + ".so")).string() + ' ' + copy +
                               ": plugin 'describer' is already taken from " + original));
        }
    }

    TEST_CASE_FIXTURE(Bench, "a library that is not the pinned one is refused") {
        install("describer");
        const auto bytes = read_file(plugins / "describer.so");
        declare("describer").sha256 = loader::sha256_of(bytes);
        CHECK(loaded(load()) == "describer");

        options.manifests[0].sha256 = std::string(64, '0');
        CHECK(contains(problems(load()), "E08"));
        CHECK(contains(problems(load()), "pins 0000"));
    }

    TEST_CASE_FIXTURE(Bench, "overwriting a library leaves the host that runs it alone") {
        install("describer");
        declare("describer");
        const auto set = load();

        write_text(plugins / "describer.so", "overwritten");

        const auto& make = set.plugins()[0]->manifest.consumers[0].make;
        CHECK(make(no_services())->traits().sees_silent);
    }

    TEST_CASE_FIXTURE(Bench, "the mapped copy is private and named by its build") {
        install("describer");
        declare("describer");
        const auto set = load();

        const auto copy = options.runtime_dir / ("describer-" + set.plugins()[0]->build_id + ".so");
        CHECK(fs::exists(copy));
        CHECK(fs::status(options.runtime_dir).permissions() == fs::perms{0700});
        CHECK(fs::status(copy).permissions() == fs::perms{0700});
    }

    TEST_CASE_FIXTURE(Bench, "without a runtime directory nothing is written") {
        install("describer");
        declare("describer");
        options.runtime_dir.clear();

        CHECK(loaded(load()) == "describer");
        CHECK_FALSE(fs::exists(root / "run"));
    }

    TEST_CASE_FIXTURE(Bench, "safe mode opens nothing") {
        install("describer");
        declare("describer");
        options.safe_mode = true;
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto set = load();

        CHECK(set.may_start());
        CHECK(loaded(set).empty());
        REQUIRE(set.disabled().size() == 1);
        CHECK(set.disabled()[0].id == "describer");
        CHECK_FALSE(fs::exists(root / "marker"));
    }

    TEST_CASE_FIXTURE(Bench, "a disabled plugin is not opened") {
        install("describer");
        declare("describer").enabled = false;
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        CHECK(load().may_start());
        CHECK_FALSE(fs::exists(root / "marker"));
    }

    TEST_CASE_FIXTURE(Bench, "inspecting runs no code") {
        const auto path = install("probe");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto inspection = loader::inspect(path);

        CHECK(inspection.problems.empty());
        CHECK(contains(loader::inspection_text(inspection), "probe 1.0.0"));
        CHECK(contains(loader::inspection_json(inspection), "\"opens\": true"));
        CHECK(contains(loader::inspection_text(loader::inspect(root)), "would not open"));
        CHECK_FALSE(fs::exists(root / "marker"));
    }
}
