// Where other systems are told of events.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { WebhookEndpoint } from '../api/delivery_types';
import { time } from '../format';
import { Tag } from '../parts/chip';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { SecretDialog } from '../parts/secret';
import { Table, type Column } from '../parts/table';
import { webhook_path } from '../paths';
import { refresh_ms, useLive } from '../state/live';
import { EndpointDialog } from './webhook_dialogs';

/** Whether it is told, and why not. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
    if (!endpoint.enabled) {
        return (
            <>
                <span class="chip off">off</span>
                <span class="under">{endpoint.disabled_reason}</span>
            </>
        );
    }
    if (endpoint.failing_since === null) return <span class="chip good">on</span>;
    return (
        <>
            <span class="chip warn">failing</span>
            <span class="under">since {time(endpoint.failing_since)}</span>
        </>
    );
}

const columns: Column<WebhookEndpoint>[] = [
    {
        head: 'Endpoint',
        is_title: true,
        cell: (endpoint) => <a href={webhook_path(endpoint.id)}>{endpoint.name}</a>,
    },
    { head: 'URL', class: 'wide', cell: (endpoint) => <span class="small-value">{endpoint.url}</span> },
    { head: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    {
        head: 'Told of',
        cell: (endpoint) =>
            endpoint.event_types.length === 0
                ? 'everything'
                : endpoint.event_types.map((type) => <Tag key={type}>{type}</Tag>),
    },
    { head: 'Made', class: 'when', cell: (endpoint) => time(endpoint.created_at) },
];

export function Webhooks() {
    const live = useLive(
        'webhooks',
        (signal) => api<{ endpoints: WebhookEndpoint[] }>(route`/webhooks`, { signal }),
        refresh_ms * 2,
    );
    const [is_new, set_new] = useState(false);
    const [made, set_made] = useState<WebhookEndpoint>();
    return (
        <Page
            title="Webhooks"
            intro="Other systems are told of events by signed HTTP requests, at least once each."
            actions={
                <button type="button" class="main" onClick={() => set_new(true)}>
                    New endpoint
                </button>
            }
        >
            <Shown live={live}>
                {({ endpoints }) => (
                    <Table
                        caption="Webhook endpoints"
                        columns={columns}
                        rows={endpoints}
                        row_key={(endpoint) => String(endpoint.id)}
                        empty="There is no endpoint yet"
                    />
                )}
            </Shown>
            {is_new && (
                <EndpointDialog
                    on_close={() => set_new(false)}
                    on_done={(endpoint) => {
                        set_new(false);
                        set_made(endpoint);
                        live.reload();
                    }}
                />
            )}
            {made?.secret && (
                <SecretDialog title={made.name} secret={made.secret} on_close={() => set_made(undefined)}>
                    <p>
                        The receiver verifies with this secret that a request is from here. It is shown now and
                        never again.
                    </p>
                </SecretDialog>
            )}
        </Page>
    );
}
