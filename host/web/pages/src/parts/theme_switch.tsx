import { theme } from '../state/theme';
import type { Theme } from '../state/theme_store';

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const label: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' };

/** One button through three choices; its name says which is set. */
export function ThemeSwitch() {
    return (
        <button
            type="button"
            class="quiet icon"
            title={`Theme: ${label[theme.value]}`}
            aria-label={`Theme: ${label[theme.value]}`}
            onClick={() => (theme.value = next[theme.value])}
        >
            <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
                <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.5" />
                {theme.value === 'system' && <path d="M8 2.5a5.5 5.5 0 010 11z" fill="currentColor" />}
                {theme.value === 'dark' && <circle cx="8" cy="8" r="5.5" fill="currentColor" />}
            </svg>
        </button>
    );
}
