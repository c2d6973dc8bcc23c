// What is asked before an endpoint is made, changed, given another secret or deleted.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { WebhookEndpoint } from '../api/delivery_types';
import { words } from '../format';
import { ConfirmDialog, FormDialog } from '../parts/ask';
import { Field, Select, useAct } from '../parts/form';
import { announce } from '../state/announcer';

/** A new endpoint, or another shape of one that is there. */
export function EndpointDialog({
    endpoint,
    on_close,
    on_done,
}: {
    endpoint?: WebhookEndpoint;
    on_close: () => void;
    on_done: (endpoint: WebhookEndpoint) => void;
}) {
    const [name, set_name] = useState(endpoint?.name ?? '');
    const [url, set_url] = useState(endpoint?.url ?? '');
    const [types, set_types] = useState(endpoint?.event_types.join(', ') ?? '');
    const [format, set_format] = useState<string>(endpoint?.format ?? 'cloudevents');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            on_done(
                await api<WebhookEndpoint>(endpoint ? route`/webhooks/${endpoint.id}` : route`/webhooks`, {
                    method: endpoint ? 'PATCH' : 'POST',
                    body: { name, url, format, event_types: words(types) },
                }),
            );
        });
    return (
        <FormDialog
            title={endpoint ? `Change ${endpoint.name}` : 'New endpoint'}
            word={endpoint ? 'Save' : 'Create'}
            act={act}
            on_submit={submit}
            on_close={on_close}
        >
            <Field
                label="Name"
                hint="What listens there."
                value={name}
                on_input={set_name}
                problem={act.problem('name')}
                autocomplete="off"
                required
            />
            <Field
                label="URL"
                hint="Where events are posted to. It is no secret: it is shown in lists and logs."
                value={url}
                on_input={set_url}
                problem={act.problem('url')}
                type="url"
                autocomplete="off"
                required
            />
            <Field
                label="Event types"
                hint="E.g. item.*, comment.created. Without any: everything but what is about webhooks."
                value={types}
                on_input={set_types}
                problem={act.problem('event_types')}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
            />
            <Select
                label="Body"
                value={format}
                on_change={set_format}
                options={[
                    ['cloudevents', 'CloudEvents 1.0'],
                    ['plain', 'type, timestamp and data'],
                ]}
            />
        </FormDialog>
    );
}

export function RotateDialog({
    endpoint,
    on_close,
    on_done,
}: {
    endpoint: WebhookEndpoint;
    on_close: () => void;
    on_done: (secret: string) => void;
}) {
    const rotate = async () => {
        const { secret } = await api<{ secret: string }>(route`/webhooks/${endpoint.id}/rotate`, {
            method: 'POST',
            body: {},
        });
        on_done(secret);
    };
    return (
        <ConfirmDialog
            title={`New secret for ${endpoint.name}`}
            word="Make a new secret"
            on_confirm={rotate}
            on_close={on_close}
        >
            <p>
                For a while both secrets sign, so that its receiver can be given the new one in the meantime.
                The old one is not shown again.
            </p>
        </ConfirmDialog>
    );
}

export function DeleteDialog({
    endpoint,
    on_close,
    on_done,
}: {
    endpoint: WebhookEndpoint;
    on_close: () => void;
    on_done: () => void;
}) {
    const remove = async () => {
        await api(route`/webhooks/${endpoint.id}`, { method: 'DELETE' });
        announce(`${endpoint.name} is deleted`);
        on_done();
    };
    return (
        <ConfirmDialog
            title={`Delete ${endpoint.name}`}
            word="Delete"
            keep="Keep it"
            is_grave
            on_confirm={remove}
            on_close={on_close}
        >
            <p>What waits for it is cancelled, and its secret is gone. Switch it off to keep it.</p>
        </ConfirmDialog>
    );
}
