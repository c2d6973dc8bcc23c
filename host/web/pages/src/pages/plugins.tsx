// What is loaded, what is not and why, and what the loaded plugins declare.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { EventType, LoadedPlugin, PluginSet } from '../api/types';
import { plural } from '../format';
import { Tag } from '../parts/chip';
import { Field } from '../parts/form';
import { Empty, Notice, Shown } from '../parts/notice';
import { Page, Section } from '../parts/page';
import { Problems } from '../parts/problems';
import { Table, type Column } from '../parts/table';
import { consumer_path } from '../paths';
import { useLive } from '../state/live';
import { is_admin } from '../state/session';

function Declared({ label, children }: { label: string; children: preact.ComponentChildren }) {
    return (
        <div>
            <dt>{label}</dt>
            <dd>{children}</dd>
        </div>
    );
}

function Names({ names }: { names: string[] }) {
    return <>{names.join(', ')}</>;
}

function Loaded({ plugin }: { plugin: LoadedPlugin }) {
    return (
        <li class="card">
            <h3>
                {plugin.id} <span class="beside">{plugin.version}</span>
            </h3>
            {plugin.description && <p>{plugin.description}</p>}
            <dl class="declared">
                {plugin.depends_on.length > 0 && (
                    <Declared label="Needs">
                        <Names names={plugin.depends_on} />
                    </Declared>
                )}
                {plugin.entities.length > 0 && (
                    <Declared label="Entities">
                        <Names names={plugin.entities} />
                    </Declared>
                )}
                {plugin.consumers.length > 0 && (
                    <Declared label="Consumers">
                        {plugin.consumers.map((consumer, at) => (
                            <span key={consumer.name}>
                                {at > 0 && ', '}
                                <a href={consumer_path(consumer.name)}>{consumer.name}</a>
                            </span>
                        ))}
                    </Declared>
                )}
                {plugin.tasks.length > 0 && (
                    <Declared label="Tasks">
                        <Names names={plugin.tasks} />
                    </Declared>
                )}
                {plugin.routes && plugin.routes.length > 0 && (
                    <Declared label="Routes">
                        <details>
                            <summary>{plural(plugin.routes.length, 'route')}</summary>
                            <ul class="routes">
                                {plugin.routes.map((one) => (
                                    <li key={`${one.method} ${one.path}`}>
                                        <code>
                                            {one.method} {one.path}
                                        </code>{' '}
                                        {one.summary}
                                    </li>
                                ))}
                            </ul>
                        </details>
                    </Declared>
                )}
                {plugin.commands.length > 0 && (
                    <Declared label="Commands">
                        <Names names={plugin.commands.map((words) => `radd ${words}`)} />
                    </Declared>
                )}
            </dl>
            <p class="under">{plugin.file}</p>
        </li>
    );
}

function Set({ set }: { set: PluginSet }) {
    return (
        <>
            {set.refused.length > 0 && (
                <Notice tone="bad" role="alert" title={`${plural(set.refused.length, 'plugin')} refused`}>
                    {set.refused.map((plugin) => (
                        <Problems key={plugin.id} id={plugin.id} problems={plugin.problems} />
                    ))}
                </Notice>
            )}
            <Section title="Loaded">
                {set.plugins.length === 0 ? (
                    <Empty title="No plugin is loaded" />
                ) : (
                    <ul class="cards">
                        {set.plugins.map((plugin) => (
                            <Loaded key={plugin.id} plugin={plugin} />
                        ))}
                    </ul>
                )}
            </Section>
            {set.disabled.length + set.ignored.length > 0 && (
                <Section title="Not loaded">
                    <ul class="plain">
                        {set.disabled.map((plugin) => (
                            <li key={plugin.id}>
                                <strong>{plugin.id}</strong> <Tag>disabled</Tag>
                                <span class="under">
                                    Its manifest says <code>enabled: false</code>.
                                </span>
                            </li>
                        ))}
                        {set.ignored.map((file) => (
                            <li key={file.file}>
                                <strong>{file.file}</strong> <Tag>ignored</Tag>
                                <span class="under">{file.reason}</span>
                            </li>
                        ))}
                    </ul>
                </Section>
            )}
        </>
    );
}

const columns: Column<EventType>[] = [
    {
        head: 'Type',
        is_title: true,
        cell: (type) => <a href={`/events?type=${encodeURIComponent(type.type)}`}>{type.type}</a>,
    },
    { head: 'Meaning', cell: (type) => type.label },
    { head: 'About', cell: (type) => [type.entity_type, ...type.subjects.filter((one) => one !== type.entity_type)].filter(Boolean).join(', ') || '–' },
    { head: 'Plugin', cell: (type) => type.plugin },
    {
        head: 'Marks',
        cell: (type) => (
            <>
                {type.has_changes && <Tag>changes</Tag>}
                {type.trigger && <Tag>trigger</Tag>}
                {!type.audited && <Tag>not audited</Tag>}
                {type.readable_by === 'admin' && <Tag>admins only</Tag>}
            </>
        ),
    },
];

function Catalogue({ types }: { types: EventType[] }) {
    const [search, set_search] = useState('');
    const wanted = search.trim().toLowerCase();
    const found = types.filter((type) =>
        [type.type, type.label, type.group, type.plugin, ...type.aliases].some((text) =>
            text.toLowerCase().includes(wanted),
        ),
    );
    const groups = new Map<string, EventType[]>();
    for (const type of found) groups.set(type.group, [...(groups.get(type.group) ?? []), type]);
    return (
        <Section title="Event types">
            <div class="toolbar">
                <Field
                    label="Search"
                    type="search"
                    value={search}
                    on_input={set_search}
                    placeholder="a type, a label, a plugin"
                />
                <a href="/api/v1/asyncapi.json" rel="external">
                    AsyncAPI document
                </a>
            </div>
            {found.length === 0 && <Empty title="No event type fits" />}
            {[...groups].sort().map(([group, members]) => (
                <div key={group} class="group">
                    <h3>{group}</h3>
                    <Table
                        caption={`Event types of ${group}`}
                        columns={columns}
                        rows={members}
                        row_key={(type) => type.type}
                    />
                </div>
            ))}
        </Section>
    );
}

function Installed() {
    const live = useLive('plugins', (signal) => api<PluginSet>(route`/plugins`, { signal }), null);
    return <Shown live={live}>{(set) => <Set set={set} />}</Shown>;
}

export function Plugins() {
    const types = useLive(
        'event types',
        (signal) => api<{ event_types: EventType[] }>(route`/event-types`, { signal }),
        null,
    );
    return (
        <Page title="Plugins">
            {is_admin() && <Installed />}
            <Shown live={types}>{({ event_types }) => <Catalogue types={event_types} />}</Shown>
        </Page>
    );
}
