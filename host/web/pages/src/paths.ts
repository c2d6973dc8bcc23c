// Addresses of the pages.

import type { Id } from './api/lossless';

export const paths = {
    sign_in: '/sign-in',
    inbox: '/inbox',
    inbox_preferences: '/inbox/preferences',
    monitoring: '/monitoring',
    events: '/events',
    service_levels: '/service-levels',
    automations: '/automations',
    plugins: '/plugins',
    tokens: '/tokens',
    accounts: '/accounts',
} as const;

export function consumer_path(name: string): string {
    return `/consumers/${encodeURIComponent(name)}`;
}

export function event_path(id: Id): string {
    return `/events/${encodeURIComponent(String(id))}`;
}

export function entity_path(type: string, id: string): string {
    return `/entities/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
}

/**
 * A segment of the address, decoded once. The router decodes what it hands out in a way that
 * leaves %2F and confuses %25; names of consumers and ids of entities may hold either.
 */
export function segment(index: number): string {
    const raw = window.location.pathname.split('/')[index + 1] ?? '';
    try {
        return decodeURIComponent(raw);
    } catch {
        return raw;
    }
}

/** Where to go after signing in: a path of ours and nothing that a browser reads as elsewhere. */
export function safe_next(search: string): string {
    const next = new URLSearchParams(search).get('next') ?? '/';
    const url = new URL(next, window.location.origin);
    const is_ours = next.startsWith('/') && url.origin === window.location.origin;
    return is_ours ? url.pathname + url.search : '/';
}
