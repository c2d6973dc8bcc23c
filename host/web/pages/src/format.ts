// Numbers, spans and times as people read them.

import { is_lossless, type Id } from './api/lossless';

/** Thin spaces between groups of three: the same everywhere, and no confusion with a decimal. */
export function count(value: Id | null | undefined): string {
    if (value === null || value === undefined) return '–';
    const text = is_lossless(value) ? value.value : String(Math.round(value));
    return text.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** "~12 000" where the server has counted ids and not events. */
export function counted(value: Id, approximate: boolean): string {
    return approximate ? `~${count(value)}` : count(value);
}

/** "1 event", "2 events". */
export function plural(value: Id, one: string, many = `${one}s`): string {
    return `${count(value)} ${String(value) === '1' ? one : many}`;
}

/** "640 B", "1.2 kB", "12 MB": by powers of a thousand. */
export function bytes(value: Id | null | undefined): string {
    if (value === null || value === undefined) return '–';
    let left = Number(is_lossless(value) ? value.value : value);
    if (left < 1000) return `${left} B`;
    const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
    let unit = -1;
    // 999 600 is 1.0 MB and not 1000 kB.
    do left /= 1000;
    while (++unit < units.length - 1 && left >= 999.5);
    return `${left < 9.95 ? left.toFixed(1) : left.toFixed(0)} ${units[unit]}`;
}

/** "850 ms", "12 s", "3 min 20 s", "5 h 10 min", "2 d 4 h". */
export function span(seconds: number): string {
    if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
    const s = Math.round(seconds);
    if (s < 120) return `${s} s`;
    const two = (big: number, unit: string, small: number, small_unit: string) =>
        small === 0 ? `${big} ${unit}` : `${big} ${unit} ${small} ${small_unit}`;
    const min = Math.floor(s / 60);
    if (min < 120) return two(min, 'min', s % 60, 's');
    const h = Math.floor(min / 60);
    if (h < 48) return two(h, 'h', min % 60, 'min');
    return two(Math.floor(h / 24), 'd', h % 24, 'h');
}

/** "12 s ago"; "now" below one second, where nobody reads the difference. */
export function ago(seconds: number): string {
    return seconds < 1 ? 'now' : `${span(seconds)} ago`;
}

/** Events a second: "0", "0.4", "12", "1 200". */
export function rate(per_second: number): string {
    if (per_second > 0 && per_second < 10) return per_second.toFixed(1);
    return count(per_second);
}

const local = new Intl.DateTimeFormat(undefined, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
});

/**
 * In the reader's zone, year first. What no Date can hold, such as infinity and years of more
 * than four digits, is shown as it was sent.
 */
export function time(text: string): string {
    const date = new Date(text);
    if (!/^\d{4}-/.test(text) || Number.isNaN(date.getTime())) return text;
    const part = Object.fromEntries(local.formatToParts(date).map((p) => [p.type, p.value]));
    return `${part['year']}-${part['month']}-${part['day']} ${part['hour']}:${part['minute']}:${part['second']}`;
}

/** Only the time of day, of this computer's clock. */
export function clock(at_ms: number): string {
    return time(new Date(at_ms).toISOString()).slice(-8);
}

const system_actor = '00000000-0000-4000-8000-000000000001';

export function actor(id: string | null): string {
    if (id === null) return 'nobody';
    return id === system_actor ? 'SYSTEM' : id;
}

/** host:pid:random without the random part, which tells two starts of one process id apart. */
export function owner(text: string | null): string {
    if (text === null) return '–';
    const at = text.lastIndexOf(':');
    return at > 0 ? text.slice(0, at) : text;
}

/** "item.*, comment.created" as a list. */
export function words(text: string): string[] {
    return text.split(/[\s,]+/).filter((word) => word !== '');
}
