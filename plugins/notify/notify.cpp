/// Tells people what happens to the items that concern them: in an inbox, by mail, once a day.
///
/// Read in this order: migrations/notify is what is kept, teller.hpp who is told of what,
/// notices.hpp how a notice comes about, post.hpp and digest.hpp how it leaves the instance.

#include <memory>

#include "actions.hpp"
#include "commands.hpp"
#include "digest.hpp"
#include "item_ids.hpp"
#include "local_time.hpp"
#include "notices.hpp"
#include "post.hpp"
#include "retention.hpp"
#include "routes.hpp"
#include "teller.hpp"
#include <items/events.hpp>
#include <radd/plugin.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;

// What an item or a comment leaves behind here, silent deletions included. Nothing hangs on an id
// that is no number: SQL may have written any into an event.

radd::CascadeSpec swept_with_item() {
    return {.name = "notify.item",
            .parent_event = items::ItemEvent::deleted,
            .sweep = [](radd::Transaction& tx, std::string_view item) {
                const auto id = id_in(item);
                if (!id) return;
                forget_item(tx, *id);
                Notices::forget_item(tx, *id);
            }};
}

radd::CascadeSpec swept_with_comment() {
    return {.name = "notify.comment",
            .parent_event = items::CommentEvent::deleted,
            .sweep = [](radd::Transaction& tx, std::string_view comment) {
                if (const auto id = id_in(comment)) Notices::forget_comment(tx, *id);
            }};
}

std::vector<radd::SettingSpec> settings() {
    return {
        radd::integer("mails_per_hour",
                      30,
                      {1, 1000},
                      "To one person at once. What is more waits for the digest."),
        radd::text("digest_zone", "UTC", "The time zone of who has chosen none, as IANA names it."),
        radd::integer("digest_hour", 8, {0, 23}, "The hour of who has chosen none."),
        radd::duration(
            "notices_kept", 24h * 180, {24h, 24h * 3650}, "How long notices stay, read or not."),
    };
}

void check_settings(radd::Services& host) {
    const auto& zone = host.settings().text("digest_zone");
    if (!is_zone(zone))
        throw radd::ConfigError{"setting 'digest_zone': tzdata of this host has no '" + zone +
                                "'; write it like Europe/Berlin"};
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Tells people what happens to the items that concern them.",
        .depends_on = {"items", "mail"},
        .settings = settings(),
        .consumers = {{.name = "notify.teller",
                       .resume = radd::Resume::head,
                       .make =
                           [](radd::Services& host) { return std::make_unique<Teller>(host); }}},
        .periodic_tasks =
            {{.name = "notify.digest",
              .make = [](radd::Services& host) { return std::make_unique<Digest>(host); }},
             {.name = "notify.retention",
              .make = [](radd::Services& host) { return std::make_unique<Retention>(host); }}},
        .cascades = {swept_with_item(), swept_with_comment()},
        .actions = actions(),
        .delivery_queues = {post_queue()},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
        .on_startup = check_settings,
    };
}

}  // namespace
}  // namespace notify

RADD_PLUGIN(notify::manifest)
