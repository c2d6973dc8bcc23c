// What the reader was told, and what they have not seen of it.

import { useState } from 'preact/hooks';

import { api, query, route } from '../api/client';
import type { Inbox as InboxPage, InboxNotice } from '../api/types';
import { time } from '../format';
import { Tag } from '../parts/chip';
import { ActFailure, useAct, type Act } from '../parts/form';
import { Empty, Shown } from '../parts/notice';
import { Page } from '../parts/page';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';
import { unread } from '../state/unread';
import { entity_path, paths } from '../paths';

type View = 'all' | 'unread' | 'archived';

const views: [View, string][] = [
    ['all', 'All'],
    ['unread', 'Unread'],
    ['archived', 'Archived'],
];

async function read_page(view: View, before?: number, signal?: AbortSignal): Promise<InboxPage> {
    const asked = query({
        unread: view === 'unread' ? 'true' : undefined,
        archived: view === 'archived' ? 'true' : undefined,
        before,
    });
    const page = await api<InboxPage>(route`/notify/inbox` + asked, signal ? { signal } : {});
    unread.value = page.unread;
    return page;
}

const mail_words: Record<string, string> = {
    waiting: 'mail waits to be sent',
    given_up: 'mail was given up',
};

function Line({ notice, act, on_change }: { notice: InboxNotice; act: Act; on_change: () => void }) {
    const is_read = notice.read_at !== null;
    const is_archived = notice.archived_at !== null;
    const mark = (change: { read?: boolean; archived?: boolean }, done: string) =>
        void act.run(async () => {
            await api(route`/notify/inbox/${notice.id}`, { method: 'PATCH', body: change });
            announce(`${notice.item.key}: ${done}`);
            on_change();
        });
    const { muted } = notice.item;
    const mute = () =>
        void act.run(async () => {
            await api(route`/notify/items/${notice.item.key}/mute`, { method: muted ? 'DELETE' : 'PUT' });
            announce(`${notice.item.key} is ${muted ? 'heard again' : 'muted'}`);
            on_change();
        });
    const mail = mail_words[notice.mail.state];
    const about = `${notice.item.key}, ${notice.text}`;
    return (
        <li class={is_read ? 'told' : 'told new'}>
            <div class="told-text">
                <p class="told-head">
                    {!is_read && <span class="unseen">Unread: </span>}
                    <a href={entity_path('item', String(notice.item.id))}>
                        {notice.item.key} <bdi>{notice.item.title}</bdi>
                    </a>
                </p>
                <p>
                    <bdi>{notice.text}</bdi>
                    {notice.automated !== null && (
                        <>
                            {' '}
                            <Tag>automation</Tag>
                        </>
                    )}
                </p>
                {notice.excerpt !== null && <blockquote>{notice.excerpt}</blockquote>}
                <p class="under">
                    {time(notice.created_at)} · {notice.label}
                    {mail && ` · ${mail}`}
                    {mail && notice.mail.detail !== null && `: ${notice.mail.detail}`}
                </p>
            </div>
            <div class="told-acts">
                <button
                    type="button"
                    class="small"
                    aria-label={`${is_read ? 'Mark as unread' : 'Mark as read'}: ${about}`}
                    onClick={() => mark({ read: !is_read }, is_read ? 'unread' : 'read')}
                >
                    {is_read ? 'Mark as unread' : 'Mark as read'}
                </button>
                <button
                    type="button"
                    class="small"
                    aria-label={`${is_archived ? 'Back to the inbox' : 'Archive'}: ${about}`}
                    onClick={() =>
                        mark({ archived: !is_archived }, is_archived ? 'back in the inbox' : 'archived')
                    }
                >
                    {is_archived ? 'Restore' : 'Archive'}
                </button>
                <button
                    type="button"
                    class="small"
                    title={muted ? 'Hear of this item again' : 'Hear no more of this item'}
                    aria-label={`${muted ? 'Unmute' : 'Mute'} ${notice.item.key}, ${notice.text}`}
                    onClick={mute}
                >
                    {muted ? 'Unmute' : 'Mute'}
                </button>
            </div>
        </li>
    );
}

function Lines({ view, first, reload }: { view: View; first: InboxPage; reload: () => void }) {
    const [older, set_older] = useState<InboxPage[]>([]);
    const act = useAct();
    const pages = [first, ...older];
    const next = pages[pages.length - 1]?.next ?? null;
    const changed = () => {
        set_older([]);
        reload();
    };
    const more = () =>
        void act.run(async () => {
            if (next !== null) set_older([...older, await read_page(view, next.before)]);
        });
    const notices = pages.flatMap((page) => page.notices);
    if (notices.length === 0)
        return (
            <Empty title={view === 'unread' ? 'You have seen everything' : 'There is nothing here'}>
                {view === 'all' && (
                    <p>
                        What happens to items that you report, work at, comment on or watch is told here.
                    </p>
                )}
            </Empty>
        );
    return (
        <>
            <ActFailure act={act} />
            <ul class="told-list">
                {notices.map((notice) => (
                    <Line key={String(notice.id)} notice={notice} act={act} on_change={changed} />
                ))}
            </ul>
            {next !== null && (
                <button type="button" onClick={more} disabled={act.is_running}>
                    Show older ones
                </button>
            )}
        </>
    );
}

export function Inbox() {
    const [view, set_view] = useState<View>('all');
    const live = useLive(
        `inbox ${view}`,
        (signal) => read_page(view, undefined, signal),
        view === 'archived' ? null : refresh_ms * 5,
    );
    const act = useAct();
    const latest = live.data?.notices[0]?.id;
    const read_all = () =>
        void act.run(async () => {
            await api(route`/notify/inbox/read`, { method: 'POST', body: { through: latest } });
            announce('All are read');
            live.reload();
        });
    return (
        <Page
            title="Inbox"
            actions={
                <>
                    <a href={paths.inbox_preferences}>
                        Preferences
                    </a>
                    <button
                        type="button"
                        disabled={act.is_running || latest === undefined || unread.value === 0}
                        onClick={read_all}
                    >
                        Mark all as read
                    </button>
                </>
            }
        >
            <ActFailure act={act} />
            <div class="views" role="group" aria-label="Which notices">
                {views.map(([name, label]) => (
                    <button
                        key={name}
                        type="button"
                        class="small"
                        aria-pressed={view === name}
                        onClick={() => set_view(name)}
                    >
                        {label}
                    </button>
                ))}
            </div>
            <Shown live={live}>
                {(page) => <Lines key={view} view={view} first={page} reload={live.reload} />}
            </Shown>
        </Page>
    );
}
