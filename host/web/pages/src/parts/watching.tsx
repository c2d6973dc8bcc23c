// Whether the reader hears of an item, why, and the two ways to change that.

import { api, route } from '../api/client';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';
import { session } from '../state/session';
import { ActFailure, useAct } from './form';

interface Heard {
    reasons: string[];
    muted: boolean;
    watches: boolean;
}

const reason_words: Record<string, string> = {
    assignee: 'it is yours to do',
    commenter: 'you commented on it',
    mentioned: 'you were named on it',
    project: 'you watch its project',
    reporter: 'you reported it',
};

/** What notices say of it, and whether the reader is among those who watch it. */
async function read_heard(key: string, me: string, signal: AbortSignal): Promise<Heard> {
    const [heard, { watchers }] = await Promise.all([
        api<{ reasons: string[]; muted: boolean }>(route`/notify/items/${key}`, { signal }),
        api<{ watchers: { id: string }[] }>(route`/items/${key}/watchers`, { signal }),
    ]);
    return { ...heard, watches: watchers.some((one) => one.id === me) };
}

function words_of({ reasons, muted, watches }: Heard): string {
    // Of watching the item itself knows first; the notices learn it from the event.
    const why = reasons.flatMap((reason) => reason_words[reason] ?? []);
    if (watches) why.push('you watch it');
    if (why.length === 0) return 'You hear nothing of it.';
    if (muted) return 'Muted: you hear only what is meant for you.';
    return `You hear of it: ${why.join(', ')}.`;
}

export function Watching({ item_key }: { item_key: string }) {
    const me = session.value?.account.id ?? '';
    const live = useLive(
        `watching ${item_key}`,
        (signal) => read_heard(item_key, me, signal),
        null,
    );
    const act = useAct();
    const heard = live.data;
    if (heard === undefined) return null; // Deleted, or not read yet: its history is shown all the same.

    const flip = (path: string, is_on: boolean, done: string) =>
        void act.run(async () => {
            await api(path, { method: is_on ? 'DELETE' : 'PUT' });
            announce(`${item_key} ${done}`);
            live.reload();
        });
    const { watches, muted } = heard;
    return (
        <>
            <div class="toolbar watching">
                <p>{words_of(heard)}</p>
                <div class="told-acts">
                    <button
                        type="button"
                        class="small"
                        onClick={() =>
                            flip(
                                route`/items/${item_key}/watchers/${me}`,
                                watches,
                                watches ? 'is no longer watched' : 'is watched',
                            )
                        }
                    >
                        {watches ? 'Watch no longer' : 'Watch'}
                    </button>
                    <button
                        type="button"
                        class="small"
                        title={muted ? 'Hear of this item again' : 'Hear no more of this item'}
                        onClick={() =>
                            flip(
                                route`/notify/items/${item_key}/mute`,
                                muted,
                                muted ? 'is heard again' : 'is muted',
                            )
                        }
                    >
                        {muted ? 'Unmute' : 'Mute'}
                    </button>
                </div>
            </div>
            <ActFailure act={act} />
        </>
    );
}
