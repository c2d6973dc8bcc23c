// A delivery in full, and what is asked before deliveries are sent again or given up.

import { api, route } from '../api/client';
import type { DeadLetters, Delivery } from '../api/delivery_types';
import { count, plural, time } from '../format';
import { ConfirmDialog } from '../parts/ask';
import { Dialog } from '../parts/dialog';
import { ActFailure, type Act } from '../parts/form';
import { JsonView } from '../parts/json_view';
import { Notice, Shown } from '../parts/notice';
import { Facts, type Fact } from '../parts/page';
import { event_path } from '../paths';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';

function facts_of(one: Delivery): Fact[] {
    const small = (text: string) => <span class="small-value">{text}</span>;
    return [
        { label: 'Queue', value: small(one.queue), note: `to ${one.lane}` },
        {
            label: 'State',
            value: small(one.under_way ? 'under way' : one.state),
            note: one.finished_at === null ? undefined : time(one.finished_at),
        },
        {
            label: 'Attempts',
            value: count(one.attempts),
            note:
                one.next_attempt_at === null
                    ? one.last_attempt_at !== null && `last ${time(one.last_attempt_at)}`
                    : `next ${time(one.next_attempt_at)}`,
        },
        { label: 'Queued', value: small(time(one.created_at)), note: one.uid },
    ];
}

export function DeliveryDetail({
    delivery,
    act,
    on_close,
    on_replay,
    on_cancel,
}: {
    delivery: Delivery;
    act: Act;
    on_close: () => void;
    on_replay: () => void;
    on_cancel: () => void;
}) {
    const live = useLive(
        `delivery ${String(delivery.id)}`,
        (signal) => api<Delivery>(route`/deliveries/${delivery.id}`, { signal }),
        null,
    );
    return (
        <Dialog title={`Delivery ${String(delivery.id)}`} kind="sheet" on_close={on_close}>
            <Shown live={live}>
                {(one) => (
                    <>
                        <Facts facts={facts_of(one)} />
                        {one.last_error !== null && <p class="error-text">{one.last_error}</p>}
                        {one.replay_of !== null && <p>It repeats delivery {String(one.replay_of)}.</p>}
                        {one.replayed_as !== null && (
                            <p>It was repeated as delivery {String(one.replayed_as)}.</p>
                        )}
                        {one.event_id !== null && (
                            <p>
                                <a href={event_path(one.event_id)}>The event that it tells of</a>
                            </p>
                        )}
                        <ActFailure act={act} />
                        {one.state === 'pending' ? (
                            <p>
                                <button type="button" class="danger" onClick={on_cancel}>
                                    Cancel it
                                </button>
                            </p>
                        ) : (
                            <p>
                                <button type="button" disabled={act.is_running} onClick={on_replay}>
                                    {one.state === 'delivered' ? 'Send it a second time' : 'Send it again'}
                                </button>{' '}
                                as a new delivery: {one.lane} is told anew.
                            </p>
                        )}
                        <JsonView label="Payload" value={one.payload ?? null} />
                    </>
                )}
            </Shown>
        </Dialog>
    );
}

export function CancelDialog({
    delivery,
    on_close,
    on_done,
}: {
    delivery: Delivery;
    on_close: () => void;
    on_done: () => void;
}) {
    const cancel = async () => {
        await api(route`/deliveries/${delivery.id}/cancel`, { method: 'POST', body: {} });
        announce(`Delivery ${String(delivery.id)} is cancelled`);
        on_done();
    };
    return (
        <ConfirmDialog
            title={`Cancel delivery ${String(delivery.id)}`}
            word="Cancel it"
            keep="Keep it"
            is_grave
            on_confirm={cancel}
            on_close={on_close}
        >
            <p>
                {delivery.lane} is not told of it any more. An attempt that is under way may still arrive; a
                replay sends it after all.
            </p>
        </ConfirmDialog>
    );
}

/** Says what would be sent, and sends it. With `lane`: of one receiver alone. */
export function ReplayDead({
    queue,
    lane,
    on_close,
    on_done,
}: {
    queue: string;
    lane?: string;
    on_close: () => void;
    on_done: (replayed: number) => void;
}) {
    const send = (dry_run: boolean, signal?: AbortSignal) =>
        api<DeadLetters>(route`/delivery-queues/${queue}/replay`, {
            method: 'POST',
            body: { dry_run, ...(lane === undefined ? {} : { lane }) },
            ...(signal ? { signal } : {}),
        });
    const live = useLive(`dead ${queue} ${lane ?? ''}`, (signal) => send(true, signal), null);
    const replay = async () => {
        let replayed = 0;
        for (let more = true; more; ) {
            const done = await send(false);
            replayed += done.replayed;
            more = done.more && done.replayed > 0;
        }
        on_done(replayed);
    };
    return (
        <ConfirmDialog
            title={`Replay dead letters of ${queue}`}
            word="Send them again"
            is_blocked={!live.data || live.data.deliveries === 0}
            on_confirm={replay}
            on_close={on_close}
        >
            <Shown live={live}>
                {({ deliveries, lanes, first_id, last_id, more }) =>
                    deliveries === 0 ? (
                        <Notice title="There is nothing to replay" />
                    ) : (
                        <Notice
                            tone="warn"
                            title={`${plural(deliveries, 'delivery', 'deliveries')}${more ? ' or more' : ''} will be sent again`}
                        >
                            To {plural(lanes, 'receiver')}, each as a new delivery with attempts of its own:{' '}
                            {String(first_id)} to {String(last_id)}. What was replayed before is not among them.
                        </Notice>
                    )
                }
            </Shown>
        </ConfirmDialog>
    );
}
