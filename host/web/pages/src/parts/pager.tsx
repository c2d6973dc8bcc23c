/** Through pages of which each is asked for by what stands before it; `before` is the way here. */
export function Pager({
    before,
    next,
    on_turn,
}: {
    before: string[];
    /** Where the page after this one begins; undefined if this is the last. */
    next: string | undefined;
    on_turn: (before: string[]) => void;
}) {
    if (before.length === 0 && next === undefined) return null;
    return (
        <div class="pager">
            <button type="button" disabled={before.length === 0} onClick={() => on_turn(before.slice(0, -1))}>
                Newer
            </button>
            <button
                type="button"
                disabled={next === undefined}
                onClick={() => next !== undefined && on_turn([...before, next])}
            >
                Older
            </button>
        </div>
    );
}
