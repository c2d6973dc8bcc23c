// Data that is read again and again while somebody looks.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ApiError } from '../api/client';

export interface Live<T> {
    /** The last that was read; stays while a later read fails. */
    data: T | undefined;
    /** Why the last read failed; undefined once one succeeds. */
    error: ApiError | undefined;
    /** When `data` came, by this computer's clock. */
    at: number;
    /** Reads at once. */
    reload: () => void;
}

/** How often a page asks for what changes by itself. */
export const refresh_ms = 2000;

function as_error(failure: unknown): ApiError {
    if (failure instanceof ApiError) return failure;
    return new ApiError(0, 'Not understood', String(failure));
}

/**
 * Calls `load` now, when `key` changes, and `every_ms` after each answer (null: only until it
 * succeeds). Rests while the tab is hidden, and reads at once when it is shown again.
 */
export function useLive<T>(
    key: string,
    load: (signal: AbortSignal) => Promise<T>,
    every_ms: number | null = refresh_ms,
): Live<T> {
    const [shown, set_shown] = useState<{
        key: string;
        data: T | undefined;
        error: ApiError | undefined;
        at: number;
    }>({ key, data: undefined, error: undefined, at: 0 });
    const latest = useRef(load);
    latest.current = load;
    const again = useRef<() => void>(() => undefined);

    useEffect(() => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        let running: AbortController | undefined;
        let ended = false;

        const read = async () => {
            clearTimeout(timer);
            running?.abort();
            const mine = new AbortController();
            running = mine;
            let wait = every_ms;
            try {
                const data = await latest.current(mine.signal);
                if (mine.signal.aborted) return;
                set_shown({ key, data, error: undefined, at: Date.now() });
            } catch (failure) {
                if (mine.signal.aborted) return;
                const error = as_error(failure);
                set_shown((before) => ({
                    ...(before.key === key ? before : { key, data: undefined, at: 0 }),
                    error,
                }));
                // What will not pass by itself is not asked again when nobody asked for that.
                wait = error.passes ? refresh_ms : every_ms;
            }
            running = undefined;
            if (!ended && wait !== null && !document.hidden) timer = setTimeout(read, wait);
        };
        const visibility = () => {
            if (document.hidden) clearTimeout(timer);
            else if (every_ms !== null) void read();
        };

        again.current = () => void read();
        document.addEventListener('visibilitychange', visibility);
        void read();
        return () => {
            ended = true;
            clearTimeout(timer);
            running?.abort();
            document.removeEventListener('visibilitychange', visibility);
        };
    }, [key, every_ms]);

    const reload = useCallback(() => again.current(), []);
    const is_old = shown.key !== key;
    return {
        data: is_old ? undefined : shown.data,
        error: is_old ? undefined : shown.error,
        at: is_old ? 0 : shown.at,
        reload,
    };
}
