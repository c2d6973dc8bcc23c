// The words of `radd deliveries …`.

#include <memory>
#include <string>

#include <host/cli/deliveries.hpp>
#include <host/cli/grammar.hpp>

namespace radd::cli {

void Grammar::add_delivery_commands() {
    CLI::App& deliveries = group("deliveries", "See what must arrive, and send it again");
    add(deliveries, "queues", "What is pending, due and dead in every queue", deliveries_queues);

    auto queue = std::make_shared<std::string>();
    add(deliveries,
        "lanes",
        "The same for each receiver of a queue",
        [=](Invocation& invocation) { return deliveries_lanes(invocation, *queue); })
        .add_option("QUEUE", *queue, "E.g. webhooks.deliveries")
        ->type_name(takes::queue)
        ->required();
    add_delivery_list(deliveries);

    auto id = std::make_shared<std::int64_t>();
    add(deliveries,
        "show",
        "Show one delivery with its payload",
        [=](Invocation& invocation) { return deliveries_show(invocation, *id); })
        .add_option("ID", *id, "Delivery id")
        ->type_name("ID")
        ->default_str("")
        ->required();
    add_delivery_repairs(deliveries);
}

void Grammar::add_delivery_list(CLI::App& deliveries) {
    auto options = std::make_shared<DeliveryListOptions>();
    CLI::App& command =
        add(deliveries, "list", "List deliveries, newest first", [=](Invocation& invocation) {
            return deliveries_list(invocation, *options);
        });
    command.add_option("--queue", options->queue, "Only of this queue")->type_name(takes::queue);
    command.add_option("--lane", options->lane, "Only to this receiver")->type_name("LANE");
    command.add_option("--state", options->state, "Only in this state")
        ->type_name("pending|delivered|dead|cancelled")
        ->check(CLI::IsMember({"pending", "delivered", "dead", "cancelled"}));
    command.add_option("--event", options->event, "Only those that tell of this event")
        ->type_name("ID");
    command.add_option("--before", options->before, "Only ids below this one")->type_name("ID");
    command.add_option("--limit", options->limit, "At most so many, 1 to 1000")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
}

void Grammar::add_delivery_repairs(CLI::App& deliveries) {
    constexpr const char* yes_help = "Do it; without this it only tells what would happen";
    auto again = std::make_shared<DeliveryReplayOptions>();
    CLI::App& replay =
        add(deliveries,
            "replay",
            "Send finished deliveries again, as new ones",
            [=](Invocation& invocation) { return deliveries_replay(invocation, *again); });
    auto* which = replay.add_option_group("which");
    which->add_option("--id", again->id, "This one, whatever became of it")->type_name("ID");
    auto* dead =
        which->add_flag("--dead",
                        all_dead_,
                        "All dead letters that were not replayed, of that queue, lane and range");
    which->require_option(1);
    for (auto* option :
         {replay.add_option("--queue", again->queue, "Only of this queue")->type_name(takes::queue),
          replay.add_option("--lane", again->lane, "Only to this receiver")->type_name("LANE"),
          replay.add_option("--from", again->first_id, "Only of this id and above")
              ->type_name("ID"),
          replay.add_option("--to", again->last_id, "Only of this id and below")->type_name("ID")})
        option->needs(dead);
    replay.add_flag("--yes", again->confirmed, yes_help)->needs(dead);

    auto off = std::make_shared<DeliveryCancelOptions>();
    CLI::App& cancel = add(
        deliveries, "cancel", "Attempt no more what is not finished", [=](Invocation& invocation) {
            return deliveries_cancel(invocation, *off);
        });
    auto* what = cancel.add_option_group("what");
    what->add_option("--id", off->id, "This one")->type_name("ID");
    auto* lane = what->add_option("--lane", off->lane, "All that wait for this receiver")
                     ->type_name("LANE")
                     ->default_str("");
    what->require_option(1);
    auto* of = cancel.add_option("--queue", off->queue, "Whose receiver it is")
                   ->type_name(takes::queue)
                   ->default_str("");
    of->needs(lane);
    lane->needs(of);
    cancel.add_flag("--yes", off->confirmed, yes_help)->needs(lane);
}

}  // namespace radd::cli
