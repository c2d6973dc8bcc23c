// What entities there are without code, and what their references may name.

import { api, ApiError, query, route } from '../api/client';
import type { Json } from '../api/lossless';
import type { DeclaredEntity, DeclaredRow } from '../api/record_types';
import { useLive, type Live } from './live';

export function useDeclared(): Live<{ entities: DeclaredEntity[] }> {
    return useLive(
        'declared',
        (signal) => api<{ entities: DeclaredEntity[] }>(route`/entities`, { signal }),
        null,
    );
}

/** What a row is called: what a search calls it, or its first text. */
export function title_of(entity: DeclaredEntity, row: DeclaredRow): string {
    const name = entity.searchable[0] ?? entity.fields.find((field) => field.type === 'text')?.name;
    const title = name === undefined ? null : row[name];
    return typeof title === 'string' && title !== '' ? title : `${entity.label} ${String(row.id)}`;
}

/** Ids with what they are called, by entity type; only of those that fit into one list. */
export type Choices = Record<string, [id: string, name: string][]>;

/** Beyond it nobody looks through a list, and types the id instead. */
const choices_max = 200;

/** Types that code describes and that are listed like declared ones. */
const plurals: Record<string, string> = { project: 'projects', person: 'people' };

interface Page {
    next: Json;
    [plural: string]: Json;
}

/** Undefined if this reader will not get it, now or later. */
async function read_page(path: string, signal: AbortSignal): Promise<Page | undefined> {
    try {
        return await api<Page>(path, { signal });
    } catch (failure) {
        if (failure instanceof ApiError && [403, 404].includes(failure.status)) return undefined;
        throw failure;
    }
}

async function read_choices(
    type: string,
    entities: DeclaredEntity[],
    signal: AbortSignal,
): Promise<[string, string][]> {
    const declared = entities.find((entity) => entity.key === type);
    const plural = declared?.plural ?? plurals[type];
    if (plural === undefined) return [];
    const page = await read_page(route`/${plural}` + query({ limit: choices_max }), signal);
    if (!page || page.next !== null) return [];
    return (page[plural] as unknown as DeclaredRow[]).map((row) => {
        const { key, name } = row;
        const title = declared ? title_of(declared, row) : [key, name].filter(Boolean).join(' · ');
        return [String(row.id), title];
    });
}

/** Undefined until they are read. */
export function useChoices(entity: DeclaredEntity, entities: DeclaredEntity[]): Choices | undefined {
    const types = [...new Set(entity.fields.flatMap((field) => field.references ?? []))];
    const live = useLive(
        `choices ${entity.key}`,
        async (signal) => {
            const all = await Promise.all(types.map((type) => read_choices(type, entities, signal)));
            return Object.fromEntries(types.map((type, at) => [type, all[at] ?? []]));
        },
        null,
    );
    return live.data;
}
