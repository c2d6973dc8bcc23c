// Dialogs that end in a decision: a form that is sent, and a question that is answered.

import type { ComponentChildren } from 'preact';

import { Dialog } from './dialog';
import { ActFailure, Form, useAct, type Act } from './form';

interface Asked {
    title: string;
    kind?: 'question' | 'sheet';
    /** What the button says that does it. Without: there is nothing to do here but to look. */
    word: string | undefined;
    /** What the button says that leaves everything as it is. */
    keep?: string;
    /** It cannot be taken back. */
    is_grave?: boolean;
    is_blocked?: boolean;
    on_close: () => void;
    children: ComponentChildren;
}

function End({
    act,
    word,
    keep = 'Cancel',
    is_grave = false,
    is_blocked = false,
    on_close,
    on_act,
    extra,
}: Omit<Asked, 'title' | 'kind' | 'children'> & {
    act: Act;
    /** Without: the button sends the form that it stands in. */
    on_act?: () => void;
    extra?: ComponentChildren;
}) {
    return (
        <div class="dialog-end">
            {extra}
            <button type="button" onClick={on_close}>
                {keep}
            </button>
            {word !== undefined && (
                <button
                    type={on_act ? 'button' : 'submit'}
                    class={is_grave ? 'danger main' : 'main'}
                    disabled={act.is_running || is_blocked}
                    onClick={on_act}
                >
                    {word}
                </button>
            )}
        </div>
    );
}

export function FormDialog({
    title,
    kind = 'question',
    act,
    on_submit,
    children,
    ...end
}: Asked & {
    act: Act;
    on_submit: () => Promise<unknown>;
    /** Buttons before the two that every form has. */
    extra?: ComponentChildren;
}) {
    return (
        <Dialog title={title} kind={kind} on_close={end.on_close}>
            <Form act={act} on_submit={() => void on_submit()}>
                {children}
                <End act={act} {...end} />
            </Form>
        </Dialog>
    );
}

/** Asks before `on_confirm` is done, and says in its place why it could not be done. */
export function ConfirmDialog({
    title,
    kind = 'question',
    on_confirm,
    children,
    ...end
}: Asked & { on_confirm: () => Promise<void> }) {
    const act = useAct();
    return (
        <Dialog title={title} kind={kind} on_close={end.on_close}>
            {children}
            <ActFailure act={act} />
            <End act={act} on_act={() => void act.run(on_confirm)} {...end} />
        </Dialog>
    );
}
