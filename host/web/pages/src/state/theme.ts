import { effect, signal } from '@preact/signals';

import { apply_theme, store_theme, stored_theme, type Theme } from './theme_store';

export const theme = signal<Theme>(stored_theme());

const system_dark = matchMedia('(prefers-color-scheme: dark)');
const system_is_dark = signal(system_dark.matches);
system_dark.addEventListener('change', (change) => (system_is_dark.value = change.matches));

effect(() => {
    apply_theme(theme.value);
    store_theme(theme.value);
});

/** For what is painted by script and does not follow CSS by itself. */
export function is_dark(): boolean {
    return theme.value === 'dark' || (theme.value === 'system' && system_is_dark.value);
}
