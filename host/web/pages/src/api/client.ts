// One way to the server: the JSON API, with the session's cookie and CSRF token.

import { csrf_token, forget_session, session } from '../state/session_store';
import { parse_json, pretty_json, type Id } from './lossless';
import type { Session } from './types';

/** Longer than the server's own limit, so that its answer comes first. */
const request_timeout_ms = 15_000;

export interface FieldProblem {
    field: string;
    problem: string;
}

/** What went wrong, in words for the reader. `status` 0: nothing answered. */
export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly title: string,
        readonly detail: string,
        readonly fields: FieldProblem[] = [],
        readonly request_id = '',
    ) {
        super(detail || title);
    }

    /** It may go away by itself: the database or the host is away. */
    get passes(): boolean {
        return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
    }
}

export interface Request {
    method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    body?: unknown;
    /** Done only to this version of what the path names; any other is refused with 412. */
    if_match?: Id;
    signal?: AbortSignal;
}

async function send(path: string, { method = 'GET', body, if_match, signal }: Request): Promise<Response> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), request_timeout_ms);
    const abort = () => timeout.abort();
    signal?.addEventListener('abort', abort);
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (method !== 'GET') headers['X-CSRF-Token'] = csrf_token();
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (if_match !== undefined) headers['If-Match'] = `"${String(if_match)}"`;
    try {
        return await fetch(path, {
            method,
            headers,
            signal: timeout.signal,
            ...(body === undefined ? {} : { body: pretty_json(body) }),
        });
    } catch (failure) {
        if (signal?.aborted) throw failure;
        throw new ApiError(0, 'No answer', 'It has ended, or the network is away.');
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
    }
}

function problem(status: number, document: unknown): ApiError {
    const found = (typeof document === 'object' && document !== null ? document : {}) as {
        title?: string;
        detail?: string;
        errors?: FieldProblem[];
        request_id?: string;
    };
    return new ApiError(
        status,
        found.title ?? `Status ${status}`,
        found.detail ?? '',
        found.errors ?? [],
        found.request_id ?? '',
    );
}

/**
 * The answer's document; undefined if it has none. Rejects with an ApiError, or with the
 * signal's AbortError. 401 also ends the session here, which brings the sign-in page.
 */
export async function api<T>(path: string, request: Request = {}): Promise<T> {
    const response = await send(path, request);
    const document = await read(response);
    if (response.ok) return document as T;
    if (response.status === 401) forget_session();
    // Another tab has signed in since: the cookie is the new session's, the token here the old's.
    if (response.status === 403 && request.method && (await renew_token())) return api<T>(path, request);
    throw problem(response.status, document);
}

async function read(response: Response): Promise<unknown> {
    const text = await response.text();
    try {
        return text === '' ? undefined : parse_json(text);
    } catch {
        return undefined; // A proxy's own page, say; the status tells enough.
    }
}

/** Whether the session's token was another one than what is known here. */
async function renew_token(): Promise<boolean> {
    const before = csrf_token();
    const response = await send(route`/session`, {});
    if (response.ok) session.value = (await read(response)) as Session;
    return csrf_token() !== before;
}

/** `/api/v1/…` with its values escaped: route`/consumers/${name}/pause`. */
export function route(parts: TemplateStringsArray, ...values: unknown[]): string {
    return `/api/v1${parts.reduce(
        (path, part, at) => path + encodeURIComponent(String(values[at - 1])) + part,
    )}`;
}

/** `?a=1&b=2` of what has a value; empty if nothing has. */
export function query(values: Record<string, string | number | string[] | undefined>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== undefined && one !== '') parameters.append(name, String(one));
        }
    }
    const text = parameters.toString();
    return text === '' ? '' : `?${text}`;
}
