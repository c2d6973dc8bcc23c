import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { api, route } from '../api/client';
import type { LinkPurpose, Session } from '../api/types';
import { Field, Form, useAct } from '../parts/form';
import { Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { useLive } from '../state/live';
import { session } from '../state/session';

/** As host/accounts has it: bytes of UTF-8. */
const password_bytes_min = 12;

function SetPassword({ code, purpose }: { code: string; purpose: LinkPurpose }) {
    const is_first = purpose.purpose === 'first_admin';
    const [name, set_name] = useState(purpose.name ?? '');
    const [password, set_password] = useState('');
    const [again, set_again] = useState('');
    const [, navigate] = useLocation();
    const act = useAct();

    const [is_checked, check] = useState(false);
    const is_short = new TextEncoder().encode(password).length < password_bytes_min;
    const differs = again !== password;
    const too_short = is_checked && is_short ? 'This is too short.' : undefined;
    const submit = () => {
        check(true);
        if (is_short || differs) return;
        void act.run(async () => {
            session.value = await api<Session>(route`/links/${code}`, {
                method: 'POST',
                body: is_first ? { name, password } : { password },
            });
            navigate('/', { replace: true });
        });
    };
    return (
        <Form act={act} on_submit={submit}>
            {is_first ? (
                <Field
                    label="Your name"
                    value={name}
                    on_input={set_name}
                    problem={act.problem('name')}
                    autocomplete="username"
                    autocapitalize="none"
                    required
                />
            ) : (
                <p>
                    The password of <strong>{purpose.name}</strong>
                    {/* For password managers, which look for a name beside a password. */}
                    <input type="text" value={name} autocomplete="username" readOnly hidden />
                </p>
            )}
            <Field
                label="Password"
                type="password"
                value={password}
                on_input={set_password}
                hint={`At least ${password_bytes_min} characters, of any kind.`}
                problem={act.problem('password') ?? too_short}
                autocomplete="new-password"
                required
            />
            <Field
                label="The same again"
                type="password"
                value={again}
                on_input={set_again}
                problem={is_checked && differs ? 'This is not the same.' : undefined}
                autocomplete="new-password"
                required
            />
            <button class="main" disabled={act.is_running}>
                {act.is_running ? 'One moment…' : 'Set the password and sign in'}
            </button>
        </Form>
    );
}

export function LinkPage({ code }: { code: string }) {
    const live = useLive(
        `link ${code}`,
        (signal) => api<LinkPurpose>(route`/links/${code}`, { signal }),
        null,
    );
    const is_gone = live.error !== undefined && !live.error.passes;
    return (
        <main class="alone">
            <p class="brand">radd</p>
            <Page title={live.data?.purpose === 'first_admin' ? 'The first administrator' : 'Set a password'}>
                {is_gone ? (
                    <p>
                        This link has been used, has expired, or was replaced by a newer one. Ask an
                        administrator for another, or <a href="/sign-in">sign in</a>.
                    </p>
                ) : (
                    <Shown live={live}>{(purpose) => <SetPassword code={code} purpose={purpose} />}</Shown>
                )}
            </Page>
        </main>
    );
}
