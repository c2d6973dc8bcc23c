// One row of an entity without code: its fields, its history, changing and deleting it.

import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { api, route } from '../api/client';
import type { DeclaredEntity, DeclaredRow } from '../api/record_types';
import { time } from '../format';
import { ConfirmDialog } from '../parts/ask';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { RecordValue } from '../parts/record_value';
import { entity_path, record_path, records_path } from '../paths';
import { announce } from '../state/announcer';
import { title_of, useChoices, type Choices } from '../state/declared';
import { useLive } from '../state/live';
import { RecordForm } from './record_form';
import { OfPlural } from './records';

function Fields({ entity, row, choices }: { entity: DeclaredEntity; row: DeclaredRow; choices: Choices }) {
    return (
        <dl class="lines record">
            {entity.fields.map((field) => (
                <>
                    <dt>{field.label}</dt>
                    <dd>
                        <RecordValue field={field} value={row[field.name]} choices={choices} />
                    </dd>
                </>
            ))}
            <dt>Made</dt>
            <dd>{time(row.created_at)}</dd>
            <dt>Changed</dt>
            <dd>{time(row.updated_at)}</dd>
        </dl>
    );
}

function Row({ entity, entities, id }: { entity: DeclaredEntity; entities: DeclaredEntity[]; id: string }) {
    const [asked, ask] = useState<'change' | 'delete'>();
    const [, navigate] = useLocation();
    const choices = useChoices(entity, entities);
    const path = route`/${entity.plural}/${id}`;
    const live = useLive(path, (signal) => api<DeclaredRow>(path, { signal }), null);
    const row = live.data;
    const title = row ? title_of(entity, row) : `${entity.label} ${id}`;
    const close = () => ask(undefined);
    const remove = async () => {
        if (row) await api(path, { method: 'DELETE', if_match: row.version });
        announce(`${title} is deleted`);
        navigate(records_path(entity.plural));
    };
    return (
        <Page
            title={title}
            intro={<a href={records_path(entity.plural)}>All {entity.plural}</a>}
            actions={
                <>
                    <a href={entity_path(entity.key, id)}>History</a>
                    <button type="button" disabled={!row || !choices} onClick={() => ask('change')}>
                        Change
                    </button>
                    <button type="button" class="danger" disabled={!row} onClick={() => ask('delete')}>
                        Delete
                    </button>
                </>
            }
        >
            <Shown live={live}>
                {(shown) => <Fields entity={entity} row={shown} choices={choices ?? {}} />}
            </Shown>
            {asked === 'change' && row && (
                <RecordForm
                    entity={entity}
                    choices={choices ?? {}}
                    row={row}
                    on_close={() => {
                        close();
                        live.reload(); // After a refusal, somebody else's change is what one wants to see.
                    }}
                    on_saved={(saved) => {
                        announce(`${title_of(entity, saved)} is changed`);
                        close();
                        live.reload();
                    }}
                />
            )}
            {asked === 'delete' && (
                <ConfirmDialog
                    title={`Delete ${title}`}
                    word="Delete"
                    keep="Keep it"
                    is_grave
                    on_confirm={remove}
                    on_close={() => {
                        close();
                        // It may have been refused because somebody else has changed it.
                        live.reload();
                    }}
                >
                    <p>
                        What refers to it is cleared or deleted with it, or keeps it from being deleted, as was
                        declared. Its history stays.
                    </p>
                </ConfirmDialog>
            )}
        </Page>
    );
}

export function RecordPage({ plural, id }: { plural: string; id: string }) {
    return (
        <OfPlural plural={plural}>
            {(entity, entities) => <Row key={record_path(plural, id)} entity={entity} entities={entities} id={id} />}
        </OfPlural>
    );
}
