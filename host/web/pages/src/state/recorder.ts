// The last half hour of every consumer, for plots: read once, then grown from each overview.

import { signal } from '@preact/signals';

import { api, route } from '../api/client';
import { distance, type Id } from '../api/lossless';
import type { Consumer, History, Overview } from '../api/types';

/** As the server keeps: half an hour at one sample in two seconds. */
const samples_max = 900;
/** Over how much a rate is taken: short enough to follow, long enough not to flicker. */
const rate_window_s = 10;

export interface Track {
    lag: (number | null)[];
    /** Cursor, counted from Recorder.base: ids may be larger than a double can tell apart. */
    cursor: (number | null)[];
}

export class Recorder {
    at: number[] = [];
    head: (number | null)[] = [];
    tracks = new Map<string, Track>();
    private base: Id | undefined;

    seed(history: History): void {
        this.at = [...history.at];
        this.base = history.stream_head.find((id) => id !== null) ?? this.base;
        this.head = history.stream_head.map((id) => this.place(id));
        this.tracks.clear();
        for (const [name, track] of Object.entries(history.consumers)) {
            this.tracks.set(name, {
                lag: [...track.lag],
                cursor: track.last_event_id.map((id) => this.place(id)),
            });
        }
        this.trim();
    }

    append(at: number, head: Id | undefined, consumers: Consumer[]): void {
        const last = this.at[this.at.length - 1];
        if (last !== undefined && at <= last) return; // Two reads within one tick of the clock.
        this.at.push(at);
        this.base ??= head;
        this.head.push(this.place(head ?? null));
        for (const consumer of consumers) {
            if (consumer.kind === 'task') continue;
            let track = this.tracks.get(consumer.name);
            if (!track) {
                const unknown = Array<null>(this.at.length - 1).fill(null);
                track = { lag: [...unknown], cursor: [...unknown] };
                this.tracks.set(consumer.name, track);
            }
            track.lag.push(consumer.lag);
            track.cursor.push(this.place(consumer.last_event_id));
        }
        this.trim();
    }

    /** Events a second that pass `values` of late; undefined while two samples are missing. */
    rate(values: (number | null)[] | undefined, end = this.at.length - 1): number | undefined {
        if (!values) return undefined;
        const now = values[end];
        const now_at = this.at[end];
        if (now === null || now === undefined || now_at === undefined) return undefined;
        let start = end;
        while (start > 0 && now_at - (this.at[start - 1] ?? 0) <= rate_window_s) --start;
        while (start < end && values[start] === null) ++start;
        const before = values[start];
        const elapsed = now_at - (this.at[start] ?? now_at);
        if (before === null || before === undefined || elapsed <= 0) return undefined;
        return (now - before) / elapsed;
    }

    /**
     * How fast `values` fall since they were highest of late; undefined if they do not. What was
     * written in one go a moment ago does not count as if it went on being written.
     */
    fall(values: (number | null)[]): number | undefined {
        const end = this.at.length - 1;
        const now = values[end];
        const now_at = this.at[end];
        if (now === null || now === undefined || now_at === undefined) return undefined;
        let best: number | undefined;
        let peak = now;
        for (let at = end - 1; at >= 0 && now_at - (this.at[at] ?? 0) <= rate_window_s; --at) {
            const value = values[at];
            if (value === null || value === undefined || value <= peak) continue;
            peak = value;
            best = (value - now) / (now_at - (this.at[at] ?? 0));
        }
        return best;
    }

    /** The rate at every sample; a cursor that was set back passes nothing. */
    rates(values: (number | null)[] | undefined): (number | null)[] {
        return this.at.map((_, end) => {
            const found = this.rate(values, end);
            return found === undefined ? null : Math.max(0, found);
        });
    }

    /** The greatest lag of these consumers at each sample. */
    lag_max(names: string[]): (number | null)[] {
        const tracks = names.map((name) => this.tracks.get(name));
        return this.at.map((_, at) => {
            let max: number | null = null;
            for (const track of tracks) {
                const lag = track?.lag[at];
                if (lag !== null && lag !== undefined) max = Math.max(max ?? 0, lag);
            }
            return max;
        });
    }

    /** Events that all consumers together pass a second, at each sample. */
    handled(): (number | null)[] {
        const each = [...this.tracks.values()].map((track) => this.rates(track.cursor));
        return this.at.map((_, at) => {
            const known = each.map((rates) => rates[at]).filter((rate) => typeof rate === 'number');
            return known.length === 0 ? null : known.reduce((sum, rate) => sum + rate, 0);
        });
    }

    private place(id: Id | null): number | null {
        return id === null || this.base === undefined ? null : distance(id, this.base);
    }

    private trim(): void {
        const missing = this.at.length;
        for (const track of this.tracks.values()) {
            // A consumer that is not reported any more has no value here.
            for (const values of [track.lag, track.cursor])
                while (values.length < missing) values.push(null);
        }
        const extra = this.at.length - samples_max;
        if (extra <= 0) return;
        this.at.splice(0, extra);
        this.head.splice(0, extra);
        for (const track of this.tracks.values()) {
            track.lag.splice(0, extra);
            track.cursor.splice(0, extra);
        }
    }
}

export const recorder = new Recorder();
/** Changes with each sample, for what draws the recorder. */
export const recorded = signal(0);

let seeded_at = 0;
const seed_again_ms = 30_000;

/** The overview, which is then in the recorder too. */
export async function read_overview(abort: AbortSignal): Promise<Overview> {
    // After a pause (a hidden tab, another page) the server knows what was missed.
    if (Date.now() - seeded_at > seed_again_ms) {
        try {
            recorder.seed(await api<History>(route`/monitoring/history`, { signal: abort }));
        } catch (failure) {
            if (abort.aborted) throw failure;
            // Plots then begin now; the overview below says what is wrong, if anything is.
        }
    }
    const overview = await api<Overview>(route`/monitoring/overview`, { signal: abort });
    const { time, stream_head } = overview.database;
    if (time) {
        seeded_at = Date.now();
        recorder.append(new Date(time).getTime() / 1000, stream_head, overview.consumers);
        recorded.value += 1;
    }
    return overview;
}

export interface CatchUp {
    per_second: number;
    /** Undefined: the lag does not fall. */
    left_s: number | undefined;
    /** From 0 to 1: how much of the backlog, since it was greatest, is done. */
    done: number;
}

/** How a lagging consumer gets on; undefined while that is not known. */
export function catch_up(consumer: Consumer): CatchUp | undefined {
    const track = recorder.tracks.get(consumer.name);
    const per_second = recorder.rate(track?.cursor);
    if (!track || per_second === undefined) return undefined;
    const gained = recorder.fall(track.lag);
    let peak = consumer.lag;
    for (let at = track.lag.length - 1; at >= 0; --at) {
        const lag = track.lag[at];
        if (lag === 0 || lag === null || lag === undefined) break;
        peak = Math.max(peak, lag);
    }
    return {
        per_second: Math.max(0, per_second),
        left_s: gained === undefined ? undefined : consumer.lag / gained,
        done: peak === 0 ? 1 : 1 - consumer.lag / peak,
    };
}
