// What must arrive and has not: queues, dead letters with their reasons, and sending them again.

import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import { api, query, route } from '../api/client';
import type { Delivery, DeliveryPage, DeliveryQueue } from '../api/delivery_types';
import { count, plural, span, time } from '../format';
import { DeliveryChip } from '../parts/chip';
import { ActFailure, Select, useAct } from '../parts/form';
import { Shown } from '../parts/notice';
import { Page, Section } from '../parts/page';
import { Pager } from '../parts/pager';
import { RowButton, Table, type Column } from '../parts/table';
import { deliveries_path, event_path, webhook_path } from '../paths';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';
import { CancelDialog, DeliveryDetail, ReplayDead } from './delivery_dialogs';

const page_rows = 50;

/** A receiver, as people know it: the lane of a webhook is its endpoint's id. */
function Receiver({ of }: { of: Delivery }) {
    if (of.queue !== 'webhooks.deliveries') return <>{of.lane}</>;
    return <a href={webhook_path(Number(of.lane))}>endpoint {of.lane}</a>;
}

function counted(queue: DeliveryQueue, value: number): string {
    return queue.approximate && value >= 10_000 ? `${count(value)}+` : count(value);
}

/** What is shown of queues; with a column for sending dead letters again if `replay` does that. */
export function queue_columns(replay?: (queue: DeliveryQueue) => void): Column<DeliveryQueue>[] {
    const columns: Column<DeliveryQueue>[] = [
        {
            head: 'Queue',
            is_title: true,
            cell: (queue) => <a href={deliveries_path({ queue: queue.name })}>{queue.name}</a>,
        },
        { head: 'Pending', is_number: true, cell: (queue) => counted(queue, queue.pending) },
        {
            head: 'Due',
            is_number: true,
            cell: (queue) => (
                <>
                    {counted(queue, queue.due)}
                    {queue.oldest_due_s !== null && queue.oldest_due_s > 0 && (
                        <span class="under">for {span(queue.oldest_due_s)}</span>
                    )}
                </>
            ),
        },
        { head: 'Under way', is_number: true, cell: (queue) => count(queue.under_way) },
        {
            head: 'Dead',
            is_number: true,
            cell: (queue) =>
                queue.dead === 0 ? (
                    '0'
                ) : (
                    <a class="bad-text" href={deliveries_path({ queue: queue.name, state: 'dead' })}>
                        {counted(queue, queue.dead)}
                    </a>
                ),
        },
    ];
    if (replay) {
        columns.push({
            head: 'Replay',
            is_action: true,
            cell: (queue) =>
                queue.dead > 0 && (
                    <RowButton label={`Replay dead letters of ${queue.name}`} on_click={() => replay(queue)}>
                        Replay dead
                    </RowButton>
                ),
        });
    }
    return columns;
}

function reason(row: Delivery) {
    if (row.state === 'pending' && row.next_attempt_at !== null) {
        return (
            <>
                {row.last_error !== null && <span class="error-text">{row.last_error}</span>}
                <span class="under">next attempt {time(row.next_attempt_at)}</span>
            </>
        );
    }
    if (row.last_error === null) return '–';
    return row.state === 'dead' ? <span class="error-text">{row.last_error}</span> : row.last_error;
}

