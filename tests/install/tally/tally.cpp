/// Counts events by type. The count and the cursor land in one commit, so each event counts once.

#include <radd/plugin.hpp>

namespace tally {
namespace {

class Counter final : public radd::ProjectionConsumer {
    void project(radd::Transaction& tx, const radd::Event& event) override {
        tx.execute(R"sql(
            INSERT INTO tally.counts AS c (event_type, events) VALUES ($1, 1)
            ON CONFLICT (event_type) DO UPDATE SET events = c.events + 1)sql",
                   event.type);
    }
};

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID,
            .version = RADD_PLUGIN_VERSION,
            .consumers = {{.name = "tally.counter",
                           .make = [](radd::Services&) { return std::make_unique<Counter>(); }}},
            .migrations = radd::plugin_migrations()};
}

}  // namespace
}  // namespace tally

RADD_PLUGIN(tally::manifest)
