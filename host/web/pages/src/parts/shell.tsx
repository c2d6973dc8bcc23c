// What surrounds every page of the signed-in: navigation, theme, account.

import type { ComponentChildren } from 'preact';
import { useLocation } from 'wouter-preact';

import { announcement } from '../state/announcer';
import { useDeclared } from '../state/declared';
import { has_plugin, is_admin, session, sign_out } from '../state/session';
import { paths } from '../paths';
import { useAct } from './form';
import { UnreadCount } from './inbox_link';
import { ThemeSwitch } from './theme_switch';

interface Entry {
    path: string;
    label: string;
    /** Beginnings of other addresses that belong to it. */
    also?: string;
    for_admins?: boolean;
    /** Shown only where this plugin is loaded. */
    plugin?: string;
    /** Shown only where a manifest declares entities. */
    for_records?: boolean;
}

const entries: Entry[] = [
    { path: paths.inbox, label: 'Inbox', plugin: 'notify' },
    { path: paths.monitoring, label: 'Monitoring', also: '/consumers/', for_admins: true },
    { path: paths.events, label: 'Events', also: '/entities/' },
    { path: paths.service_levels, label: 'Service levels', plugin: 'sla' },
    { path: paths.automations, label: 'Automations', for_admins: true, plugin: 'automations' },
    { path: paths.deliveries, label: 'Deliveries', for_admins: true },
    { path: paths.webhooks, label: 'Webhooks', for_admins: true, plugin: 'webhooks' },
    { path: paths.chat, label: 'Chat', for_admins: true, plugin: 'chat' },
    { path: paths.records, label: 'Records', for_records: true },
    { path: paths.plugins, label: 'Plugins' },
    { path: paths.tokens, label: 'Tokens', for_admins: true },
    { path: paths.accounts, label: 'Accounts', for_admins: true },
];

function Navigation() {
    const [here] = useLocation();
    const declared = useDeclared();
    const has_records = (declared.data?.entities.length ?? 0) > 0;
    const is_current = ({ path, also }: Entry) =>
        here === path || here.startsWith(`${path}/`) || (also !== undefined && here.startsWith(also));
    return (
        <nav aria-label="Pages">
            <ul>
                {entries
                    .filter((entry) => !entry.for_admins || is_admin())
                    .filter((entry) => !entry.for_records || has_records)
                    .filter((entry) => entry.plugin === undefined || has_plugin(entry.plugin))
                    .map((entry) => (
                        <li key={entry.path}>
                            <a href={entry.path} aria-current={is_current(entry) ? 'page' : undefined}>
                                {entry.label}
                                {entry.path === paths.inbox && <UnreadCount />}
                            </a>
                        </li>
                    ))}
            </ul>
        </nav>
    );
}

export function Shell({ children }: { children: ComponentChildren }) {
    const leaving = useAct();
    return (
        <>
            <a class="skip" href="#main">
                Skip to the content
            </a>
            <header class="bar">
                <a class="brand" href="/">
                    radd
                </a>
                <Navigation />
                <div class="bar-end">
                    <ThemeSwitch />
                    <span class="who" title={`Signed in as ${session.value?.account.role}`}>
                        {session.value?.account.name}
                    </span>
                    <button type="button" class="quiet" onClick={() => void leaving.run(sign_out)}>
                        Sign out
                    </button>
                </div>
            </header>
            <main id="main" tabIndex={-1}>
                {children}
            </main>
            <div class="toast" role="status" aria-live="polite">
                {announcement.value}
            </div>
        </>
    );
}
