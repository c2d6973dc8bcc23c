// What a screen reader says, and everybody else sees for a moment, when something has been done.

import { signal } from '@preact/signals';

const shown_ms = 6000;

export const announcement = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
    clearTimeout(timer);
    announcement.value = text;
    timer = setTimeout(() => (announcement.value = ''), shown_ms);
}
