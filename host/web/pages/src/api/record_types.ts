// Entities without code, as a manifest declares them, and their rows.

import type { Id, Json } from './lossless';

export interface DeclaredField {
    name: string;
    label: string;
    type: 'text' | 'integer' | 'decimal' | 'boolean' | 'date' | 'timestamp' | 'enum' | 'reference';
    nullable: boolean;
    default: Json;
    unique: boolean;
    /** Characters of a text. */
    max: number | null;
    precision: number | null;
    scale: number | null;
    values: string[];
    /** The entity type that a reference names. */
    references: string | null;
}

export interface DeclaredEntity {
    key: string;
    label: string;
    /** Its routes are /api/v1/<plural>. */
    plural: string;
    plugin: string;
    searchable: string[];
    fields: DeclaredField[];
}

/** A row: what every row has, and its fields by name. */
export interface DeclaredRow {
    id: Id;
    version: Id;
    created_at: string;
    updated_at: string;
    [field: string]: Json;
}
