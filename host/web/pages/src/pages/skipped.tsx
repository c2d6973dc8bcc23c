// Events that a consumer has passed without their effect, and trying them again.

import { useState } from 'preact/hooks';

import { api, query, route } from '../api/client';
import type { SkippedEvent, SkippedPage } from '../api/types';
import { count, plural, time } from '../format';
import { Dialog } from '../parts/dialog';
import { ActFailure, useAct } from '../parts/form';
import { JsonView } from '../parts/json_view';
import { Empty, Shown } from '../parts/notice';
import { Facts } from '../parts/page';
import { Pager } from '../parts/pager';
import { RowButton, Table, type Column } from '../parts/table';
import { Tag } from '../parts/chip';
import { event_path } from '../paths';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';

const page_rows = 50;

const phases: Record<SkippedEvent['phase'], string> = {
    plan: 'planning failed and was undone',
    deliver: 'planned and committed, and the delivery failed',
    quarantine: 'its planning has ended the process too often',
    sweep: 'what hung on it was swept but for what is named here',
};

function Detail({ skipped, on_close }: { skipped: SkippedEvent; on_close: () => void }) {
    return (
        <Dialog title={`Skipped event ${String(skipped.event_id)}`} kind="sheet" on_close={on_close}>
            <Facts
                facts={[
                    { label: 'Type', value: <span class="small-value">{skipped.event_type}</span> },
                    { label: 'Phase', value: <span class="small-value">{skipped.phase}</span>, note: phases[skipped.phase] },
                    { label: 'Attempts', value: count(skipped.attempts) },
                    {
                        label: 'Plugin',
                        value: <span class="small-value">{`${skipped.plugin} ${skipped.plugin_version}`}</span>,
                        note: time(skipped.skipped_at),
                    },
                ]}
            />
            <p class="error-text">{skipped.error}</p>
            <p>
                <a href={event_path(skipped.event_id)}>The event in the stream</a>
            </p>
            <JsonView label="Copy of the event" value={skipped.event} />
        </Dialog>
    );
}

export function Skipped({ name, open, on_done }: { name: string; open: number; on_done: () => void }) {
    const [before, set_before] = useState<string[]>([]);
    const [shown, show] = useState<SkippedEvent>();
    const act = useAct();
    const from = before[before.length - 1];
    const path = route`/consumers/${name}/skipped` + query({ limit: page_rows, before: from });
    // Read anew when their number changes, and while there are some, since retries resolve them.
    const live = useLive(
        `${path} ${open}`,
        (signal) => api<SkippedPage>(path, { signal }),
        open > 0 ? refresh_ms * 2 : null,
    );

    const retry = (body: { event_id: unknown } | { all: true }) =>
        act.run(async () => {
            const { requested } = await api<{ requested: number }>(route`/consumers/${name}/retry`, {
                method: 'POST',
                body,
            });
            announce(`${plural(requested, 'event')} will be planned again`);
            live.reload();
            on_done();
        });

    const columns: Column<SkippedEvent>[] = [
        {
            head: 'Event',
            is_title: true,
            cell: (row) => (
                <>
                    <button type="button" class="link" onClick={() => show(row)}>
                        {String(row.event_id)}
                    </button>
                    <span class="under">{row.event_type}</span>
                </>
            ),
        },
        { head: 'Phase', cell: (row) => <span title={phases[row.phase]}>{row.phase}</span> },
        { head: 'Error', class: 'wide', cell: (row) => <span class="error-text">{row.error}</span> },
        { head: 'Attempts', is_number: true, cell: (row) => count(row.attempts) },
        { head: 'Skipped', class: 'when', cell: (row) => time(row.skipped_at) },
        {
            head: 'Retry',
            is_action: true,
            cell: (row) =>
                row.retry_requested ? (
                    <Tag>requested</Tag>
                ) : (
                    <RowButton
                        label={`Retry event ${String(row.event_id)}`}
                        disabled={act.is_running}
                        on_click={() => void retry({ event_id: row.event_id })}
                    >
                        Retry
                    </RowButton>
                ),
        },
    ];
    return (
        <Shown live={live}>
            {({ skipped_events, next }) => (
                <>
                    <ActFailure act={act} />
                    {skipped_events.length === 0 ? (
                        <Empty title="Nothing was skipped" />
                    ) : (
                        <>
                            <div class="toolbar">
                                <p>
                                    Passed without their effect. A retry plans them again, outside the cursor.
                                </p>
                                <button
                                    type="button"
                                    disabled={act.is_running}
                                    onClick={() => void retry({ all: true })}
                                >
                                    Retry all
                                </button>
                            </div>
                            <Table
                                caption={`Events that ${name} has skipped`}
                                columns={columns}
                                rows={skipped_events}
                                row_key={(row) => String(row.id)}
                            />
                        </>
                    )}
                    <Pager
                        before={before}
                        next={next ? String(next.before) : undefined}
                        on_turn={set_before}
                    />
                    {shown && <Detail skipped={shown} on_close={() => show(undefined)} />}
                </>
            )}
        </Shown>
    );
}
