// What is promised, what runs out, and what has.

import { useState } from 'preact/hooks';

import { api, query, route } from '../api/client';
import type { ServiceCalendar, ServiceClock, ServiceClocks, ServicePolicy } from '../api/types';
import { plural, time } from '../format';
import { Tag } from '../parts/chip';
import { ActFailure, Select, useAct } from '../parts/form';
import { Empty, Shown } from '../parts/notice';
import { Page, Section } from '../parts/page';
import { RowButton, Table, type Column } from '../parts/table';
import { entity_path } from '../paths';
import { announce } from '../state/announcer';
import { refresh_ms, useLive } from '../state/live';
import { is_admin } from '../state/session';

const targets: Record<ServiceClock['target'], string> = {
    first_response: 'First response',
    resolution: 'Resolution',
};

/** "80 h", "1 h 30 min": never in days, which are longer than a day's work. */
function working(minutes: number): string {
    const h = Math.floor(minutes / 60);
    const min = Math.floor(minutes % 60);
    return [h > 0 && `${h} h`, (min > 0 || h === 0) && `${min} min`].filter(Boolean).join(' ');
}

const tones: Record<ServiceClock['state'], { label: string; tone: string; text: string }> = {
    running: { label: 'running', tone: 'busy', text: 'Its time runs.' },
    paused: { label: 'paused', tone: 'held', text: 'The item is in a state in which no time counts.' },
    due_soon: { label: 'due soon', tone: 'warn', text: 'Its time is nearly over.' },
    breached: { label: 'breached', tone: 'bad', text: 'Its time is over.' },
    met: { label: 'met', tone: 'good', text: 'It was met in time.' },
};

function ClockChip({ state }: { state: ServiceClock['state'] }) {
    const { label, tone, text } = tones[state];
    return (
        <span class={`chip ${tone}`} title={text}>
            {label}
        </span>
    );
}

const clock_columns: Column<ServiceClock>[] = [
    {
        head: 'Item',
        is_title: true,
        cell: (clock) => (
            <>
                <a href={entity_path('item', String(clock.item.id))}>{clock.item.key}</a>
                <span class="under">{clock.item.title}</span>
            </>
        ),
    },
    { head: 'Target', cell: (clock) => targets[clock.target] },
    { head: 'State', cell: (clock) => <ClockChip state={clock.state} /> },
    {
        head: 'Due',
        class: 'when',
        cell: (clock) => {
            if (clock.due_at) return time(clock.due_at);
            if (clock.remaining_ms === null) return 'not within ten years';
            return `${working(clock.remaining_ms / 60_000)} of working time left`;
        },
    },
    { head: 'Policy', cell: (clock) => clock.policy.name },
];

function Clocks() {
    const [state, set_state] = useState('');
    const [pages, set_pages] = useState<string[]>([]);
    const path = route`/sla/clocks` + query({ state: state || undefined, after: pages[pages.length - 1] });
    const live = useLive(path, (signal) => api<ServiceClocks>(path, { signal }), refresh_ms * 5);
    return (
        <Section title="Clocks">
            <div class="toolbar">
                <Select
                    label="State"
                    value={state}
                    on_change={(wanted) => {
                        set_pages([]);
                        set_state(wanted);
                    }}
                    options={[
                        ['', 'all that run or are overdue'],
                        ['due_soon', 'due soon'],
                        ['breached', 'breached'],
                        ['running', 'running'],
                        ['paused', 'paused'],
                    ]}
                />
            </div>
            <Shown live={live}>
                {({ clocks, next }) => (
                    <>
                        <Table
                            caption="Clocks of items, the most urgent first"
                            columns={clock_columns}
                            rows={clocks}
                            row_key={(clock) =>
                                [clock.item.id, clock.policy.id, clock.target, clock.life].join(' ')
                            }
                            empty="No clock is in this list"
                        />
                        {(pages.length > 0 || next) && (
                            <div class="pager">
                                <button
                                    type="button"
                                    disabled={pages.length === 0}
                                    onClick={() => set_pages(pages.slice(0, -1))}
                                >
                                    More urgent
                                </button>
                                <button
                                    type="button"
                                    disabled={!next}
                                    onClick={() => next && set_pages([...pages, next.after])}
                                >
                                    Less urgent
                                </button>
                            </div>
                        )}
                    </>
                )}
            </Shown>
        </Section>
    );
}

function Promises({ policy }: { policy: ServicePolicy }) {
    return (
        <ul class="plain">
            {(['first_response', 'resolution'] as const).map((target) => {
                const promise = policy.targets[target];
                return (
                    promise && (
                        <li key={target}>
                            {targets[target]} within {working(promise.within_minutes)}
                        </li>
                    )
                );
            })}
        </ul>
    );
}

