import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import { Field, Form, useAct } from '../parts/form';
import { Page } from '../parts/page';
import { session, sign_in } from '../state/session';
import { safe_next } from '../paths';

export function SignIn() {
    const [name, set_name] = useState('');
    const [password, set_password] = useState('');
    const [, navigate] = useLocation();
    const search = useSearch();
    const act = useAct();

    const signed_in = session.value;
    useEffect(() => {
        if (signed_in) navigate(safe_next(search), { replace: true });
    }, [signed_in]);

    const submit = () => act.run(() => sign_in(name, password));
    return (
        <main class="alone">
            <p class="brand">radd</p>
            <Page title="Sign in">
                <Form act={act} on_submit={() => void submit()}>
                    <Field
                        label="Name"
                        value={name}
                        on_input={set_name}
                        autocomplete="username"
                        autocapitalize="none"
                        required
                    />
                    <Field
                        label="Password"
                        type="password"
                        value={password}
                        on_input={set_password}
                        autocomplete="current-password"
                        required
                    />
                    <button class="main" disabled={act.is_running}>
                        {act.is_running ? 'Signing in…' : 'Sign in'}
                    </button>
                </Form>
                <details class="help">
                    <summary>No account, or the password is lost?</summary>
                    <p>
                        An administrator makes a one-time link for you on the page Accounts. On a host
                        without any administrator, <code>radd serve</code> prints one when it starts.
                    </p>
                </details>
            </Page>
        </main>
    );
}
