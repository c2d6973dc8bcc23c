import { api, route } from '../api/client';
import type { RaddEvent } from '../api/types';
import { EventView } from '../parts/event_view';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { useLive } from '../state/live';

export function EventPage({ id }: { id: string }) {
    const live = useLive(
        `event ${id}`,
        (signal) => api<RaddEvent>(route`/events/${id}`, { signal }),
        null,
    );
    return (
        <Page
            title={`Event ${id}`}
            heading={
                <>
                    Event {id} {live.data && <span class="beside">{live.data.event_type}</span>}
                </>
            }
            intro={<a href="/events">All events</a>}
        >
            <Shown live={live}>{(event) => <EventView event={event} />}</Shown>
        </Page>
    );
}