function applies_to(policy: ServicePolicy): string {
    const parts = [
        policy.types.length > 0 && `type ${policy.types.join(' or ')}`,
        policy.priorities.length > 0 && `priority ${policy.priorities.join(' or ')}`,
        policy.labels.length > 0 && `label ${policy.labels.join(' or ')}`,
    ].filter(Boolean);
    return parts.length > 0 ? parts.join(', ') : 'every item';
}

function Policies() {
    const live = useLive(
        'policies',
        (signal) => api<{ policies: ServicePolicy[] }>(route`/sla/policies`, { signal }),
        null,
    );
    const act = useAct();
    const turn = (policy: ServicePolicy) =>
        act.run(async () => {
            await api(route`/sla/policies/${String(policy.id)}`, {
                method: 'PATCH',
                body: { enabled: !policy.enabled },
            });
            announce(`${policy.name} is ${policy.enabled ? 'off' : 'on'}`);
            live.reload();
        });
    const columns: Column<ServicePolicy>[] = [
        {
            head: 'Policy',
            is_title: true,
            cell: (policy) => (
                <>
                    {policy.name} {!policy.enabled && <Tag>off</Tag>}
                    <span class="under">{policy.project}</span>
                </>
            ),
        },
        { head: 'For', cell: applies_to },
        { head: 'Promises', cell: (policy) => <Promises policy={policy} /> },
        { head: 'Calendar', cell: (policy) => policy.calendar.name },
        { head: 'Pauses in', cell: (policy) => policy.pause_states.join(', ') || '–' },
        ...(is_admin()
            ? [
                  {
                      head: 'Switch',
                      is_action: true,
                      cell: (policy: ServicePolicy) => (
                          <RowButton
                              label={`Switch ${policy.enabled ? 'off' : 'on'} ${policy.name}`}
                              disabled={act.is_running}
                              on_click={() => void turn(policy)}
                          >
                              {policy.enabled ? 'Switch off' : 'Switch on'}
                          </RowButton>
                      ),
                  },
              ]
            : []),
    ];
    return (
        <Section title="Policies">
            <ActFailure act={act} />
            <Shown live={live}>
                {({ policies }) =>
                    policies.length === 0 ? (
                        <Empty title="Nothing is promised">
                            <p>
                                An administrator makes policies at <code>/api/v1/sla/policies</code>.
                            </p>
                        </Empty>
                    ) : (
                        <Table
                            caption="Policies, in the order in which they are tried"
                            columns={columns}
                            rows={policies}
                            row_key={(policy) => String(policy.id)}
                        />
                    )
                }
            </Shown>
        </Section>
    );
}

const day_names: Record<string, string> = {
    mon: 'Mon',
    tue: 'Tue',
    wed: 'Wed',
    thu: 'Thu',
    fri: 'Fri',
    sat: 'Sat',
    sun: 'Sun',
};

/** "Mon Tue Wed 08:00–18:00, Sat 10:00–14:00" */
function hours_text(calendar: ServiceCalendar): string {
    const days = new Map<string, string[]>();
    for (const { day, from, to } of calendar.hours) {
        const hours = `${from}–${to}`;
        days.set(hours, [...(days.get(hours) ?? []), day_names[day] ?? day]);
    }
    return [...days].map(([hours, names]) => `${names.join(' ')} ${hours}`).join(', ');
}

const calendar_columns: Column<ServiceCalendar>[] = [
    { head: 'Calendar', is_title: true, cell: (calendar) => calendar.name },
    { head: 'Zone', cell: (calendar) => calendar.zone },
    { head: 'Hours', cell: hours_text },
    { head: 'Holidays', cell: (calendar) => plural(calendar.holidays.length, 'day') },
];

function Calendars() {
    const live = useLive(
        'calendars',
        (signal) => api<{ calendars: ServiceCalendar[] }>(route`/sla/calendars`, { signal }),
        null,
    );
    return (
        <Section title="Calendars">
            <Shown live={live}>
                {({ calendars }) => (
                    <Table
                        caption="Calendars: when time counts"
                        columns={calendar_columns}
                        rows={calendars}
                        row_key={(calendar) => String(calendar.id)}
                        empty="There are no calendars"
                    />
                )}
            </Shown>
        </Section>
    );
}

export function ServiceLevels() {
    return (
        <Page title="Service levels">
            <Clocks />
            <Policies />
            <Calendars />
        </Page>
    );
}
