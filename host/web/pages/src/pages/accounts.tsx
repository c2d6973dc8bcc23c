// People who may sign in.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { Account, Link, Person, Role } from '../api/types';
import { time } from '../format';
import { FormDialog } from '../parts/ask';
import { Tag } from '../parts/chip';
import { Dialog } from '../parts/dialog';
import { ActFailure, Field, useAct } from '../parts/form';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { RoleSelect } from '../parts/role_select';
import { SecretDialog } from '../parts/secret';
import { RowButton, Table, type Column } from '../parts/table';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';
import { session } from '../state/session';

interface Made {
    name: string;
    url: string;
}

/** The server knows the code; what leads here is known here. */
function url_of(link: Link): string {
    return new URL(link.path, window.location.origin).href;
}

function NewAccount({ on_close, on_made }: { on_close: () => void; on_made: (made: Made) => void }) {
    const [name, set_name] = useState('');
    const [role, set_role] = useState('member');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            const made = await api<{ account: Account; link: Link }>(route`/accounts`, {
                method: 'POST',
                body: { name, role },
            });
            on_made({ name, url: url_of(made.link) });
        });
    return (
        <FormDialog title="New account" word="Create" act={act} on_submit={submit} on_close={on_close}>
            <Field
                label="Name"
                value={name}
                on_input={set_name}
                problem={act.problem('name')}
                autocomplete="off"
                autocapitalize="none"
                required
            />
            <RoleSelect value={role} on_change={set_role} />
        </FormDialog>
    );
}

function Edit({
    person,
    on_close,
    on_done,
    on_link,
}: {
    person: Person;
    on_close: () => void;
    on_done: (text: string) => void;
    on_link: (made: Made) => void;
}) {
    const act = useAct();
    const is_disabled = person.disabled_at !== null;
    const patch = (body: { role?: Role; disabled?: boolean }, text: string) =>
        void act.run(async () => {
            await api(route`/accounts/${person.id}`, { method: 'PATCH', body });
            on_done(`${person.name} ${text}`);
        });
    const make_link = () =>
        void act.run(async () => {
            const link = await api<Link>(route`/accounts/${person.id}/link`, { method: 'POST', body: {} });
            on_link({ name: person.name, url: url_of(link) });
        });
    const other: Role = person.role === 'admin' ? 'member' : 'admin';
    return (
        <Dialog title={person.name} on_close={on_close}>
            <ActFailure act={act} />
            <div class="choices">
                {!is_disabled && (
                    <div>
                        <p>A one-time link, with which the password is set anew.</p>
                        <button type="button" disabled={act.is_running} onClick={make_link}>
                            Make a link
                        </button>
                    </div>
                )}
                <div>
                    <p>Another role signs {person.name} out everywhere and ends the tokens.</p>
                    <button
                        type="button"
                        disabled={act.is_running}
                        onClick={() => patch({ role: other }, `is ${other} now`)}
                    >
                        Make {other}
                    </button>
                </div>
                <div>
                    <p>
                        {is_disabled
                            ? 'Disabled: nobody can sign in with it.'
                            : 'Disabling ends every session and token of it.'}
                    </p>
                    <button
                        type="button"
                        class={is_disabled ? '' : 'danger'}
                        disabled={act.is_running}
                        onClick={() =>
                            patch({ disabled: !is_disabled }, is_disabled ? 'is enabled' : 'is disabled')
                        }
                    >
                        {is_disabled ? 'Enable' : 'Disable'}
                    </button>
                </div>
            </div>
        </Dialog>
    );
}

export function Accounts() {
    const live = useLive('accounts', (signal) => api<{ accounts: Person[] }>(route`/accounts`, { signal }), null);
    const [is_new, set_new] = useState(false);
    const [made, set_made] = useState<Made>();
    const [editing, edit] = useState<Person>();
    const columns: Column<Person>[] = [
        {
            head: 'Name',
            is_title: true,
            cell: (person) => (
                <>
                    {person.name}
                    {person.id === session.value?.account.id && <span class="under">you</span>}
                </>
            ),
        },
        { head: 'Role', cell: (person) => person.role },
        {
            head: 'State',
            cell: (person) => (
                <Tag>{person.disabled_at !== null ? 'disabled' : person.has_password ? 'active' : 'invited'}</Tag>
            ),
        },
        { head: 'Made', class: 'when', cell: (person) => time(person.created_at) },
        {
            head: 'Last sign-in',
            class: 'when',
            cell: (person) => (person.last_sign_in_at === null ? 'never' : time(person.last_sign_in_at)),
        },
        {
            head: 'Change',
            is_action: true,
            cell: (person) => (
                <RowButton label={`Change ${person.name}`} on_click={() => edit(person)}>
                    Change…
                </RowButton>
            ),
        },
    ];
    const close = () => edit(undefined);
    return (
        <Page
            title="Accounts"
            actions={
                <button type="button" class="main" onClick={() => set_new(true)}>
                    New account
                </button>
            }
        >
            <Shown live={live}>
                {({ accounts }) => (
                    <Table
                        caption="Accounts"
                        columns={columns}
                        rows={accounts}
                        row_key={(person) => person.id}
                        empty="There is no account"
                    />
                )}
            </Shown>
            {is_new && (
                <NewAccount
                    on_close={() => set_new(false)}
                    on_made={(link) => {
                        set_new(false);
                        set_made(link);
                        live.reload();
                    }}
                />
            )}
            {editing && (
                <Edit
                    person={editing}
                    on_close={close}
                    on_link={(link) => {
                        close();
                        set_made(link);
                    }}
                    on_done={(text) => {
                        close();
                        announce(text);
                        live.reload();
                    }}
                />
            )}
            {made && (
                <SecretDialog
                    title={`One-time link for ${made.name}`}
                    secret={made.url}
                    on_close={() => set_made(undefined)}
                >
                    <p>
                        Whoever opens it sets the password and is signed in. It works once, for a day, and is
                        shown only now.
                    </p>
                </SecretDialog>
            )}
        </Page>
    );
}