function List({ filter, mark }: { filter: Record<string, string>; mark: string }) {
    const [before, set_before] = useState<string[]>([]);
    const [shown, show] = useState<Delivery>();
    const [ending, end] = useState<Delivery>();
    const act = useAct();
    const path =
        route`/deliveries` + query({ limit: page_rows, before: before[before.length - 1], ...filter });
    const live = useLive(
        `${path} ${mark}`,
        (signal) => api<DeliveryPage>(path, { signal }),
        refresh_ms * 2,
    );
    const replay = (row: Delivery) =>
        act.run(async () => {
            const { replayed_as } = await api<{ replayed_as: unknown }>(
                route`/deliveries/${row.id}/replay`,
                { method: 'POST', body: {} },
            );
            announce(`Delivery ${String(row.id)} is queued again as ${String(replayed_as)}`);
            show(undefined);
            live.reload();
        });
    const columns: Column<Delivery>[] = [
        {
            head: 'Delivery',
            is_title: true,
            cell: (row) => (
                <>
                    <button type="button" class="link" onClick={() => show(row)}>
                        {String(row.id)}
                    </button>
                    <span class="under">{row.queue}</span>
                </>
            ),
        },
        { head: 'To', cell: (row) => <Receiver of={row} /> },
        {
            head: 'State',
            cell: (row) => (
                <>
                    <DeliveryChip delivery={row} />
                    {row.replayed_as !== null && (
                        <span class="under">replayed as {String(row.replayed_as)}</span>
                    )}
                </>
            ),
        },
        { head: 'Attempts', is_number: true, cell: (row) => count(row.attempts) },
        { head: 'Reason', class: 'wide', cell: reason },
        {
            head: 'Event',
            is_number: true,
            cell: (row) =>
                row.event_id === null ? (
                    '–'
                ) : (
                    <a href={event_path(row.event_id)}>{String(row.event_id)}</a>
                ),
        },
        { head: 'Queued', class: 'when', cell: (row) => time(row.created_at) },
    ];
    return (
        <Shown live={live}>
            {({ deliveries, next }) => (
                <>
                    <ActFailure act={act} />
                    <Table
                        caption="Deliveries, the newest first"
                        columns={columns}
                        rows={deliveries}
                        row_key={(row) => String(row.id)}
                        empty="No delivery is like that"
                    />
                    <Pager
                        before={before}
                        next={next ? String(next.before) : undefined}
                        on_turn={set_before}
                    />
                    {shown && (
                        <DeliveryDetail
                            delivery={shown}
                            act={act}
                            on_close={() => show(undefined)}
                            on_replay={() => void replay(shown)}
                            on_cancel={() => {
                                end(shown);
                                show(undefined);
                            }}
                        />
                    )}
                    {ending && (
                        <CancelDialog
                            delivery={ending}
                            on_close={() => end(undefined)}
                            on_done={() => {
                                end(undefined);
                                live.reload();
                            }}
                        />
                    )}
                </>
            )}
        </Shown>
    );
}

export function Deliveries() {
    const [, navigate] = useLocation();
    const chosen = new URLSearchParams(useSearch());
    const filter: Record<string, string> = {};
    for (const name of ['queue', 'lane', 'state']) {
        const value = chosen.get(name);
        if (value) filter[name] = value;
    }
    const [replaying, replay] = useState<DeliveryQueue>();
    const live = useLive('delivery-queues', (signal) =>
        api<{ delivery_queues: DeliveryQueue[] }>(route`/delivery-queues`, { signal }),
    );
    const choose = (name: string, value: string) => {
        const next = { ...filter };
        if (value) next[name] = value;
        else delete next[name];
        navigate(deliveries_path(next));
    };
    const choice = (name: string) => filter[name] ?? '';
    return (
        <Page
            title="Deliveries"
            intro="What must arrive though its receiver is away: tried again by its queue’s schedule, and a dead letter when that is used up."
        >
            <Shown live={live}>
                {({ delivery_queues }) => (
                    <>
                        <Section title="Queues">
                            <Table
                                caption="Delivery queues"
                                columns={queue_columns(replay)}
                                rows={delivery_queues}
                                row_key={(queue) => queue.name}
                                empty="Nothing was ever queued here"
                            />
                        </Section>
                        <Section title="Latest">
                            <div class="toolbar choices">
                                <Select
                                    label="Queue"
                                    value={choice('queue')}
                                    on_change={(value) => choose('queue', value)}
                                    options={[
                                        ['', 'all'],
                                        ...delivery_queues.map(({ name }): [string, string] => [name, name]),
                                    ]}
                                />
                                <Select
                                    label="State"
                                    value={choice('state')}
                                    on_change={(value) => choose('state', value)}
                                    options={[
                                        ['', 'all'],
                                        ['pending', 'pending'],
                                        ['dead', 'dead'],
                                        ['delivered', 'delivered'],
                                        ['cancelled', 'cancelled'],
                                    ]}
                                />
                                {filter['lane'] && (
                                    <p>
                                        Only to {filter['lane']}.{' '}
                                        <button type="button" class="link" onClick={() => choose('lane', '')}>
                                            Show all receivers
                                        </button>
                                    </p>
                                )}
                            </div>
                            <List
                                key={query(filter)}
                                filter={filter}
                                mark={String(
                                    delivery_queues.reduce((sum, { pending, dead }) => sum + pending + dead, 0),
                                )}
                            />
                        </Section>
                    </>
                )}
            </Shown>
            {replaying && (
                <ReplayDead
                    queue={replaying.name}
                    on_close={() => replay(undefined)}
                    on_done={(replayed) => {
                        announce(`${plural(replayed, 'delivery', 'deliveries')} queued again`);
                        replay(undefined);
                        live.reload();
                    }}
                />
            )}
        </Page>
    );
}
