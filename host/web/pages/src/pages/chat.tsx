// Chat rooms that are told of events.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { ChatRoom } from '../api/delivery_types';
import { count, words } from '../format';
import { ConfirmDialog, FormDialog } from '../parts/ask';
import { Tag } from '../parts/chip';
import { ActFailure, Field, useAct } from '../parts/form';
import { Notice, Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { RowButton, Table, type Column } from '../parts/table';
import { deliveries_path } from '../paths';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';

const queue = 'chat.posts';

function RoomDialog({
    room,
    on_close,
    on_done,
}: {
    room?: ChatRoom;
    on_close: () => void;
    on_done: (text: string) => void;
}) {
    const [name, set_name] = useState(room?.name ?? '');
    const [url, set_url] = useState('');
    const [types, set_types] = useState(room?.event_types.join(', ') ?? '');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            await api<ChatRoom>(room ? route`/chat/rooms/${room.id}` : route`/chat/rooms`, {
                method: room ? 'PATCH' : 'POST',
                body: { name, event_types: words(types), ...(url ? { url } : {}) },
            });
            on_done(room ? `${name} is changed` : `${name} is told of events`);
        });
    return (
        <FormDialog
            title={room ? `Change ${room.name}` : 'New room'}
            word={room ? 'Save' : 'Create'}
            act={act}
            on_submit={submit}
            on_close={on_close}
        >
            <Field
                label="Name"
                value={name}
                on_input={set_name}
                problem={act.problem('name')}
                autocomplete="off"
                required
            />
            <Field
                label="URL of its incoming webhook"
                hint={
                    room
                        ? `Now at ${room.url_host}. Leave it empty to keep it.`
                        : 'Whoever has it may post there: it is sealed, and never shown again.'
                }
                value={url}
                on_input={set_url}
                problem={act.problem('url')}
                type="url"
                autocomplete="off"
                required={!room}
            />
            <Field
                label="Event types"
                hint="E.g. item.*, comment.created. Without any: everything."
                value={types}
                on_input={set_types}
                problem={act.problem('event_types')}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
            />
        </FormDialog>
    );
}

function RemoveDialog({
    room,
    on_close,
    on_done,
}: {
    room: ChatRoom;
    on_close: () => void;
    on_done: (text: string) => void;
}) {
    const remove = async () => {
        await api(route`/chat/rooms/${room.id}`, { method: 'DELETE' });
        on_done(`${room.name} is forgotten`);
    };
    return (
        <ConfirmDialog
            title={`Forget ${room.name}`}
            word="Forget it"
            keep="Keep it"
            is_grave
            on_confirm={remove}
            on_close={on_close}
        >
            <p>What waits for it is cancelled, and its URL is gone. Switch it off to keep it.</p>
        </ConfirmDialog>
    );
}

interface Trial {
    room: ChatRoom;
    posted: boolean;
    detail: string;
}

function TrialNotice({ trial: { room, posted, detail } }: { trial: Trial }) {
    const title = posted ? `${room.name} has got a message` : `${room.name} has got no message`;
    return (
        <Notice tone={posted ? 'good' : 'bad'} role="status" title={title}>
            {detail}
        </Notice>
    );
}

export function Chat() {
    const live = useLive(
        'chat',
        (signal) => api<{ rooms: ChatRoom[] }>(route`/chat/rooms`, { signal }),
        refresh_ms * 2,
    );
    const [is_new, set_new] = useState(false);
    const [changing, change] = useState<ChatRoom>();
    const [removing, remove] = useState<ChatRoom>();
    const [trial, set_trial] = useState<Trial>();
    const act = useAct();
    const close = () => {
        set_new(false);
        change(undefined);
        remove(undefined);
    };
    const done = (text: string) => {
        announce(text);
        close();
        live.reload();
    };
    const test = (room: ChatRoom) =>
        act.run(async () => {
            const found = await api<Omit<Trial, 'room'>>(route`/chat/rooms/${room.id}/test`, {
                method: 'POST',
                body: {},
            });
            set_trial({ room, ...found });
        });
    const turn = (room: ChatRoom) =>
        act.run(async () => {
            const enabled = !room.enabled;
            await api(route`/chat/rooms/${room.id}`, { method: 'PATCH', body: { enabled } });
            done(`${room.name} is ${enabled ? 'on' : 'off'}`);
        });
    const columns: Column<ChatRoom>[] = [
        {
            head: 'Room',
            is_title: true,
            cell: (room) => (
                <>
                    <button type="button" class="link" onClick={() => change(room)}>
                        {room.name}
                    </button>
                    <span class="under">{room.url_host}</span>
                </>
            ),
        },
        {
            head: 'State',
            cell: (room) =>
                room.enabled ? (
                    <span class="chip good">on</span>
                ) : (
                    <>
                        <span class="chip off">off</span>
                        <span class="under">{room.disabled_reason}</span>
                    </>
                ),
        },
        {
            head: 'Told of',
            cell: (room) =>
                room.event_types.length === 0
                    ? 'everything'
                    : room.event_types.map((type) => <Tag key={type}>{type}</Tag>),
        },
        {
            head: 'Waiting',
            is_number: true,
            cell: (room) => (
                <a href={deliveries_path({ queue, lane: String(room.id) })}>{count(room.waiting)}</a>
            ),
        },
        {
            head: 'Act',
            is_action: true,
            cell: (room) => (
                <>
                    <RowButton
                        label={`Test ${room.name}`}
                        disabled={act.is_running}
                        on_click={() => void test(room)}
                    >
                        Test
                    </RowButton>{' '}
                    <RowButton
                        label={`Switch ${room.enabled ? 'off' : 'on'} ${room.name}`}
                        disabled={act.is_running}
                        on_click={() => void turn(room)}
                    >
                        Switch {room.enabled ? 'off' : 'on'}
                    </RowButton>{' '}
                    <RowButton label={`Forget ${room.name}`} is_grave on_click={() => remove(room)}>
                        Forget
                    </RowButton>
                </>
            ),
        },
    ];
    return (
        <Page
            title="Chat"
            intro="Rooms that are told of events: a message a second at most, with more in it where a room is behind."
            actions={
                <button type="button" class="main" onClick={() => set_new(true)}>
                    New room
                </button>
            }
        >
            <ActFailure act={act} />
            {trial && <TrialNotice trial={trial} />}
            <Shown live={live}>
                {({ rooms }) => (
                    <Table
                        caption="Chat rooms"
                        columns={columns}
                        rows={rooms}
                        row_key={(room) => String(room.id)}
                        empty="No room is told of anything yet"
                    />
                )}
            </Shown>
            {is_new && <RoomDialog on_close={close} on_done={done} />}
            {changing && <RoomDialog room={changing} on_close={close} on_done={done} />}
            {removing && <RemoveDialog room={removing} on_close={close} on_done={done} />}
        </Page>
    );
}
