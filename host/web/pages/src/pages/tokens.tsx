// Bearer tokens of programs.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { Token } from '../api/types';
import { time } from '../format';
import { ConfirmDialog, FormDialog } from '../parts/ask';
import { Tag } from '../parts/chip';
import { Field, Select, useAct } from '../parts/form';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { RoleSelect } from '../parts/role_select';
import { SecretDialog } from '../parts/secret';
import { RowButton, Table, type Column } from '../parts/table';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';

function NewToken({ on_close, on_made }: { on_close: () => void; on_made: (token: Token) => void }) {
    const [name, set_name] = useState('');
    const [role, set_role] = useState('member');
    const [lifetime, set_lifetime] = useState('90d');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            on_made(
                await api<Token>(route`/tokens`, {
                    method: 'POST',
                    body: { name, role, ...(lifetime ? { lifetime } : {}) },
                }),
            );
        });
    return (
        <FormDialog title="New token" word="Create" act={act} on_submit={submit} on_close={on_close}>
            <Field
                label="Name"
                hint="What uses it: it is how you find it again."
                value={name}
                on_input={set_name}
                problem={act.problem('name')}
                autocomplete="off"
                required
            />
            <RoleSelect value={role} on_change={set_role} />
            <Select
                label="Ends"
                value={lifetime}
                on_change={set_lifetime}
                options={[
                    ['30d', 'in 30 days'],
                    ['90d', 'in 90 days'],
                    ['365d', 'in a year'],
                    ['', 'when it is revoked'],
                ]}
            />
        </FormDialog>
    );
}

function Revoke({ token, on_close, on_done }: { token: Token; on_close: () => void; on_done: () => void }) {
    const revoke = async () => {
        await api(route`/tokens/${token.id}`, { method: 'DELETE' });
        announce(`${token.name} is revoked`);
        on_done();
    };
    return (
        <ConfirmDialog
            title={`Revoke ${token.name}`}
            word="Revoke"
            is_grave
            on_confirm={revoke}
            on_close={on_close}
        >
            <p>Whatever uses it gets no answer any more, at once. It cannot be given back.</p>
        </ConfirmDialog>
    );
}

function state_of(token: Token): string {
    if (token.revoked_at !== null) return 'revoked';
    if (token.expires_at !== null && new Date(token.expires_at).getTime() < Date.now()) return 'expired';
    return 'valid';
}

export function Tokens() {
    const live = useLive('tokens', (signal) => api<{ tokens: Token[] }>(route`/tokens`, { signal }), null);
    const [is_new, set_new] = useState(false);
    const [made, set_made] = useState<Token>();
    const [revoking, set_revoking] = useState<Token>();
    const columns: Column<Token>[] = [
        { head: 'Name', is_title: true, cell: (token) => token.name },
        { head: 'Role', cell: (token) => token.role },
        { head: 'State', cell: (token) => <Tag>{state_of(token)}</Tag> },
        { head: 'Made', class: 'when', cell: (token) => time(token.created_at) },
        {
            head: 'Last used',
            class: 'when',
            cell: (token) => (token.last_used_at === null ? 'never' : time(token.last_used_at)),
        },
        {
            head: 'Ends',
            class: 'when',
            cell: (token) => (token.expires_at === null ? 'when revoked' : time(token.expires_at)),
        },
        {
            head: 'Revoke',
            is_action: true,
            cell: (token) =>
                state_of(token) === 'valid' && (
                    <RowButton label={`Revoke ${token.name}`} is_grave on_click={() => set_revoking(token)}>
                        Revoke
                    </RowButton>
                ),
        },
    ];
    return (
        <Page
            title="Tokens"
            intro="How programs call the API: in the header Authorization, after the word Bearer."
            actions={
                <button type="button" class="main" onClick={() => set_new(true)}>
                    New token
                </button>
            }
        >
            <Shown live={live}>
                {({ tokens }) => (
                    <Table
                        caption="Tokens"
                        columns={columns}
                        rows={tokens}
                        row_key={(token) => String(token.id)}
                        empty="There is no token yet"
                    />
                )}
            </Shown>
            {is_new && (
                <NewToken
                    on_close={() => set_new(false)}
                    on_made={(token) => {
                        set_new(false);
                        set_made(token);
                        live.reload();
                    }}
                />
            )}
            {made?.token && (
                <SecretDialog title={made.name} secret={made.token} on_close={() => set_made(undefined)}>
                    <p>This is the token. It is shown now and never again.</p>
                </SecretDialog>
            )}
            {revoking && (
                <Revoke
                    token={revoking}
                    on_close={() => set_revoking(undefined)}
                    on_done={() => {
                        set_revoking(undefined);
                        live.reload();
                    }}
                />
            )}
        </Page>
    );
}
