// What the reader is told of, by which ways, and when.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { NoticeKind, NoticePreferences, NoticeWays, WatchedProject } from '../api/types';
import { time } from '../format';
import { ActFailure, Field, Form, Select, useAct } from '../parts/form';
import { Notice, Shown } from '../parts/notice';
import { Page, Section } from '../parts/page';
import { Table, type Column } from '../parts/table';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';
import { session } from '../state/session';
import { paths } from '../paths';

type Way = keyof NoticeWays;

const ways: [Way, string][] = [
    ['inbox', 'Inbox'],
    ['mail', 'Mail at once'],
    ['digest', 'Daily digest'],
];

function change(body: unknown): Promise<NoticePreferences> {
    return api<NoticePreferences>(route`/notify/preferences`, { method: 'PATCH', body });
}

function Address({ email, on_done }: { email: string | null; on_done: () => void }) {
    const [value, set_value] = useState(email ?? '');
    const act = useAct();
    const submit = () =>
        act.run(async () => {
            await api(route`/people/${session.value?.account.id}`, {
                method: 'PATCH',
                body: { email: value.trim() === '' ? null : value.trim() },
            });
            announce('The address is kept');
            on_done();
        });
    return (
        <Form act={act} on_submit={() => void submit()}>
            <Field
                label="Address"
                type="email"
                hint="Without one you are told in the inbox alone."
                value={value}
                on_input={set_value}
                problem={act.problem('email')}
                autocomplete="email"
            />
            <div>
                <button class="main" disabled={act.is_running}>
                    Keep the address
                </button>
            </div>
        </Form>
    );
}

const hours: [string, string][] = Array.from({ length: 24 }, (_, hour) => [
    String(hour),
    `${String(hour).padStart(2, '0')}:00`,
]);

function zones(): string[] {
    const known = Intl as { supportedValuesOf?: (what: string) => string[] };
    return known.supportedValuesOf?.('timeZone') ?? [];
}

function Digest({ shown, on_done }: { shown: NoticePreferences['digest']; on_done: () => void }) {
    const [zone, set_zone] = useState(shown.zone);
    const [hour, set_hour] = useState(String(shown.hour));
    const act = useAct();
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const submit = () =>
        act.run(async () => {
            await change({ digest: { zone, hour: Number(hour) } });
            announce('The time of the digest is kept');
            on_done();
        });
    return (
        <Form act={act} on_submit={() => void submit()}>
            <Field
                label="Time zone"
                hint={`As in ${here}, where this browser is.`}
                value={zone}
                on_input={set_zone}
                problem={act.problem('digest.zone')}
                list="zones"
                autocomplete="off"
                required
            />
            <datalist id="zones">
                {zones().map((name) => (
                    <option key={name} value={name} />
                ))}
            </datalist>
            <Select label="Hour" value={hour} options={hours} on_change={set_hour} />
            <div>
                <button class="main" disabled={act.is_running}>
                    Keep the time
                </button>
            </div>
            {shown.next_at !== null && <p class="under">The next is due {time(shown.next_at)}.</p>}
        </Form>
    );
}

function Kinds({ kinds }: { kinds: NoticeKind[] }) {
    // A box shows at once what was chosen, and what is kept as soon as the server has said so.
    const [shown, set_shown] = useState(kinds);
    const act = useAct();
    const flip = async (kind: NoticeKind, way: Way) => {
        const { inbox, mail, digest } = kind;
        const chosen = { inbox, mail, digest, [way]: !kind[way] };
        set_shown(shown.map((one) => (one === kind ? { ...one, ...chosen } : one)));
        const is_kept = await act.run(async () => {
            set_shown((await change({ kinds: { [kind.name]: chosen } })).kinds);
            announce(`${kind.label}: kept`);
        });
        if (!is_kept) set_shown(shown);
    };
    const columns: Column<NoticeKind>[] = [
        { head: 'What happens', is_title: true, cell: (kind) => kind.label },
        ...ways.map(([way, label]) => ({
            head: label,
            cell: (kind: NoticeKind) => (
                <input
                    type="checkbox"
                    class="box"
                    aria-label={`${kind.label}: ${label}`}
                    checked={kind[way]}
                    onChange={() => void flip(kind, way)}
                />
            ),
        })),
    ];
    return (
        <>
            <ActFailure act={act} />
            <Table caption="Ways by kind" columns={columns} rows={shown} row_key={(kind) => kind.name} />
        </>
    );
}

function Projects() {
    const live = useLive(
        'watched projects',
        (signal) => api<{ projects: WatchedProject[] }>(route`/notify/projects`, { signal }),
        null,
    );
    const [key, set_key] = useState('');
    const act = useAct();
    const watch = (project: string, method: 'PUT' | 'DELETE', done: string) =>
        act.run(async () => {
            await api(route`/notify/projects/${project}`, { method });
            announce(`${project}: ${done}`);
            set_key('');
            live.reload();
        });
    return (
        <>
            <Shown live={live}>
                {({ projects }) =>
                    projects.length > 0 && (
                        <ul class="watched">
                            {projects.map((project) => (
                                <li key={project.key}>
                                    <span>
                                        {project.key} <bdi>{project.name}</bdi>
                                    </span>
                                    <button
                                        type="button"
                                        class="small"
                                        aria-label={`Watch ${project.key} no longer`}
                                        onClick={() =>
                                            void watch(project.key, 'DELETE', 'no longer watched')
                                        }
                                    >
                                        Stop
                                    </button>
                                </li>
                            ))}
                        </ul>
                    )
                }
            </Shown>
            <Form act={act} on_submit={() => void watch(key.trim(), 'PUT', 'watched')}>
                <Field
                    label="Key of a project"
                    hint="You hear of every item in it, as if you watched each."
                    value={key}
                    on_input={set_key}
                    autocomplete="off"
                    required
                />
                <div>
                    <button disabled={act.is_running}>Watch it</button>
                </div>
            </Form>
        </>
    );
}

export function InboxPreferences() {
    const live = useLive(
        'preferences',
        (signal) => api<NoticePreferences>(route`/notify/preferences`, { signal }),
        null,
    );
    return (
        <Page
            title="Preferences"
            intro="What you are told of, and how. Of your own acts you are never told."
            actions={
                <a href={paths.inbox}>
                    Inbox
                </a>
            }
        >
            <Shown live={live}>
                {(shown) => (
                    <>
                        {shown.email === null && (
                            <Notice tone="warn" title="You get no mail">
                                There is no address to send it to.
                            </Notice>
                        )}
                        <Section title="Ways">
                            <Kinds kinds={shown.kinds} />
                        </Section>
                        <Section title="Projects">
                            <div class="narrow">
                                <Projects />
                            </div>
                        </Section>
                        <Section title="Mail">
                            <div class="narrow">
                                <Address email={shown.email} on_done={live.reload} />
                            </div>
                        </Section>
                        <Section title="Digest">
                            <div class="narrow">
                                <Digest shown={shown.digest} on_done={live.reload} />
                            </div>
                        </Section>
                    </>
                )}
            </Shown>
        </Page>
    );
}
