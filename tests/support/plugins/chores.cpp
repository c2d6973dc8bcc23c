/// A plugin that does what an event asks of it, for tests that watch the host from outside. The
/// payload's "do" is `note`; `block`, until its folder holds a file `open`; or `throw`, until it
/// holds a file `repaired`.

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
