// Whether everything keeps up.

import type { Consumer, Holder, Overview, RefusedPlugin } from '../api/types';
import { ago, bytes, count, counted, owner, plural, rate, span } from '../format';
import { StateChip } from '../parts/chip';
import { Empty, Notice, Shown } from '../parts/notice';
import { Facts, Page, Section, type Fact } from '../parts/page';
import { Plot } from '../parts/plot';
import { Problems } from '../parts/problems';
import { Spark } from '../parts/spark';
import { Table, type Column } from '../parts/table';
import { consumer_path, paths } from '../paths';
import { useLive } from '../state/live';
import { catch_up, read_overview, recorded, recorder } from '../state/recorder';
import { queue_columns } from './deliveries';

/** Who holds the stream, and what that means. */
export function HolderNotice({ holder }: { holder: Holder }) {
    const who = holder.pid === null ? 'A prepared transaction' : `The transaction of process ${holder.pid}`;
    return (
        <Notice tone="warn" title="The stream waits for an open transaction">
            <p>
                {who}
                {holder.application_name && ` (${holder.application_name})`} has drawn an event id and has
                been open for {span(holder.age_ms / 1000)}. Nothing behind event {String(holder.event_id)} is
                read before it ends, because it may still commit in front of that.
            </p>
            {holder.query && (
                <pre tabIndex={0} role="region" aria-label="Its last statement">
                    {holder.query}
                </pre>
            )}
            {holder.pid !== null && (
                <p>
                    If nobody needs it any more: <code>SELECT pg_terminate_backend({holder.pid});</code>
                </p>
            )}
        </Notice>
    );
}

function Progress({ consumer }: { consumer: Consumer }) {
    const found = consumer.state === 'catching_up' ? catch_up(consumer) : undefined;
    if (!found) return null;
    return (
        <span class="under">
            {rate(found.per_second)}/s
            {found.left_s !== undefined && `, about ${span(found.left_s)} left`}
        </span>
    );
}

const columns: Column<Consumer>[] = [
    {
        head: 'Consumer',
        is_title: true,
        cell: (consumer) => (
            <>
                <a href={consumer_path(consumer.name)}>{consumer.name}</a>
                <span class="under">{consumer.plugin}</span>
            </>
        ),
    },
    {
        head: 'State',
        cell: (consumer) => (
            <>
                <StateChip state={consumer.state} />
                <Progress consumer={consumer} />
                {consumer.overdue_event_id !== null && (
                    <span class="under bad-text">
                        {consumer.kind === 'task'
                            ? 'tick overdue'
                            : `event ${String(consumer.overdue_event_id)} overdue`}
                    </span>
                )}
            </>
        ),
    },
    {
        head: 'Lag',
        is_number: true,
        cell: (consumer) => counted(consumer.lag, consumer.approximate),
    },
    {
        head: 'Last minutes',
        class: 'spark-cell',
        cell: (consumer) => <Spark values={recorder.tracks.get(consumer.name)?.lag ?? []} />,
    },
    {
        head: 'Oldest waits',
        is_number: true,
        cell: (consumer) => (consumer.oldest_age_s === null ? '–' : span(consumer.oldest_age_s)),
    },
    {
        head: 'Moved',
        is_number: true,
        cell: (consumer) => ago(consumer.seconds_since_update),
    },
    {
        head: 'Skipped',
        is_number: true,
        cell: (consumer) =>
            consumer.skipped > 0 ? (
                <a class="bad-text" href={consumer_path(consumer.name)}>
                    {consumer.skipped > 10_000 ? `${count(10_000)}+` : count(consumer.skipped)}
                </a>
            ) : (
                '0'
            ),
    },
    { head: 'Run by', class: 'owner', cell: (consumer) => owner(consumer.owner) },
];

const task_columns: Column<Consumer>[] = [
    { head: 'Task', is_title: true, cell: (task) => task.name },
    { head: 'Plugin', cell: (task) => task.plugin },
    { head: 'State', cell: (task) => <StateChip state={task.state} /> },
    { head: 'Run by', class: 'owner', cell: (task) => owner(task.owner) },
];

function Refused({ plugins }: { plugins: RefusedPlugin[] }) {
    if (plugins.length === 0) return null;
    return (
        <Notice tone="bad" role="alert" title={`${plural(plugins.length, 'plugin')} refused`}>
            {plugins.map((plugin) => (
                <Problems key={plugin.id} id={plugin.id} problems={plugin.problems} />
            ))}
        </Notice>
    );
}

