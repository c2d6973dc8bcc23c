// A row of an entity without code as a form, made of what was declared.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import { parse_json, type Json } from '../api/lossless';
import type { DeclaredEntity, DeclaredField, DeclaredRow } from '../api/record_types';
import { FormDialog } from '../parts/ask';
import { Field, Select, TextArea, useAct } from '../parts/form';
import { title_of, type Choices } from '../state/declared';

/** Longer ones get room for several lines. */
const line_max = 200;

function draft_of(value: Json | undefined): string {
    return value === null || value === undefined ? '' : String(value);
}

/** What the field's text means. What is no number is sent as it is: the server says what is wrong. */
function value_of(field: DeclaredField, text: string): Json {
    if (text === '' && (field.nullable || field.type !== 'text')) return null;
    if (field.type === 'boolean') return text === 'true';
    if (field.type === 'integer' && /^-?(0|[1-9]\d*)$/.test(text)) return parse_json(text) as Json;
    return text;
}

function options_of(field: DeclaredField, choices: Choices, draft: string): [string, string][] | undefined {
    const none: [string, string][] = field.nullable ? [['', 'none']] : [];
    if (field.type === 'boolean') return [...none, ['true', 'yes'], ['false', 'no']];
    if (field.type === 'enum') return [...none, ...field.values.map((one): [string, string] => [one, one])];
    const listed = field.references === null ? [] : (choices[field.references] ?? []);
    // An id that is not in the list, of what is gone since, has to stay as it is.
    if (listed.length === 0 || (draft !== '' && !listed.some(([id]) => id === draft))) return undefined;
    return [...none, ...listed];
}

function hint_of(field: DeclaredField): string | undefined {
    if (field.references !== null) return `The id of: ${field.references}.`;
    if (field.type === 'timestamp') return 'As 2026-11-30T18:56:38Z, in any zone.';
    if (field.type === 'decimal') return `At most ${field.scale ?? 0} digits behind the point.`;
    return undefined;
}

/** A text that has a default has one for whoever leaves it out: empty it is what somebody wants. */
function is_required(field: DeclaredField): boolean {
    return !field.nullable && (field.type !== 'text' || field.default === null);
}

function Input({
    field,
    choices,
    before,
    value,
    problem,
    on_input,
}: {
    field: DeclaredField;
    choices: Choices;
    /** What stood in it first. */
    before: string;
    value: string;
    problem: string | undefined;
    on_input: (value: string) => void;
}) {
    const shown = { label: field.label, value, problem };
    const options = options_of(field, choices, value);
    if (options) return <Select {...shown} options={options} on_change={on_input} />;
    // A field of one line would join those that are there.
    if (field.type === 'text' && ((field.max ?? 0) > line_max || /[\r\n]/.test(before)))
        return <TextArea {...shown} on_input={on_input} required={is_required(field)} />;
    return (
        <Field
            {...shown}
            hint={hint_of(field)}
            on_input={on_input}
            type={field.type === 'date' ? 'date' : 'text'}
            autocomplete="off"
            required={is_required(field)}
        />
    );
}

/** What a select shows has to be what is sent, so a new row begins with what it shows. */
function first_draft(field: DeclaredField, choices: Choices): string {
    return draft_of(field.default) || (options_of(field, choices, '')?.[0]?.[0] ?? '');
}

/** Of a new row, or of one that is there: then only what was changed is sent. */
export function RecordForm({
    entity,
    choices,
    row,
    on_close,
    on_saved,
}: {
    entity: DeclaredEntity;
    choices: Choices;
    row?: DeclaredRow;
    on_close: () => void;
    on_saved: (row: DeclaredRow) => void;
}) {
    const [before] = useState<Record<string, string>>(() =>
        Object.fromEntries(
            entity.fields.map((field) => [
                field.name,
                row ? draft_of(row[field.name]) : first_draft(field, choices),
            ]),
        ),
    );
    const [drafts, set_drafts] = useState(before);
    const act = useAct();
    const draft = (field: DeclaredField) => drafts[field.name] ?? '';
    const submit = () =>
        act.run(async () => {
            const changed = entity.fields.filter((field) => !row || draft(field) !== before[field.name]);
            const body = Object.fromEntries(
                changed.map((field) => [field.name, value_of(field, draft(field))]),
            );
            on_saved(
                row
                    ? await api<DeclaredRow>(route`/${entity.plural}/${row.id}`, {
                          method: 'PATCH',
                          body,
                          if_match: row.version,
                      })
                    : await api<DeclaredRow>(route`/${entity.plural}`, { method: 'POST', body }),
            );
        });
    return (
        <FormDialog
            title={row ? `Change ${title_of(entity, row)}` : `New: ${entity.label}`}
            word={row ? 'Save' : 'Create'}
            act={act}
            on_submit={submit}
            on_close={on_close}
        >
            {entity.fields.map((field) => (
                <Input
                    key={field.name}
                    field={field}
                    choices={choices}
                    before={before[field.name] ?? ''}
                    value={draft(field)}
                    problem={act.problem(field.name)}
                    on_input={(value) => set_drafts({ ...drafts, [field.name]: value })}
                />
            ))}
        </FormDialog>
    );
}
