/// A plugin that does what an event asks of it, for tests that watch the host from outside. The
/// payload's "do" is `note`; `block`, until its folder holds a file `open`; `throw`, until it holds
/// a file `repaired`; `die`, which ends the process; or something odd to throw, see throw_odd().

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include <radd/plugin.hpp>
#include <tests/support/wait.hpp>

namespace chores {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

enum class ChoreEvent { asked };
enum class ChoreEntity { chore };

consteval auto event_names(ChoreEvent) {
    return std::array{radd::Named{ChoreEvent::asked, "chores.asked"}};
}
consteval auto entity_names(ChoreEntity) {
    return std::array{radd::Named{ChoreEntity::chore, "chore"}};
}

// No type that the host knows.
struct Broken {
    int broom = 0;
};
struct NullWhat final : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};
struct Tidy {
    std::string& trace;
    ~Tidy() {
        // Throws and catches while another exception passes.
        try {
            throw std::runtime_error{"dust"};
        } catch (const std::exception& error) {
            trace += error.what();
        }
    }
};

void throw_odd(const std::string& what) {
    if (what == "throw_int") throw 42;
    if (what == "throw_private") throw Broken{};
    if (what == "throw_null") throw NullWhat{};
    if (what == "throw_unwinding") {
        std::string trace;
        const Tidy tidy{trace};
        throw std::logic_error{"swept away"};
    }
    if (what == "throw_long") {
        std::string text;
        while (text.size() < 1'000'000) text += "{} %s {0:>{1}}\n\r";
        throw std::runtime_error{text};
    }
}

class Doer final : public radd::ProjectionConsumer {
public:
    explicit Doer(radd::Services& host) : folder_{host.settings().text("folder")} {}

private:
    void project(radd::Transaction& tx, const radd::Event& event) override {
        if (!event.is(ChoreEvent::asked)) return;
        tx.execute("INSERT INTO chores.done (event_id) VALUES ($1)", event.id);
        const auto what = event.payload().value("do", "note");
        if (what == "throw" && !fs::exists(folder_ / "repaired"))
            throw std::runtime_error{"the broom is broken"};
        if (what == "die") std::_Exit(70);
        throw_odd(what);
        if (what == "block") wait_at_gate(event);
    }

    void wait_at_gate(const radd::Event& event) const {
        std::ofstream{folder_ / ("blocked." + event.entity_id)}.flush();
        if (!radd::testing::eventually([&] { return fs::exists(folder_ / "open"); }, 2min))
            throw std::runtime_error{"nobody opened the gate"};
    }

    fs::path folder_;
};

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .event_types = {{.type = ChoreEvent::asked,
                         .label = "Chore asked for",
                         .entity_type = radd::EntityType{ChoreEntity::chore}}},
        .settings = {radd::text("folder", "", "Where it leaves and finds its files.")},
        .consumers = {{.name = "chores.doer",
                       .listens_to = {ChoreEvent::asked},
                       .make = [](radd::Services& host) { return std::make_unique<Doer>(host); }}},
        .migrations = radd::plugin_migrations()};
}

}  // namespace
}  // namespace chores

RADD_PLUGIN(chores::manifest)
