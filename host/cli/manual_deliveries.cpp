// The pages of the manual for `radd deliveries …`.

#include <host/cli/manual.hpp>

namespace radd::cli {

const std::vector<ManualPage>& delivery_pages() {
    static const std::vector<ManualPage> pages{
        {"deliveries",
         "What must arrive though its receiver is away for hours: webhooks, and whatever else a "
         "plugin queues. Each is attempted by its queue's schedule, at least once, and becomes a "
         "dead letter when that is used up. A queue has lanes, one a receiver, so that one that "
         "does not answer delays no other.\n\n"
         "These commands work on the database alone: they need no running host, and one that runs "
         "takes what they queue within a second.",
         {{"radd deliveries queues", "Is there something to worry about?"},
          {"radd deliveries list --state dead", "What was given up, and why."}}},
        {"deliveries queues",
         "One line for each queue that has deliveries. DUE is what an attempt should have been "
         "made of by now, OLDEST for how long; UNDER WAY is being attempted; DEAD counts dead "
         "letters that nobody has replayed. More than 10000 are not counted and marked +.",
         {{"radd deliveries queues", "A table."},
          {"radd deliveries queues --json", "The same for programs."}}},
        {"deliveries lanes",
         "One line for each receiver that something waits or has died for, those with most dead "
         "letters first, 500 at most. NEXT is when the first of what waits is attempted, in UTC.",
         {{"radd deliveries lanes webhooks.deliveries",
           "Which endpoints are behind. A lane of this queue is an endpoint's id."}}},
        {"deliveries list",
         "STATE: pending - to be attempted, at NEXT, or now. delivered - its receiver has taken "
         "it. dead - given up; REASON tells why. cancelled - nobody wanted it any more. Rows of "
         "what is finished are removed after thirty days, unless its plugin says otherwise.",
         {{"radd deliveries list --state dead --queue webhooks.deliveries", "Dead letters."},
          {"radd deliveries list --event 4812", "Who was told of event 4812."},
          {"radd deliveries list --before 4812 --limit 100", "The next page."}}},
        {"deliveries show",
         "Prints every field of one delivery, and its payload as it was queued.",
         {{"radd deliveries show 4812", "For people."},
          {"radd deliveries show 4812 --json", "One JSON object, numbers exact."}}},
        {"deliveries replay",
         "Makes new deliveries of what is finished, with attempts and an identity of their own: a "
         "receiver sees them as new. A dead letter is replayed by --dead once; --id repeats any "
         "finished delivery, as often as it is asked. Without --yes, --dead only tells how many "
         "would be sent, and to how many receivers.",
         {{"radd deliveries replay --id 4812", "Sends this one again."},
          {"radd deliveries replay --dead", "How many dead letters are there?"},
          {"radd deliveries replay --dead --queue webhooks.deliveries --lane 7 --yes",
           "All that died of one receiver, which is back."},
          {"radd deliveries replay --dead --queue chat.posts --from 4800 --to 4900",
           "How many of a range?"}}},
        {"deliveries cancel",
         "What is cancelled is attempted no more and is no dead letter; an attempt that is under "
         "way may still arrive. `replay --id` sends it after all.",
         {{"radd deliveries cancel --id 4812", "This one."},
          {"radd deliveries cancel --queue webhooks.deliveries --lane 7 --yes",
           "All that wait for one receiver."}}},
    };
    return pages;
}

}  // namespace radd::cli
