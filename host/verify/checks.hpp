#pragma once

/// What `radd verify` looks for, each with a name that does not change.

#include <array>
#include <string_view>

namespace radd::verify {

/// One way in which tables can contradict what was promised.
struct Check {
    std::string_view name;
    std::string_view found;   ///< What is wrong, after "CONSUMER: " or "QUEUE: ".
    std::string_view remedy;  ///< With NAME where the subject belongs.
};

namespace check {

inline constexpr Check receipt_count{
    "receipt_count",
    "its receipt counts another number of events than the stream has between seed and cursor, less "
    "the skipped",
    "events were passed without being handled, handled twice, or rows were changed by hand; "
    "`radd consumers seek NAME beginning` replays what a projection builds"};
inline constexpr Check receipt_hash{
    "receipt_hash",
    "its receipt counts as many events as the stream has, but not the same ones",
    "one event was handled twice where another was lost, or ids were changed by hand; "
    "`radd consumers seek NAME beginning` replays what a projection builds"};
inline constexpr Check cursor_beyond_head{
    "cursor_beyond_head",
    "its cursor lies beyond the last id that was drawn",
    "an older backup was restored, or the cursor was written by hand; `radd consumers seek NAME "
    "head` or an id lets it go on"};
inline constexpr Check cursor_before_seed{
    "cursor_before_seed",
    "its cursor lies before the place where its receipt begins",
    "the cursor was written by hand; `radd consumers seek NAME` with an id begins a new receipt"};
inline constexpr Check cursor_without_event{
    "cursor_without_event",
    "its cursor is the id of no event, and cursors move to events alone",
    "the cursor was written by hand or the event was deleted; `radd consumers seek NAME` with an "
    "id begins a new receipt"};
inline constexpr Check lease_orphan{
    "lease_orphan",
    "its owner's lease has run out and nobody has taken it over",
    "start a host that has the plugin, or see in its log why it does not take over"};
inline constexpr Check lease_without_owner{
    "lease_without_owner",
    "it has a lease that is in force and no owner",
    "the row was written by hand; `radd consumers pause NAME` and `resume` clear it"};
inline constexpr Check skip_without_consumer{
    "skip_without_consumer",
    "events are recorded as skipped by a consumer that has no row",
    "the row was deleted by hand; declare the consumer again, or delete the records"};
inline constexpr Check skip_beyond_cursor{
    "skip_beyond_cursor",
    "events are recorded as skipped that its cursor has not passed",
    "the cursor was set back by hand; `radd consumers seek NAME` with an id settles the records"};
inline constexpr Check skip_without_event{
    "skip_without_event",
    "events are recorded as skipped that are not in the stream",
    "events were deleted by hand; the copy in the record is all that is left"};
inline constexpr Check skip_copy_differs{
    "skip_copy_differs",
    "the copy beside the record differs from the event, and a retry would plan the copy",
    "events are append-only: find who changed one, and set the copy right before a retry"};
inline constexpr Check delivery_without_event{
    "delivery_without_event",
    "deliveries tell of events that are not in the stream",
    "events were deleted by hand, or the plugin queued an id that it made up"};
inline constexpr Check delivery_state{
    "delivery_state",
    "the state of deliveries contradicts their attempts or their claim",
    "rows were written by hand; `radd deliveries replay --id` queues one that must arrive again"};
inline constexpr Check delivery_replay{
    "delivery_replay",
    "deliveries are said to repeat one that is of another queue, not finished, or younger",
    "rows were written by hand; `radd deliveries show` shows them"};
inline constexpr Check sequence_set_back{
    "sequence_set_back",
    "the id sequence is behind rows of the stream, so that new events would land below cursors",
    "stop all writers and start a host, which sets the sequence forward and says so"};
inline constexpr Check settled_beyond_head{
    "settled_beyond_head",
    "the stream is said to be settled beyond the last id that was drawn",
    "an older backup of the sequence was restored; radd.settle() names the setval() to run"};

}  // namespace check

inline constexpr std::array all_checks{&check::receipt_count,
                                       &check::receipt_hash,
                                       &check::cursor_beyond_head,
                                       &check::cursor_before_seed,
                                       &check::cursor_without_event,
                                       &check::lease_orphan,
                                       &check::lease_without_owner,
                                       &check::skip_without_consumer,
                                       &check::skip_beyond_cursor,
                                       &check::skip_without_event,
                                       &check::skip_copy_differs,
                                       &check::delivery_without_event,
                                       &check::delivery_state,
                                       &check::delivery_replay,
                                       &check::sequence_set_back,
                                       &check::settled_beyond_head};

/// Empty if no check is called so.
[[nodiscard]] const Check* find_check(std::string_view name) noexcept;

}  // namespace radd::verify
