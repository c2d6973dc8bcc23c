// A question or a closer look, on the browser's own modal dialog: it traps the focus, closes on
// Escape and gives the focus back.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export function Dialog({
    title,
    kind = 'question',
    on_close,
    children,
}: {
    title: string;
    kind?: 'question' | 'sheet';
    on_close: () => void;
    children: ComponentChildren;
}) {
    const dialog = useRef<HTMLDialogElement>(null);
    const heading = useId();
    // Before anything is painted: what is typed into a dialog that is not modal yet goes elsewhere.
    useLayoutEffect(() => {
        const element = dialog.current;
        element?.showModal();
        // The browser would take the first button, which closes it.
        element?.querySelector<HTMLElement>('form input, form select, form textarea')?.focus();
        return () => element?.close();
    }, []);
    return (
        <dialog
            ref={dialog}
            class={`dialog ${kind}`}
            aria-labelledby={heading}
            onCancel={(event) => {
                event.preventDefault(); // It closes by leaving the tree, and only so.
                on_close();
            }}
            onClick={(event) => {
                if (event.target === event.currentTarget) on_close();
            }}
        >
            <div class="dialog-body">
                <div class="dialog-head">
                    <h2 id={heading}>{title}</h2>
                    <button type="button" class="quiet icon" aria-label="Close" onClick={on_close}>
                        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                            <path d="M3 3l10 10M13 3L3 13" stroke="currentColor" stroke-width="1.6" />
                        </svg>
                    </button>
                </div>
                {children}
            </div>
        </dialog>
    );
}
