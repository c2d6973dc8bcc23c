// JSON whose numbers keep their digits.
//
// A number that JavaScript would print exactly as it stands is a number; any other is kept as its
// text: event ids above 2^53, 1.10, 1e400 in somebody's payload.

import { LosslessNumber, parse, stringify } from 'lossless-json';

/** An id as the server sent it. For display, comparing and putting into a path: String(id). */
export type Id = number | LosslessNumber;

/** What a JSON text holds. */
export type Json = null | boolean | number | LosslessNumber | string | Json[] | { [key: string]: Json };

export function parse_json(text: string): unknown {
    return parse(text, undefined, (digits) => {
        const number = Number(digits);
        return String(number) === digits ? number : new LosslessNumber(digits);
    });
}

/** Indented, with every digit. */
export function pretty_json(value: unknown): string {
    return stringify(value, undefined, 2) ?? 'null';
}

/** As a double, for a plot, where the last digits are not seen. */
export function approximately(id: Id): number {
    return typeof id === 'number' ? id : Number(id.value);
}

/** a - b, exact for any two ids that are near each other. */
export function distance(a: Id, b: Id): number {
    return Number(BigInt(String(a)) - BigInt(String(b)));
}

export function is_lossless(value: unknown): value is LosslessNumber {
    return value instanceof LosslessNumber;
}
