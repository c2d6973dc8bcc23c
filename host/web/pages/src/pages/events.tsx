// The stream, newest first, by what somebody looks for.

import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import { api, query, route } from '../api/client';
import type { EventPage, EventType, RaddEvent } from '../api/types';
import { actor, time } from '../format';
import { Dialog } from '../parts/dialog';
import { EntityLink, EventView, Marks } from '../parts/event_view';
import { ActFailure, useAct } from '../parts/form';
import { Empty, Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { Table, type Column } from '../parts/table';
import { event_path, paths } from '../paths';
import { useLive } from '../state/live';
import { EventFilters, filter_from, type EventFilter } from './event_filters';

const page_rows = 50;

function path_of(filter: EventFilter, before?: string): string {
    return route`/events` + query({ ...filter, limit: page_rows, before });
}

/** Pages that were asked for after the first, which is `first`. */
function Listed({ filter, first, types }: { filter: EventFilter; first: EventPage; types: EventType[] }) {
    const [more, set_more] = useState<EventPage[]>([]);
    const [open, show] = useState<RaddEvent>();
    const act = useAct();
    // The first page is read anew by the button; what was below it may not fit any more.
    useEffect(() => set_more([]), [first]);

    const labels = new Map(types.map(({ type, label }) => [type, label]));
    const pages = [first, ...more];
    const events = pages.flatMap((page) => page.events);
    const before = pages[pages.length - 1]?.next?.before;
    const load = () =>
        act.run(async () => {
            const page = await api<EventPage>(path_of(filter, String(before)));
            set_more((loaded) => [...loaded, page]);
        });

    const columns: Column<RaddEvent>[] = [
        {
            head: 'Event',
            is_title: true,
            class: 'event-id',
            cell: (event) => (
                <button type="button" class="link" onClick={() => show(event)}>
                    {String(event.id)}
                </button>
            ),
        },
        {
            head: 'Type',
            class: 'event-type',
            cell: (event) => (
                <>
                    <span class="line">
                        {event.event_type} <Marks event={event} />
                    </span>
                    <span class="line event-label">{labels.get(event.event_type)}</span>
                </>
            ),
        },
        { head: 'Entity', class: 'event-entity', cell: (event) => <EntityLink type={event.entity_type} id={event.entity_id} /> },
        { head: 'Actor', class: 'actor', cell: (event) => <ActorCell id={event.actor_id} /> },
        { head: 'Occurred', class: 'when', cell: (event) => time(event.occurred_at) },
    ];
    if (events.length === 0 && before === undefined) {
        return (
            <Empty title="No event fits">
                <p>
                    Nothing in the stream is like that. <a href={paths.events}>Show all events</a>
                </p>
            </Empty>
        );
    }
    return (
        <>
            {events.length > 0 && (
                <Table
                    caption="Events, newest first"
                    columns={columns}
                    rows={events}
                    row_key={(event) => String(event.id)}
                    is_dense
                />
            )}
            {/* What no index answers is looked for in so many events at a time. */}
            {events.length === 0 && <p class="hint">Nothing among the newest events is like that.</p>}
            <ActFailure act={act} />
            <div class="pager">
                {before === undefined ? (
                    <p class="hint">That is all.</p>
                ) : (
                    <button type="button" disabled={act.is_running} onClick={() => void load()}>
                        {act.is_running ? 'Loading…' : 'Older events'}
                    </button>
                )}
            </div>
            {open && (
                <Dialog
                    title={`${String(open.id)} · ${open.event_type}`}
                    kind="sheet"
                    on_close={() => show(undefined)}
                >
                    <p>
                        <a href={event_path(open.id)}>This event on a page of its own</a>
                    </p>
                    <EventView event={open} />
                </Dialog>
            )}
        </>
    );
}

function ActorCell({ id }: { id: string | null }) {
    const text = actor(id);
    return <span title={text}>{text.length > 12 ? `${text.slice(0, 8)}…` : text}</span>;
}

export function Events() {
    const search = useSearch();
    const [, navigate] = useLocation();
    const filter = filter_from(search);
    const path = path_of(filter);
    const live = useLive(path, (signal) => api<EventPage>(path, { signal }), null);
    const types = useLive(
        'event types',
        (signal) => api<{ event_types: EventType[] }>(route`/event-types`, { signal }),
        null,
    );
    const event_types = types.data?.event_types ?? [];
    return (
        <Page
            title="Events"
            actions={
                <button type="button" onClick={live.reload}>
                    Read again
                </button>
            }
        >
            <EventFilters
                key={search}
                filter={filter}
                types={event_types}
                on_apply={(chosen) => navigate(paths.events + query({ ...chosen }))}
            />
            <Shown live={live}>
                {(first) => <Listed key={path} filter={filter} first={first} types={event_types} />}
            </Shown>
        </Page>
    );
}
