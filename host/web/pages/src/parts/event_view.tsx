// One event, whole.

import type { RaddEvent } from '../api/types';
import { actor, time } from '../format';
import { entity_path } from '../paths';
import { Changes } from './changes';
import { Tag } from './chip';
import { JsonView } from './json_view';

export function Marks({ event }: { event: RaddEvent }) {
    return (
        <>
            {event.silent && <Tag>silent</Tag>}
            {event.automated_cause !== null && <Tag>automated</Tag>}
        </>
    );
}

export function EntityLink({ type, id }: { type: string; id: string }) {
    return (
        <a href={entity_path(type, id)}>
            {type} {id}
        </a>
    );
}

export function EventView({ event }: { event: RaddEvent }) {
    return (
        <>
            <dl class="lines">
                <dt>Entity</dt>
                <dd>
                    <EntityLink type={event.entity_type} id={event.entity_id} />
                </dd>
                <dt>Actor</dt>
                <dd>{actor(event.actor_id)}</dd>
                <dt>Occurred</dt>
                <dd>{time(event.occurred_at)}</dd>
                <dt>Recorded</dt>
                <dd>{time(event.recorded_at)}</dd>
                {event.project_id !== null && (
                    <>
                        <dt>Project</dt>
                        <dd>{String(event.project_id)}</dd>
                    </>
                )}
                {event.silent && (
                    <>
                        <dt>Silent</dt>
                        <dd>part of a bulk import; nobody outside is told</dd>
                    </>
                )}
                {event.automated_cause !== null && (
                    <>
                        <dt>Caused by</dt>
                        <dd>{event.automated_cause}</dd>
                    </>
                )}
                {event.traceparent !== null && (
                    <>
                        <dt>Trace</dt>
                        <dd>
                            <code>{event.traceparent}</code>
                        </dd>
                    </>
                )}
            </dl>
            <Changes changes={event.changes} />
            <JsonView label="Payload" value={event.payload} />
        </>
    );
}
