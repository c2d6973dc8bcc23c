// Rules: what happens by itself, what it would do, and what it did.

import { useState } from 'preact/hooks';

import { api, query, route } from '../api/client';
import type { AutomationRule, AutomationRun } from '../api/types';
import { time } from '../format';
import { ConfirmDialog } from '../parts/ask';
import { Tag } from '../parts/chip';
import { Dialog } from '../parts/dialog';
import { ActFailure, useAct } from '../parts/form';
import { JsonView } from '../parts/json_view';
import { Shown } from '../parts/notice';
import { Page, Section } from '../parts/page';
import { RowButton, Table, type Column } from '../parts/table';
import { event_path } from '../paths';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';
import { RuleEditor } from './automation_editor';

/** What starts it, in a few words. */
function trigger_of({ trigger }: AutomationRule): string {
    if (trigger.events) return trigger.events.join(', ');
    if (trigger.every) return `every ${trigger.every}`;
    return `daily at ${trigger.daily ?? ''} ${trigger.zone ?? ''}`;
}

function why_of(rule: AutomationRule): string {
    return rule.disabled_reason ?? rule.problems.join('; ');
}

const outcomes: Record<AutomationRun['outcome'], string> = {
    applied: 'done',
    idle: 'nothing to do',
    failed: 'failed, undone',
    stopped: 'stopped',
};

function Switch({ rule, on_done }: { rule: AutomationRule; on_done: () => void }) {
    const act = useAct();
    const word = rule.enabled ? 'Switch off' : 'Switch on';
    const turn = () =>
        act.run(async () => {
            await api(route`/automations/${rule.id}`, {
                method: 'PATCH',
                body: { enabled: !rule.enabled },
            });
            announce(`${rule.name} is ${rule.enabled ? 'off' : 'on'}`);
            on_done();
        });
    return (
        <>
            <RowButton label={`${word} ${rule.name}`} disabled={act.is_running} on_click={() => void turn()}>
                {word}
            </RowButton>
            <ActFailure act={act} />
        </>
    );
}

function Delete({
    rule,
    on_close,
    on_done,
}: {
    rule: AutomationRule;
    on_close: () => void;
    on_done: () => void;
}) {
    const remove = async () => {
        await api(route`/automations/${rule.id}`, { method: 'DELETE' });
        announce(`${rule.name} is gone`);
        on_done();
    };
    return (
        <ConfirmDialog
            title={`Delete ${rule.name}`}
            word="Delete"
            is_grave
            on_confirm={remove}
            on_close={on_close}
        >
            <p>Its runs go with it. What it has done stays.</p>
        </ConfirmDialog>
    );
}

function RunDetail({ run, on_close }: { run: AutomationRun; on_close: () => void }) {
    return (
        <Dialog title={`Run ${String(run.id)} of ${run.rule}`} kind="sheet" on_close={on_close}>
            <p>
                {outcomes[run.outcome]}
                {run.detail && `: ${run.detail}`}
            </p>
            <ul>
                {run.plan.map((action) => (
                    <li key={`${action.action} ${action.summary}`}>{action.summary}</li>
                ))}
            </ul>
            <JsonView label="Plan" value={run.plan} />
        </Dialog>
    );
}

function Runs({ rule_id }: { rule_id: AutomationRule['id'] | undefined }) {
    const [shown, show] = useState<AutomationRun>();
    const path =
        route`/automations/runs` + query({ rule_id: rule_id === undefined ? undefined : String(rule_id) });
    const live = useLive(path, (signal) => api<{ runs: AutomationRun[] }>(path, { signal }));
    const columns: Column<AutomationRun>[] = [
        { head: 'Rule', is_title: true, cell: (run) => run.rule },
        { head: 'When', class: 'when', cell: (run) => time(run.at) },
        {
            head: 'Event',
            cell: (run) =>
                run.event_id === null ? (
                    'the clock'
                ) : (
                    <a href={event_path(run.event_id)}>{String(run.event_id)}</a>
                ),
        },
        { head: 'Outcome', cell: (run) => <Tag>{outcomes[run.outcome]}</Tag> },
        {
            head: 'What',
            cell: (run) => run.detail || run.plan.map((action) => action.summary).join('; '),
        },
        {
            head: 'Details',
            is_action: true,
            cell: (run) => (
                <RowButton label={`Details of run ${String(run.id)}`} on_click={() => show(run)}>
                    Details
                </RowButton>
            ),
        },
    ];
    return (
        <>
            <Shown live={live}>
                {({ runs }) => (
                    <Table
                        caption="Runs"
                        columns={columns}
                        rows={runs}
                        row_key={(run) => String(run.id)}
                        empty="Nothing has run yet"
                    />
                )}
            </Shown>
            {shown && <RunDetail run={shown} on_close={() => show(undefined)} />}
        </>
    );
}

export function Automations() {
    const live = useLive('automations', (signal) =>
        api<{ rules: AutomationRule[] }>(route`/automations`, { signal }),
    );
    const [editing, edit] = useState<AutomationRule | 'new'>();
    const [deleting, set_deleting] = useState<AutomationRule>();
    const [runs_of, show_runs_of] = useState<AutomationRule>();
    const columns: Column<AutomationRule>[] = [
        {
            head: 'Name',
            is_title: true,
            cell: (rule) => (
                <button type="button" class="link" onClick={() => edit(rule)}>
                    {rule.name}
                </button>
            ),
        },
        { head: 'Starts', cell: trigger_of },
        { head: 'Does', cell: (rule) => rule.then.map((one) => one.action).join(', ') },
        {
            head: 'State',
            cell: (rule) => (
                <>
                    <Tag>{rule.state}</Tag>
                    {why_of(rule) && <span class="under">{why_of(rule)}</span>}
                </>
            ),
        },
        {
            head: 'Act',
            is_action: true,
            cell: (rule) => (
                <>
                    <Switch rule={rule} on_done={live.reload} />{' '}
                    <RowButton label={`Runs of ${rule.name}`} on_click={() => show_runs_of(rule)}>
                        Runs
                    </RowButton>{' '}
                    {rule.plugin === null && (
                        <RowButton label={`Delete ${rule.name}`} is_grave on_click={() => set_deleting(rule)}>
                            Delete
                        </RowButton>
                    )}
                </>
            ),
        },
    ];
    return (
        <Page
            title="Automations"
            intro="What happens by itself when something happens, or at a time."
            actions={
                <button type="button" class="main" onClick={() => edit('new')}>
                    New rule
                </button>
            }
        >
            <Shown live={live}>
                {({ rules }) => (
                    <Table
                        caption="Rules"
                        columns={columns}
                        rows={rules}
                        row_key={(rule) => String(rule.id)}
                        empty="There is no rule yet"
                    />
                )}
            </Shown>
            <Section
                title={runs_of ? `Runs of ${runs_of.name}` : 'Latest runs'}
                aside={
                    runs_of && (
                        <button type="button" class="small" onClick={() => show_runs_of(undefined)}>
                            Show all
                        </button>
                    )
                }
            >
                <Runs rule_id={runs_of?.id} />
            </Section>
            {editing && (
                <RuleEditor
                    rule={editing === 'new' ? undefined : editing}
                    on_close={() => edit(undefined)}
                    on_saved={() => {
                        edit(undefined);
                        live.reload();
                    }}
                />
            )}
            {deleting && (
                <Delete
                    rule={deleting}
                    on_close={() => set_deleting(undefined)}
                    on_done={() => {
                        set_deleting(undefined);
                        live.reload();
                    }}
                />
            )}
        </Page>
    );
}
