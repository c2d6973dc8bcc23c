// How many notices wait for whoever is signed in.

import { signal } from '@preact/signals';

import { api, route } from '../api/client';

/** How often it is asked for beside what the pages do themselves. */
export const unread_refresh_ms = 30_000;

/** The server counts no further. */
export const unread_max = 1000;

export const unread = signal(0);

export async function refresh_unread(signal?: AbortSignal): Promise<void> {
    const answer = await api<{ unread: number }>(route`/notify/unread`, signal ? { signal } : {});
    unread.value = answer.unread;
}
