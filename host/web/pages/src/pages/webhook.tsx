// One endpoint: whether it is told, every attempt, and sending again what did not arrive.

import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { api, query, route } from '../api/client';
import type { WebhookAttempt, WebhookEndpoint } from '../api/delivery_types';
import { count, plural, span, time } from '../format';
import { Tag } from '../parts/chip';
import { ActFailure, useAct } from '../parts/form';
import { Notice, Shown } from '../parts/notice';
import { Facts, Page, Section, type Fact } from '../parts/page';
import { Pager } from '../parts/pager';
import { SecretDialog } from '../parts/secret';
import { Table, type Column } from '../parts/table';
import { deliveries_path, paths } from '../paths';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';
import { ReplayDead } from './delivery_dialogs';
import { DeleteDialog, EndpointDialog, RotateDialog } from './webhook_dialogs';
import { EndpointState } from './webhooks';

const queue = 'webhooks.deliveries';
const page_rows = 100;

const tones: Record<WebhookAttempt['outcome'], string> = {
    delivered: 'good',
    failed: 'warn',
    dead: 'bad',
    cancelled: 'off',
};

const columns: Column<WebhookAttempt>[] = [
    { head: 'At', is_title: true, class: 'when', cell: (one) => time(one.at) },
    { head: 'Delivery', is_number: true, cell: (one) => String(one.delivery_id) },
    { head: 'Attempt', is_number: true, cell: (one) => count(one.attempt) },
    {
        head: 'Outcome',
        cell: (one) => <span class={`chip ${tones[one.outcome]}`}>{one.outcome}</span>,
    },
    { head: 'Answer', class: 'wide', cell: (one) => one.detail },
    { head: 'Took', is_number: true, cell: (one) => span(one.took_ms / 1000) },
];

function Attempts({ id }: { id: string }) {
    const [before, set_before] = useState<string[]>([]);
    const path = route`/webhooks/${id}/attempts` + query({ before: before[before.length - 1] });
    const live = useLive(
        path,
        (signal) => api<{ attempts: WebhookAttempt[] }>(path, { signal }),
        refresh_ms * 2,
    );
    return (
        <Shown live={live}>
            {({ attempts }) => {
                const last = attempts[attempts.length - 1];
                const is_full = last !== undefined && attempts.length === page_rows;
                return (
                    <>
                        <Table
                            caption="Attempts, the latest first"
                            columns={columns}
                            rows={attempts}
                            row_key={(one) => String(one.id)}
                            empty="There was no attempt yet"
                        />
                        <Pager
                            before={before}
                            next={is_full ? String(last.id) : undefined}
                            on_turn={set_before}
                        />
                    </>
                );
            }}
        </Shown>
    );
}

function facts_of(endpoint: WebhookEndpoint): Fact[] {
    const { event_types, entity_types, project_ids } = endpoint;
    const narrowed = [
        entity_types.length > 0 ? `about ${entity_types.join(', ')}` : '',
        project_ids.length > 0 ? `of projects ${project_ids.map(String).join(', ')}` : '',
    ].filter(Boolean);
    return [
        { label: 'State', value: <EndpointState endpoint={endpoint} /> },
        {
            label: 'Told of',
            value:
                event_types.length === 0
                    ? 'everything'
                    : event_types.map((type) => <Tag key={type}>{type}</Tag>),
            note: narrowed.join(', ') || undefined,
        },
        {
            label: 'Body',
            value: endpoint.format === 'plain' ? 'plain JSON' : 'CloudEvents',
            note:
                endpoint.old_secret_until === null
                    ? undefined
                    : `the old secret signs until ${time(endpoint.old_secret_until)}`,
        },
    ];
}

type Asked = 'change' | 'rotate' | 'delete' | 'replay';

function Endpoint({ endpoint, on_done }: { endpoint: WebhookEndpoint; on_done: () => void }) {
    const [, navigate] = useLocation();
    const [asked, ask] = useState<Asked>();
    const [secret, set_secret] = useState('');
    const act = useAct();
    const close = () => ask(undefined);
    const turn = (enabled: boolean) =>
        act.run(async () => {
            await api(route`/webhooks/${endpoint.id}`, { method: 'PATCH', body: { enabled } });
            announce(`${endpoint.name} is ${enabled ? 'on' : 'off'}`);
            on_done();
        });
    return (
        <>
            {!endpoint.enabled && (
                <Notice tone="warn" title={`Off since ${time(endpoint.disabled_at ?? '')}`}>
                    {endpoint.disabled_reason}. Nothing is queued for it until it is switched on; what happens
                    meanwhile it is not told of.
                </Notice>
            )}
            <ActFailure act={act} />
            <Facts facts={facts_of(endpoint)} />
            <div class="toolbar choices">
                <button type="button" disabled={act.is_running} onClick={() => void turn(!endpoint.enabled)}>
                    {endpoint.enabled ? 'Switch off' : 'Switch on'}
                </button>
                <button type="button" onClick={() => ask('change')}>
                    Change
                </button>
                <button type="button" onClick={() => ask('rotate')}>
                    New secret
                </button>
                <button type="button" onClick={() => ask('replay')}>
                    Replay dead
                </button>
                <button type="button" class="danger" onClick={() => ask('delete')}>
                    Delete
                </button>
            </div>
            {asked === 'change' && (
                <EndpointDialog
                    endpoint={endpoint}
                    on_close={close}
                    on_done={() => {
                        announce(`${endpoint.name} is changed`);
                        close();
                        on_done();
                    }}
                />
            )}
            {asked === 'rotate' && (
                <RotateDialog
                    endpoint={endpoint}
                    on_close={close}
                    on_done={(fresh) => {
                        set_secret(fresh);
                        close();
                        on_done();
                    }}
                />
            )}
            {asked === 'delete' && (
                <DeleteDialog endpoint={endpoint} on_close={close} on_done={() => navigate(paths.webhooks)} />
            )}
            {asked === 'replay' && (
                <ReplayDead
                    queue={queue}
                    lane={String(endpoint.id)}
                    on_close={close}
                    on_done={(replayed) => {
                        announce(`${plural(replayed, 'delivery', 'deliveries')} queued again`);
                        close();
                    }}
                />
            )}
            {secret && (
                <SecretDialog title={endpoint.name} secret={secret} on_close={() => set_secret('')}>
                    <p>This is the new secret. It is shown now and never again.</p>
                </SecretDialog>
            )}
        </>
    );
}

export function WebhookPage({ id }: { id: string }) {
    const live = useLive(
        `webhook ${id}`,
        (signal) => api<WebhookEndpoint>(route`/webhooks/${id}`, { signal }),
        refresh_ms * 2,
    );
    const name = live.data?.name ?? `Endpoint ${id}`;
    return (
        <Page title={name} intro={live.data && <span class="small-value">{live.data.url}</span>}>
            <Shown live={live}>
                {(endpoint) => (
                    <>
                        <Endpoint endpoint={endpoint} on_done={live.reload} />
                        <Section
                            title="Attempts"
                            aside={<a href={deliveries_path({ queue, lane: id })}>Its deliveries</a>}
                        >
                            <Attempts id={id} />
                        </Section>
                    </>
                )}
            </Shown>
        </Page>
    );
}
