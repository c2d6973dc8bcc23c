// The one way tests wait: until something is so, never for a time.

import { setTimeout as pause } from 'node:timers/promises';

const look_every_ms = 50;

/** Calls `look` until it answers something true, and answers that. */
export async function eventually(what, look, deadline_ms = 30_000) {
    const end = Date.now() + deadline_ms;
    let last;
    for (;;) {
        try {
            const found = await look();
            if (found) return found;
            last = undefined;
        } catch (failure) {
            last = failure;
        }
        if (Date.now() > end) {
            throw new Error(`not within ${deadline_ms / 1000} s: ${what}`, { cause: last });
        }
        await pause(look_every_ms);
    }
}
