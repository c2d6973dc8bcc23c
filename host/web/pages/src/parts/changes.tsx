// The differences that an event describes.

import { is_lossless, pretty_json, type Json } from '../api/lossless';
import type { Change } from '../api/types';

/** A value as people read it: text without quotes, a ref by its name, else its JSON. */
function Value({ value }: { value: Json }) {
    if (value === null) return <i class="none">none</i>;
    if (value === '') return <i class="none">empty</i>;
    if (typeof value === 'string') return <>{value}</>;
    if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
    if (typeof value === 'number' || is_lossless(value)) return <>{String(value)}</>;
    if (Array.isArray(value)) {
        return (
            <>
                {value.map((one, at) => (
                    <span key={at}>
                        {at > 0 && ', '}
                        <Value value={one} />
                    </span>
                ))}
            </>
        );
    }
    for (const name of ['key', 'name', 'title', 'label']) {
        const found = value[name];
        if (typeof found === 'string') return <>{found}</>;
    }
    return <code>{pretty_json(value).replace(/\s*\n\s*/g, ' ')}</code>;
}

function is_nothing(value: Json): boolean {
    return value === null || value === '';
}

/** Struck out, unless there was nothing to strike. */
function Before({ value }: { value: Json }) {
    const shown = <Value value={value} />;
    return is_nothing(value) ? shown : <del>{shown}</del>;
}

function After({ value }: { value: Json }) {
    const shown = <Value value={value} />;
    return is_nothing(value) ? shown : <ins>{shown}</ins>;
}

function has_items(value: Json | undefined): value is Json {
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function What({ change }: { change: Change }) {
    const { from, to, added, removed } = change;
    if (from !== undefined || to !== undefined) {
        return (
            <>
                <Before value={from ?? null} /> <span aria-hidden="true">→</span>
                <span class="unseen">became</span> <After value={to ?? null} />
            </>
        );
    }
    if (added !== undefined || removed !== undefined) {
        return (
            <>
                {has_items(added) && (
                    <>
                        added <After value={added} />
                    </>
                )}
                {has_items(added) && has_items(removed) && '; '}
                {has_items(removed) && (
                    <>
                        removed <Before value={removed} />
                    </>
                )}
            </>
        );
    }
    return <i class="none">changed; the value is hidden</i>;
}

export function Changes({ changes }: { changes: unknown }) {
    // Plain SQL may have written anything here.
    if (!Array.isArray(changes) || changes.length === 0) return null;
    const list = changes.filter(
        (one): one is Change => typeof one === 'object' && one !== null && typeof one.field === 'string',
    );
    return (
        <ul class="changes">
            {list.map((change, at) => (
                <li key={`${change.field} ${at}`}>
                    <span class="field-name">{change.field}</span>{' '}
                    <span>
                        <What change={change} />
                    </span>
                </li>
            ))}
        </ul>
    );
}
