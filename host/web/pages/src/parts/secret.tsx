import type { ComponentChildren } from 'preact';

import { Copy } from './copy';
import { Dialog } from './dialog';

/** Something that exists nowhere else once this is closed. */
export function SecretDialog({
    title,
    secret,
    children,
    on_close,
}: {
    title: string;
    secret: string;
    children: ComponentChildren;
    on_close: () => void;
}) {
    return (
        <Dialog title={title} on_close={on_close}>
            {children}
            <div class="secret">
                <code>{secret}</code>
                <Copy text={secret} />
            </div>
            <div class="dialog-end">
                <button type="button" class="main" onClick={on_close}>
                    I have kept it
                </button>
            </div>
        </Dialog>
    );
}
