// Who is signed in. Apart from session.ts, because the client must know it and it the client.

import { signal } from '@preact/signals';

import type { Session } from '../api/types';

/** undefined: not asked yet; null: nobody. */
export const session = signal<Session | null | undefined>(undefined);

export function csrf_token(): string {
    return session.value?.csrf_token ?? '';
}

export function forget_session(): void {
    session.value = null;
}

export function has_plugin(id: string): boolean {
    return session.value?.plugins.includes(id) ?? false;
}

export function is_admin(): boolean {
    return session.value?.account.role === 'admin';
}
