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
    deliveries: '/deliveries',
    webhooks: '/webhooks',
    chat: '/chat',
    records: '/records',
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

/** Of one queue, one receiver or one state, as far as given. */
export function deliveries_path(filter: { queue?: string; lane?: string; state?: string }): string {
    const text = new URLSearchParams(filter).toString();
    return text === '' ? paths.deliveries : `${paths.deliveries}?${text}`;
}

export function webhook_path(id: number): string {
    return `${paths.webhooks}/${id}`;
}

export function records_path(plural: string): string {
    return `${paths.records}/${encodeURIComponent(plural)}`;
}

export function record_path(plural: string, id: Id | string): string {
    return `${records_path(plural)}/${encodeURIComponent(String(id))}`;
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
    if (!next.startsWith('/')) return '/';
    try {
        const url = new URL(next, window.location.origin);
        // /.//host is a path of ours, //host, which whoever reads it again takes for a host.
        const is_ours = url.origin === window.location.origin && !url.pathname.startsWith('//');
        return is_ours ? url.pathname + url.search : '/';
    } catch {
        return '/'; // '//' alone, or a port that is none.
    }
}
