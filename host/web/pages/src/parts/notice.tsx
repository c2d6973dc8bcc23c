// What a page says besides its data: that something is wrong, empty, or not there yet.

import type { ComponentChildren } from 'preact';

import type { ApiError } from '../api/client';
import { clock } from '../format';
import type { Live } from '../state/live';

type Tone = 'info' | 'warn' | 'bad' | 'good';

export function Notice({
    tone = 'info',
    role = 'note',
    title,
    children,
}: {
    tone?: Tone;
    /** status and alert are read out by themselves, and again whenever their text changes. */
    role?: 'note' | 'status' | 'alert';
    title: string;
    children?: ComponentChildren;
}) {
    return (
        <div class={`notice ${tone}`} role={role}>
            <strong>{title}</strong>
            {children !== undefined && <div class="notice-text">{children}</div>}
        </div>
    );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
    return (
        <div class="empty">
            <p class="empty-title">{title}</p>
            {children}
        </div>
    );
}

export function Loading() {
    return (
        <p class="loading" role="status">
            Loading…
        </p>
    );
}

function title_of(error: ApiError): string {
    if (error.status === 0) return 'The host does not answer';
    if (error.status === 503) return 'The host cannot answer now';
    if (error.status === 403) return 'This page is for administrators';
    if (error.status === 404) return 'There is no such thing';
    if (error.status === 401 || error.status === 422) return 'Not accepted';
    if (error.status === 429) return 'Too many attempts';
    return error.title;
}

/** In words, with what the server said and which request that was. */
export function Failure({ error, live }: { error: ApiError; live?: Live<unknown> }) {
    const is_stale = live?.data !== undefined;
    return (
        <Notice
            tone={error.passes ? 'warn' : 'bad'}
            role={error.passes ? 'status' : 'alert'}
            title={title_of(error)}
        >
            {error.detail}
            {error.passes && ' Trying again every two seconds.'}
            {is_stale && ` What is shown was read at ${clock(live.at)}.`}
            {error.status === 500 && error.request_id && (
                <>
                    {' '}
                    Request <code>{error.request_id}</code>
                </>
            )}
        </Notice>
    );
}

/** The data, or why there is none; both while an old answer is shown. */
export function Shown<T>({ live, children }: { live: Live<T>; children: (data: T) => ComponentChildren }) {
    return (
        <>
            {live.error && <Failure error={live.error} live={live} />}
            {live.data !== undefined ? children(live.data) : !live.error && <Loading />}
        </>
    );
}
