/// Mails a satisfaction survey when an item is done, and records the answer.

#include <memory>

#include "commands.hpp"
#include "routes.hpp"
#include "sender.hpp"
#include <csat/events.hpp>
#include <items/events.hpp>
#include <radd/plugin.hpp>

namespace csat {
namespace {

radd::Manifest manifest() {
    return {
        .id = "csat",
        .version = RADD_PLUGIN_VERSION,
        .description = "Asks once how it went when an item is done.",
        .depends_on = {"items", "mail"},
        .event_types =
            {
                radd::event_spec<CsatEvent::requested>(
                    {.label = "CSAT survey sent", .group = "Service desk", .item_scoped = true}),
                radd::event_spec<CsatEvent::responded>(
                    {.label = "CSAT survey answered",
                     .group = "Service desk",
                     .item_scoped = true,
                     .readable_by = radd::Role::admin}),  // As the list of surveys.
            },
        .consumers = {{.name = "csat.sender",
                       .resume = radd::Resume::head,
                       .listens_to = {items::ItemEvent::updated},
                       .make =
                           [](radd::Services& host) { return std::make_unique<Sender>(host); }}},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace csat

RADD_PLUGIN(csat::manifest)
