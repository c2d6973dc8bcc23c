import { useState } from 'preact/hooks';

import { announce } from '../state/announcer';

/** Copies `text`; where the clipboard is forbidden it says so. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
    const [said, set_said] = useState('');
    const copy = async () => {
        let result = 'Copied';
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            result = 'Not allowed here: select the text and copy it';
        }
        set_said(result);
        announce(result);
        setTimeout(() => set_said(''), 2500);
    };
    return (
        <button type="button" class="small" onClick={() => void copy()}>
            {said || label}
        </button>
    );
}
