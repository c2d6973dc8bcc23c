// Entities without code: which there are, and the rows of one.

import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { api, query, route } from '../api/client';
import type { Json } from '../api/lossless';
import type { DeclaredEntity, DeclaredRow } from '../api/record_types';
import { time } from '../format';
import { Failure, Loading, Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { Pager } from '../parts/pager';
import { RecordValue } from '../parts/record_value';
import { Table, type Column } from '../parts/table';
import { paths, record_path, records_path } from '../paths';
import { announce } from '../state/announcer';
import { title_of, useChoices, useDeclared, type Choices } from '../state/declared';
import { useLive } from '../state/live';
import { RecordForm } from './record_form';

const page_rows = 50;
/** Longer texts are for the page of the row. */
const line_max = 200;

const kinds: Column<DeclaredEntity>[] = [
    {
        head: 'Records',
        is_title: true,
        cell: (entity) => <a href={records_path(entity.plural)}>{entity.label}</a>,
    },
    { head: 'Fields', cell: (entity) => entity.fields.map((field) => field.label).join(', ') },
    { head: 'Declared by', class: 'owner', cell: (entity) => entity.plugin },
];

export function Records() {
    const live = useDeclared();
    return (
        <Page title="Records" intro="What manifests declare and the host keeps without code.">
            <Shown live={live}>
                {({ entities }) => (
                    <Table
                        caption="Kinds of records"
                        columns={kinds}
                        rows={entities}
                        row_key={(entity) => entity.key}
                        empty="No manifest declares an entity"
                    />
                )}
            </Shown>
        </Page>
    );
}

/** Calls its child with the entity whose plural is in the address, once both lists are read. */
export function OfPlural({
    plural,
    children,
}: {
    plural: string;
    children: (entity: DeclaredEntity, entities: DeclaredEntity[]) => preact.JSX.Element;
}) {
    const live = useDeclared();
    if (live.data === undefined) return live.error ? <Failure error={live.error} live={live} /> : <Loading />;
    const { entities } = live.data;
    const entity = entities.find((one) => one.plural === plural);
    if (entity) return children(entity, entities);
    return (
        <Page title="Not found">
            <p>
                No manifest declares {plural}. <a href={paths.records}>Show what there is</a>
            </p>
        </Page>
    );
}

function columns_of(entity: DeclaredEntity, choices: Choices): Column<DeclaredRow>[] {
    const title = entity.searchable[0] ?? entity.fields.find((field) => field.type === 'text')?.name;
    const shown = entity.fields.filter((field) => field.name !== title && (field.max ?? 0) <= line_max);
    return [
        {
            head: entity.label,
            is_title: true,
            cell: (row) => <a href={record_path(entity.plural, row.id)}>{title_of(entity, row)}</a>,
        },
        ...shown.map((field) => ({
            head: field.label,
            is_number: field.type === 'integer' || field.type === 'decimal',
            cell: (row: DeclaredRow) => <RecordValue field={field} value={row[field.name]} choices={choices} />,
        })),
        { head: 'Changed', class: 'when', cell: (row) => time(row.updated_at) },
    ];
}

function Rows({ entity, entities }: { entity: DeclaredEntity; entities: DeclaredEntity[] }) {
    const [after, set_after] = useState<string[]>([]);
    const [is_new, set_new] = useState(false);
    const [, navigate] = useLocation();
    const choices = useChoices(entity, entities);
    const path = route`/${entity.plural}` + query({ limit: page_rows, after: after[after.length - 1] });
    const live = useLive(
        path,
        (signal) =>
            api<{ next: { after: Json } | null; [plural: string]: unknown }>(path, { signal }),
        null,
    );
    return (
        <Page
            title={entity.label}
            intro={<a href={paths.records}>All records</a>}
            actions={
                <button type="button" class="main" disabled={!choices} onClick={() => set_new(true)}>
                    New
                </button>
            }
        >
            <Shown live={live}>
                {(page) => (
                    <>
                        <Table
                            caption={`${entity.plural}, in the order they were made`}
                            columns={columns_of(entity, choices ?? {})}
                            rows={page[entity.plural] as DeclaredRow[]}
                            row_key={(row) => String(row.id)}
                            empty={`There are no ${entity.plural} yet`}
                        />
                        <Pager
                            before={after}
                            next={page.next ? String(page.next.after) : undefined}
                            on_turn={set_after}
                            words={['Earlier', 'Later']}
                        />
                    </>
                )}
            </Shown>
            {is_new && (
                <RecordForm
                    entity={entity}
                    choices={choices ?? {}}
                    on_close={() => set_new(false)}
                    on_saved={(row) => {
                        announce(`${title_of(entity, row)} is there`);
                        navigate(record_path(entity.plural, row.id));
                    }}
                />
            )}
        </Page>
    );
}

export function RecordsPage({ plural }: { plural: string }) {
    return (
        <OfPlural plural={plural}>
            {(entity, entities) => <Rows entity={entity} entities={entities} />}
        </OfPlural>
    );
}