function facts_of({ database, host, consumers }: Overview): Fact[] {
    const running = expected(consumers);
    const behind = running.filter((one) => one.lag > 0).length;
    return [
        {
            label: 'Head of the stream',
            value: count(database.stream_head),
            note: `${rate(Math.max(0, recorder.rate(recorder.head) ?? 0))} written a second`,
        },
        { label: 'Size of the stream', value: bytes(database.events_bytes), note: 'on disk, with its indexes' },
        {
            label: 'Behind',
            value: `${behind} of ${running.length}`,
            note: behind === 0 ? 'every consumer is at the head' : 'consumers have events to handle',
        },
        {
            label: 'Database',
            value: database.reachable ? `PostgreSQL ${database.server_version ?? ''}` : 'away',
            note: database.private ? 'this host’s own' : `${count(database.ids_left)} ids in partitions`,
        },
        { label: 'Host', value: host.name, note: `${host.version}, up ${span(Number(host.uptime_s))}` },
    ];
}

/** Those that should keep up: nobody runs the others, and their lag means nothing. */
function expected(consumers: Consumer[]): Consumer[] {
    return consumers.filter(
        ({ kind, state }) => kind === 'consumer' && state !== 'retired' && state !== 'not_loaded',
    );
}

function Plots({ consumers }: { consumers: Consumer[] }) {
    void recorded.value; // Drawn anew with each sample.
    const { at } = recorder;
    if (at.length < 2) return null;
    const lag = recorder.lag_max(expected(consumers).map((one) => one.name));
    return (
        <div class="plots">
            <Plot
                title="Lag of the consumer furthest behind, in events"
                at={at}
                lines={[{ label: 'lag', color: '--line-1', values: lag, show: count }]}
            />
            <Plot
                title="Events a second"
                at={at}
                lines={[
                    {
                        label: 'written',
                        color: '--line-2',
                        dash: [6, 4],
                        values: recorder.rates(recorder.head),
                        show: rate,
                    },
                    {
                        label: 'handled by all consumers',
                        color: '--line-1',
                        values: recorder.handled(),
                        show: rate,
                    },
                ]}
            />
        </div>
    );
}

function Overviewed({ overview }: { overview: Overview }) {
    const consumers = overview.consumers.filter((one) => one.kind === 'consumer');
    const tasks = overview.consumers.filter((one) => one.kind === 'task');
    return (
        <>
            {!overview.database.reachable && (
                <Notice tone="warn" title="The database is away">
                    Nothing is read or written until it is back. This page keeps looking.
                </Notice>
            )}
            {!overview.workers_in_process && (
                <Notice title="Workers run elsewhere">
                    This process serves pages and API alone. What moves the cursors below is another process;
                    if there is none, they are unowned.
                </Notice>
            )}
            {overview.waiting_on && <HolderNotice holder={overview.waiting_on} />}
            <Refused plugins={overview.refused_plugins} />
            <Facts facts={facts_of(overview)} />
            <Section title="Consumers">
                {consumers.length === 0 ? (
                    <Empty title="No consumer has ever started here">
                        <p>A plugin that declares one brings it; see Plugins for what is loaded.</p>
                    </Empty>
                ) : (
                    <Table
                        caption="Consumers and how they keep up"
                        columns={columns}
                        rows={consumers}
                        row_key={(consumer) => consumer.name}
                    />
                )}
            </Section>
            <Plots consumers={consumers} />
            {overview.delivery_queues.length > 0 && (
                <Section title="Deliveries" aside={<a href={paths.deliveries}>All deliveries</a>}>
                    <Table
                        caption="Delivery queues"
                        columns={queue_columns()}
                        rows={overview.delivery_queues}
                        row_key={(queue) => queue.name}
                    />
                </Section>
            )}
            {tasks.length > 0 && (
                <Section title="Periodic tasks">
                    <Table
                        caption="Periodic tasks"
                        columns={task_columns}
                        rows={tasks}
                        row_key={(task) => task.name}
                    />
                </Section>
            )}
        </>
    );
}

export function Monitoring() {
    const live = useLive('overview', read_overview);
    return (
        <Page title="Monitoring">
            <Shown live={live}>{(overview) => <Overviewed overview={overview} />}</Shown>
        </Page>
    );
}
