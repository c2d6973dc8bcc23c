// What is asked before a consumer is held, moved or retired.

import { useState } from 'preact/hooks';

import { api, ApiError, route } from '../api/client';
import type { Consumer, Seek } from '../api/types';
import { counted, plural } from '../format';
import { FormDialog } from '../parts/ask';
import { Field, Select, useAct } from '../parts/form';
import { Notice } from '../parts/notice';

interface Asked {
    on_close: () => void;
    /** With what has been done, for the reader. */
    on_done: (text: string) => void;
}

export function PauseDialog({ name, on_close, on_done }: Asked & { name: string }) {
    const [duration, set_duration] = useState('');
    const [reason, set_reason] = useState('');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            await api(route`/consumers/${name}/pause`, {
                method: 'POST',
                body: { ...(duration ? { for: duration } : {}), ...(reason ? { reason } : {}) },
            });
            on_done(`${name} is paused`);
        });
    return (
        <FormDialog title={`Pause ${name}`} word="Pause" act={act} on_submit={submit} on_close={on_close}>
            <p>Its cursor stays where it is; events wait until it goes on.</p>
            <Select
                label="How long"
                value={duration}
                on_change={set_duration}
                options={[
                    ['', 'until somebody resumes it'],
                    ['5m', '5 minutes'],
                    ['30m', '30 minutes'],
                    ['2h', '2 hours'],
                    ['24h', '24 hours'],
                ]}
            />
            <Field
                label="Reason"
                hint="Optional. Shown to whoever looks at it."
                value={reason}
                on_input={set_reason}
                problem={act.problem('reason')}
            />
        </FormDialog>
    );
}

type Target = 'head' | 'beginning' | 'id';

/** As the API takes it: "head", "beginning", or an id with all its digits. */
function target_of(target: Target, id: string): unknown {
    if (target !== 'id') return target;
    if (!/^\d{1,19}$/.test(id)) throw new ApiError(422, 'Not an event id', 'An event id is a whole number.');
    return BigInt(id);
}

function Meaning({ seek, consumer }: { seek: Seek; consumer: Consumer }) {
    const events = seek.approximate
        ? `${counted(seek.events, true)} events`
        : plural(seek.events, 'event');
    const move = `The cursor moves from ${String(seek.from)} to ${String(seek.to)}.`;
    if (String(seek.from) === String(seek.to))
        return <Notice title="Nothing would change">The cursor is there already.</Notice>;
    if (seek.direction === 'replay') {
        return (
            <Notice tone="warn" title={`${events} will be replayed`}>
                {move} {consumer.name} handles them a second time; what it sends to the outside is sent
                again.
            </Notice>
        );
    }
    return (
        <Notice tone="warn" title={`${events} will be passed`}>
            {move} {consumer.name} never handles them, unless it is set back.
        </Notice>
    );
}

export function SeekDialog({ consumer, on_close, on_done }: Asked & { consumer: Consumer }) {
    const [target, set_target] = useState<Target>('head');
    const [id, set_id] = useState('');
    const [seek, set_seek] = useState<Seek>();
    const act = useAct();
    const { name } = consumer;

    const send = (dry_run: boolean) =>
        api<Seek>(route`/consumers/${name}/seek`, {
            method: 'POST',
            body: { to: target_of(target, id), dry_run },
        });
    const submit = () =>
        act.run(async () => {
            if (!seek) {
                set_seek(await send(true));
                return;
            }
            const done = await send(false);
            on_done(`${name}: the cursor is at ${String(done.to)}`);
        });
    const choose = (change: () => void) => {
        change();
        set_seek(undefined);
    };
    const deed = seek?.direction === 'replay' ? 'Replay them' : 'Pass them';
    return (
        <FormDialog
            title={`Move the cursor of ${name}`}
            word={seek ? deed : 'See what it means'}
            is_grave={seek !== undefined}
            is_blocked={seek !== undefined && String(seek.from) === String(seek.to)}
            act={act}
            on_submit={submit}
            on_close={on_close}
        >
            <Select
                label="To"
                value={target}
                on_change={(value) => choose(() => set_target(value as Target))}
                options={[
                    ['head', 'the head: pass everything that waits'],
                    ['beginning', 'the beginning: replay everything'],
                    ['id', 'an event'],
                ]}
            />
            {target === 'id' && (
                <Field
                    label="Event id"
                    hint="The last event that counts as handled."
                    inputmode="numeric"
                    value={id}
                    on_input={(value) => choose(() => set_id(value.trim()))}
                    problem={act.problem('to')}
                    required
                />
            )}
            {seek && <Meaning seek={seek} consumer={consumer} />}
        </FormDialog>
    );
}

export function RetireDialog({ name, on_close, on_done }: Asked & { name: string }) {
    const [typed, set_typed] = useState('');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            await api(route`/consumers/${name}/retire`, { method: 'POST', body: {} });
            on_done(`${name} is retired`);
        });
    return (
        <FormDialog
            title={`Retire ${name}`}
            word="Retire"
            is_grave
            is_blocked={typed !== name}
            act={act}
            on_submit={submit}
            on_close={on_close}
        >
            <p>
                No host runs it any more, until somebody resumes it. Its cursor and its skipped events are
                kept.
            </p>
            <Field
                label={`Type ${name} to confirm`}
                value={typed}
                on_input={set_typed}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                required
            />
        </FormDialog>
    );
}

