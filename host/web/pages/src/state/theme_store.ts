// What the reader chose: light, dark, or whatever the system says.

export type Theme = 'system' | 'light' | 'dark';

const key = 'radd.theme';

export function stored_theme(): Theme {
    try {
        const value = localStorage.getItem(key);
        return value === 'light' || value === 'dark' ? value : 'system';
    } catch {
        return 'system'; // Storage may be forbidden; the page works without.
    }
}

export function store_theme(theme: Theme): void {
    try {
        if (theme === 'system') localStorage.removeItem(key);
        else localStorage.setItem(key, theme);
    } catch {
        // As above: the choice then lasts as long as the page.
    }
}

/** app.css reads it: `:root[data-theme]` sets color-scheme, and every colour follows that. */
export function apply_theme(theme: Theme): void {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
}
