/** Through pages of which each is asked for by what stands before it; `before` is the way here. */
export function Pager({
    before,
    next,
    on_turn,
    words = ['Newer', 'Older'],
}: {
    before: string[];
    /** Where the page after this one begins; undefined if this is the last. */
    next: string | undefined;
    on_turn: (before: string[]) => void;
    /** What is told of the page before and of the next. */
    words?: [string, string];
}) {
    if (before.length === 0 && next === undefined) return null;
    return (
        <div class="pager">
            <button type="button" disabled={before.length === 0} onClick={() => on_turn(before.slice(0, -1))}>
                {words[0]}
            </button>
            <button
                type="button"
                disabled={next === undefined}
                onClick={() => next !== undefined && on_turn([...before, next])}
            >
                {words[1]}
            </button>
        </div>
    );
}
