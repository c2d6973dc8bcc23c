/// A plugin with a past: its event had another name and its payload other forms, and rows of each
/// are in the stream. Built twice: PARCELS_LATER is the release after, which knows one form more
/// and what the other one cannot read.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include <radd/plugin.hpp>

namespace parcels {
namespace {

enum class ParcelEvent { moved };
enum class ParcelEntity { parcel };

consteval auto event_names(ParcelEvent) {
    return std::array{radd::Named{ParcelEvent::moved, "parcels.moved"}};
}
consteval auto entity_names(ParcelEntity) {
    return std::array{radd::Named{ParcelEntity::parcel, "parcel"}};
}

#ifdef PARCELS_LATER
constexpr std::int32_t move_version = 4;
#else
constexpr std::int32_t move_version = 3;
#endif

struct Move {
    std::string shelf{};
    std::int64_t row = 0;

    static constexpr std::int32_t version = move_version;
    static consteval auto fields() {
        return std::tuple{radd::field("shelf", &Move::shelf), radd::field("row", &Move::row)};
    }
    // Version 1 had `rack`, which was `crate` once, as only the later release remembers; version 2
    // called it `shelf`; version 3 has a row; version 4 counts rows from 0.
    static void upcast(radd::json& payload, std::int32_t from) {
        if (from == 1) {
            const bool is_crate = move_version > 3 && payload.contains("crate");
            payload["shelf"] = payload.at(is_crate ? "crate" : "rack");
        }
        if (from == 2) payload["row"] = 1;
        if (from == 3) payload["row"] = payload.at("row").get<std::int64_t>() - 1;
    }
};

consteval auto event_contracts(ParcelEvent) {
    return radd::Contracts{radd::Contract<ParcelEvent::moved, Move>{
        .entity_type = ParcelEntity::parcel, .aliases = {"parcels.shifted"}}};
}

class Ledger final : public radd::ProjectionConsumer {
    void project(radd::Transaction& tx, const radd::Event& event) override {
        if (!event.is(ParcelEvent::moved)) return;
        const auto move = radd::payload_of<ParcelEvent::moved>(event);
        tx.execute("INSERT INTO parcels.ledger (event_id, shelf, \"row\") VALUES ($1, $2, $3)",
                   event.id,
                   move.shelf,
                   move.row);
    }
};

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID,
            .version = RADD_PLUGIN_VERSION,
            .event_types = {radd::event_spec<ParcelEvent::moved>({.label = "Parcel moved"})},
            .consumers = {{.name = "parcels.ledger",
                           .listens_to = {ParcelEvent::moved},
                           .make = [](radd::Services&) { return std::make_unique<Ledger>(); }}},
            .migrations = radd::plugin_migrations()};
}

}  // namespace
}  // namespace parcels

RADD_PLUGIN(parcels::manifest)
