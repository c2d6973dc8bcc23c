// The state of a consumer, as text; the colour repeats it.

import type { Delivery, DeliveryState } from '../api/delivery_types';
import type { State } from '../api/types';

interface Meaning {
    label: string;
    tone: 'good' | 'busy' | 'bad' | 'warn' | 'held' | 'off';
    /** What it means, for who has not met it. */
    text: string;
}

export const states: Record<State, Meaning> = {
    ok: { label: 'ok', tone: 'good', text: 'It has seen every event there is.' },
    catching_up: {
        label: 'catching up',
        tone: 'busy',
        text: 'It is behind, and its cursor moves.',
    },
    stalled: {
        label: 'stalled',
        tone: 'bad',
        text: 'It is behind, and its cursor has not moved for two minutes.',
    },
    waiting: {
        label: 'waiting',
        tone: 'warn',
        text: 'A transaction that has drawn an event id is still open; nobody may read past it.',
    },
    paused: { label: 'paused', tone: 'held', text: 'Somebody has paused it.' },
    retired: { label: 'retired', tone: 'off', text: 'Somebody has retired it: no host runs it.' },
    unowned: {
        label: 'unowned',
        tone: 'warn',
        text: 'No process runs it at the moment.',
    },
    beyond_head: {
        label: 'beyond head',
        tone: 'bad',
        text: 'Its cursor lies past the end of the stream, as after restoring an older backup. Seek to the head to let it go on.',
    },
    not_loaded: {
        label: 'not loaded',
        tone: 'off',
        text: 'Its plugin is not loaded here.',
    },
};

export function StateChip({ state }: { state: State }) {
    const meaning = states[state] ?? { label: String(state), tone: 'off', text: '' };
    return (
        <span class={`chip ${meaning.tone}`} title={meaning.text}>
            {meaning.label}
        </span>
    );
}

const delivery_states: Record<DeliveryState, Meaning> = {
    pending: { label: 'pending', tone: 'busy', text: 'It is attempted by the schedule of its queue.' },
    delivered: { label: 'delivered', tone: 'good', text: 'Its receiver has taken it.' },
    dead: { label: 'dead', tone: 'bad', text: 'It was given up; the reason is what was last said.' },
    cancelled: { label: 'cancelled', tone: 'off', text: 'Nobody wanted it any more.' },
};

export function DeliveryChip({ delivery }: { delivery: Delivery }) {
    const meaning = delivery_states[delivery.state];
    // One that was replayed is nobody's worry any more.
    const tone = delivery.state === 'dead' && delivery.replayed_as !== null ? 'off' : meaning.tone;
    return (
        <span class={`chip ${tone}`} title={meaning.text}>
            {delivery.under_way ? 'under way' : meaning.label}
        </span>
    );
}

export function Tag({ children }: { children: string }) {
    return <span class="tag">{children}</span>;
}
