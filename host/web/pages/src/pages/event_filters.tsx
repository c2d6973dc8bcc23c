// What somebody looks for in the stream. It lives in the address, so that it can be shared.

import { useId, useState } from 'preact/hooks';

import type { EventType } from '../api/types';
import { Field, Select } from '../parts/form';

/** Names of the API's parameters. */
export interface EventFilter {
    type: string[];
    not_type: string[];
    entity_type: string;
    entity_id: string;
    actor_id: string;
    project_id: string;
    since: string;
    until: string;
    source: string;
    changed: string;
    text: string;
    silent: string;
    all: string;
}

const single = [
    'entity_type',
    'entity_id',
    'actor_id',
    'project_id',
    'since',
    'until',
    'source',
    'changed',
    'text',
    'silent',
    'all',
] as const;

export function filter_from(search: string): EventFilter {
    const values = new URLSearchParams(search);
    const one = (name: string) => values.get(name) ?? '';
    const some = (name: string) => values.getAll(name).filter((value) => value !== '');
    return {
        type: some('type'),
        not_type: some('not_type'),
        entity_type: one('entity_type'),
        entity_id: one('entity_id'),
        actor_id: one('actor_id'),
        project_id: one('project_id'),
        since: one('since'),
        until: one('until'),
        source: one('source'),
        changed: one('changed'),
        text: one('text'),
        silent: one('silent'),
        all: one('all'),
    };
}

/** For <input type="datetime-local">, which knows no zone; the reader's is meant. */
function to_local(iso: string): string {
    const date = new Date(iso);
    if (iso === '' || Number.isNaN(date.getTime())) return '';
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function from_local(local: string): string {
    return local === '' ? '' : new Date(local).toISOString();
}

function with_type(chosen: string[], type: string): string[] {
    return type === '' || chosen.includes(type) ? chosen : [...chosen, type];
}

function Types({
    label,
    none,
    chosen,
    typed,
    types,
    on_type,
    on_change,
}: {
    label: string;
    /** What it means that none is chosen. */
    none: string;
    chosen: string[];
    /** What stands in the field and is not chosen yet. */
    typed: string;
    types: EventType[];
    on_type: (typed: string) => void;
    on_change: (chosen: string[]) => void;
}) {
    const list = useId();
    const add = (type: string) => {
        on_change(with_type(chosen, type));
        on_type('');
    };
    return (
        <div class="types">
            <Field
                label={label}
                list={list}
                value={typed}
                autocapitalize="none"
                autocomplete="off"
                spellcheck={false}
                placeholder={chosen.length === 0 ? none : 'one more'}
                on_input={(value) =>
                    // Picking from the list is an input like typing; a name that is whole is meant.
                    types.some((type) => type.type === value) ? add(value) : on_type(value)
                }
            />
            <datalist id={list}>
                {types.map((type) => (
                    <option key={type.type} value={type.type}>
                        {`${type.label} · ${type.group}`}
                    </option>
                ))}
            </datalist>
            {chosen.length > 0 && (
                <ul class="chosen" aria-label={`${label}: chosen`}>
                    {chosen.map((type) => (
                        <li key={type}>
                            <button
                                type="button"
                                class="small"
                                aria-label={`Remove ${type}`}
                                onClick={() => on_change(chosen.filter((one) => one !== type))}
                            >
                                {type} <span aria-hidden="true">×</span>
                            </button>
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}

export function EventFilters({
    filter,
    types,
    on_apply,
}: {
    filter: EventFilter;
    types: EventType[];
    on_apply: (filter: EventFilter) => void;
}) {
    const [draft, set_draft] = useState(filter);
    const [typed, set_typed] = useState('');
    const [not_typed, set_not_typed] = useState('');
    const change = (part: Partial<EventFilter>) => set_draft({ ...draft, ...part });
    const entity_list = useId();
    const entities = [...new Set(types.map((type) => type.entity_type).filter(Boolean))].sort();
    const is_filtered =
        filter.type.length + filter.not_type.length > 0 || single.some((name) => filter[name] !== '');
    return (
        <details class="filters" open={is_filtered || window.innerWidth > 700}>
            <summary>Filter</summary>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    on_apply({
                        ...draft,
                        type: with_type(draft.type, typed.trim()),
                        not_type: with_type(draft.not_type, not_typed.trim()),
                    });
                }}
            >
                <Types
                    label="Type"
                    none="any"
                    chosen={draft.type}
                    typed={typed}
                    types={types}
                    on_type={set_typed}
                    on_change={(type) => change({ type })}
                />
                <Types
                    label="Not of type"
                    none="none"
                    chosen={draft.not_type}
                    typed={not_typed}
                    types={types}
                    on_type={set_not_typed}
                    on_change={(not_type) => change({ not_type })}
                />
                <Field
                    label="Entity type"
                    list={entity_list}
                    placeholder="any"
                    autocapitalize="none"
                    value={draft.entity_type}
                    on_input={(entity_type) => change({ entity_type })}
                />
                <datalist id={entity_list}>
                    {entities.map((entity) => (
                        <option key={entity} value={entity} />
                    ))}
                </datalist>
                <Field
                    label="Entity id"
                    placeholder="any"
                    value={draft.entity_id}
                    on_input={(entity_id) => change({ entity_id })}
                />
                <Field
                    label="Actor"
                    placeholder="a uuid"
                    value={draft.actor_id}
                    on_input={(actor_id) => change({ actor_id: actor_id.trim() })}
                />
                <Field
                    label="Project id"
                    placeholder="any"
                    inputmode="numeric"
                    value={draft.project_id}
                    on_input={(project_id) => change({ project_id: project_id.trim() })}
                />
                <Select
                    label="Done by"
                    value={draft.source}
                    on_change={(source) => change({ source })}
                    options={[
                        ['', 'anybody'],
                        ['people', 'people'],
                        ['automations', 'automations'],
                        ['system', 'the system'],
                    ]}
                />
                <Field
                    label="Changed field"
                    placeholder="any"
                    autocapitalize="none"
                    value={draft.changed}
                    on_input={(changed) => change({ changed: changed.trim() })}
                />
                <Field
                    label="Text"
                    placeholder="in payload or changes"
                    value={draft.text}
                    on_input={(text) => change({ text })}
                />
                <Field
                    label="Since"
                    type="datetime-local"
                    value={to_local(draft.since)}
                    on_input={(since) => change({ since: from_local(since) })}
                />
                <Field
                    label="Until"
                    type="datetime-local"
                    value={to_local(draft.until)}
                    on_input={(until) => change({ until: from_local(until) })}
                />
                <Select
                    label="Imports"
                    value={draft.silent}
                    on_change={(silent) => change({ silent })}
                    options={[
                        ['', 'shown'],
                        ['false', 'left out'],
                        ['true', 'only these'],
                    ]}
                />
                <Select
                    label="Not audited"
                    value={draft.all}
                    on_change={(all) => change({ all })}
                    options={[
                        ['', 'left out'],
                        ['true', 'shown'],
                    ]}
                />
                <div class="filter-end">
                    <button class="main">Apply</button>
                    {is_filtered && <a href="/events">Clear</a>}
                </div>
            </form>
        </details>
    );
}
