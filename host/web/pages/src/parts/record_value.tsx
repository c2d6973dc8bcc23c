import type { Json } from '../api/lossless';
import type { DeclaredField } from '../api/record_types';
import { time } from '../format';
import { entity_path } from '../paths';
import type { Choices } from '../state/declared';
import { Tag } from './chip';

/** A field of a row as people read it; a reference leads to the history of what it names. */
export function RecordValue({
    field,
    value,
    choices,
}: {
    field: DeclaredField;
    value: Json | undefined;
    choices: Choices;
}) {
    if (value === null || value === undefined || value === '') return <>–</>;
    const text = String(value);
    if (field.type === 'boolean') return <>{value === true ? 'yes' : 'no'}</>;
    if (field.type === 'enum') return <Tag>{text}</Tag>;
    if (field.type === 'timestamp') return <>{time(text)}</>;
    if (field.references === null) return <>{text}</>;
    const name = choices[field.references]?.find(([id]) => id === text)?.[1];
    return <a href={entity_path(field.references, text)}>{name ?? `${field.references} ${text}`}</a>;
}
