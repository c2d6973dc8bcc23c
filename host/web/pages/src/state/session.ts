// Signing in and out.

import { api, ApiError, route } from '../api/client';
import type { Session } from '../api/types';
import { session } from './session_store';

export { has_plugin, is_admin, session } from './session_store';

/** Asks the server who we are. Rejects if it cannot say, which is not the same as nobody. */
export async function restore_session(): Promise<void> {
    try {
        session.value = await api<Session>(route`/session`);
    } catch (failure) {
        if (failure instanceof ApiError && failure.status === 401) return;
        throw failure;
    }
}

export async function sign_in(name: string, password: string): Promise<void> {
    session.value = await api<Session>(route`/session`, {
        method: 'POST',
        body: { name, password },
    });
}

export async function sign_out(): Promise<void> {
    await api(route`/session`, { method: 'DELETE' });
    session.value = null;
}
