// What has happened to one thing.

import { useState } from 'preact/hooks';

import { api, query, route } from '../api/client';
import type { EventPage, RaddEvent } from '../api/types';
import { actor, time } from '../format';
import { Changes } from '../parts/changes';
import { Marks } from '../parts/event_view';
import { ActFailure, useAct } from '../parts/form';
import { Empty, Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { Watching } from '../parts/watching';
import { event_path } from '../paths';
import { useLive } from '../state/live';
import { has_plugin } from '../state/session';

const page_rows = 50;

interface Named {
    key: string | undefined;
    name: string | undefined;
}

/** What the newest event calls it: the ref that its owner wrote into the payload. */
function named_by(type: string, events: RaddEvent[]): Named {
    for (const event of events) {
        const ref = event.payload?.[type];
        if (typeof ref !== 'object' || ref === null || Array.isArray(ref)) continue;
        const { key, title, name } = ref as Record<string, unknown>;
        const parts = [key, title ?? name].filter((part) => typeof part === 'string');
        if (parts.length > 0)
            return { key: typeof key === 'string' ? key : undefined, name: parts.join(' · ') };
    }
    return { key: undefined, name: undefined };
}

function Entry({ event }: { event: RaddEvent }) {
    return (
        <li>
            <div class="entry-head">
                <a href={event_path(event.id)}>{event.event_type}</a> <Marks event={event} />
                <span class="under">
                    <time dateTime={event.occurred_at}>{time(event.occurred_at)}</time> by{' '}
                    {actor(event.actor_id)}
                </span>
            </div>
            <Changes changes={event.changes} />
        </li>
    );
}

export function Entity({ type, id }: { type: string; id: string }) {
    const path = route`/entities/${type}/${id}/activity`;
    const live = useLive(
        path,
        (signal) => api<EventPage>(path + query({ limit: page_rows }), { signal }),
        null,
    );
    const [more, set_more] = useState<EventPage[]>([]);
    const act = useAct();
    const pages = live.data ? [live.data, ...more] : [];
    const events = pages.flatMap((page) => page.events);
    const before = pages[pages.length - 1]?.next?.before;
    const load = () =>
        act.run(async () => {
            const page = await api<EventPage>(path + query({ limit: page_rows, before: String(before) }));
            set_more((loaded) => [...loaded, page]);
        });
    const { key, name } = named_by(type, events);
    return (
        <Page
            title={`${type} ${id}`}
            intro={name}
            actions={<a href={`/events${query({ entity_type: type, entity_id: id })}`}>As events</a>}
        >
            {type === 'item' && key !== undefined && has_plugin('notify') && (
                <Watching key={key} item_key={key} />
            )}
            <Shown live={live}>
                {() =>
                    events.length === 0 ? (
                        <Empty title="Nothing is known of it">
                            <p>No event in the stream is about it.</p>
                        </Empty>
                    ) : (
                        <>
                            <ol class="timeline">
                                {events.map((event) => (
                                    <Entry key={String(event.id)} event={event} />
                                ))}
                            </ol>
                            <ActFailure act={act} />
                            {before !== undefined && (
                                <div class="pager">
                                    <button
                                        type="button"
                                        disabled={act.is_running}
                                        onClick={() => void load()}
                                    >
                                        Older
                                    </button>
                                </div>
                            )}
                        </>
                    )
                }
            </Shown>
        </Page>
    );
}
