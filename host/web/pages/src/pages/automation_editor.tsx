// One rule as text, with what it may say beside it, and what it would do to an event.

import { useId, useState } from 'preact/hooks';

import { api, route } from '../api/client';
import { parse_json, pretty_json } from '../api/lossless';
import type { ActionType, AutomationRule, DryRun, EventType } from '../api/types';
import { FormDialog } from '../parts/ask';
import { Field, useAct } from '../parts/form';
import { Notice, Shown } from '../parts/notice';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';

const example = {
    trigger: { events: ['item.updated'] },
    when: { field: 'changes.state.to.category', is: 'done' },
    then: [{ action: 'items.add_comment', arguments: { body: '{{entity.key}} is done' } }],
};

/** What people write of a rule: without what the server says about it. */
function text_of(rule: AutomationRule | undefined): string {
    if (!rule) return pretty_json(example);
    const { trigger, when, then, project_id, chain } = rule;
    return pretty_json({
        trigger,
        when,
        then,
        ...(project_id === null ? {} : { project_id }),
        ...(chain ? { chain } : {}),
    });
}

function parsed(text: string): object {
    const value = parse_json(text);
    if (typeof value !== 'object' || value === null) throw new Error('The rule is no JSON object.');
    return value;
}

const meanings: Record<DryRun['would'], string> = {
    pass: 'It would not start',
    stop: 'It would be stopped',
    idle: 'There would be nothing to do',
    apply: 'It would do this',
    fail: 'It would fail',
};

function Answer({ answer }: { answer: DryRun }) {
    return (
        <Notice
            tone={answer.would === 'fail' ? 'bad' : answer.would === 'apply' ? 'good' : 'info'}
            role="status"
            title={meanings[answer.would]}
        >
            {answer.reason}
            <ul>
                {answer.plan.map((action) => (
                    <li key={`${action.action} ${action.summary}`}>{action.summary}</li>
                ))}
            </ul>
        </Notice>
    );
}

function Help() {
    const live = useLive(
        'automation help',
        async (signal) => ({
            ...(await api<{ event_types: EventType[] }>(route`/event-types`, { signal })),
            ...(await api<{ actions: ActionType[] }>(route`/actions`, { signal })),
        }),
        null,
    );
    return (
        <details class="help">
            <summary>What may start it, and what it may do</summary>
            <Shown live={live}>
                {({ event_types, actions }) => (
                    <>
                        <p>
                            A condition is <code>{'{"field", and is, is_not, in, contains, above, below or exists}'}</code>,{' '}
                            or <code>all</code>, <code>any</code>, <code>not</code> of conditions. A field is a path into{' '}
                            <code>event</code>, <code>payload</code>, <code>changes.&lt;field&gt;.from</code> and{' '}
                            <code>.to</code>, or <code>entity</code>. A trigger may also be <code>{'{"every": "15m"}'}</code> or{' '}
                            <code>{'{"daily": "09:00", "zone": "Europe/Berlin"}'}</code>.
                        </p>
                        <h3>Events</h3>
                        <ul>
                            {event_types
                                .filter((type) => type.trigger)
                                .map((type) => (
                                    <li key={type.type}>
                                        <code>{type.type}</code> {type.label}
                                    </li>
                                ))}
                        </ul>
                        <h3>Actions</h3>
                        <ul>
                            {actions.map((action) => (
                                <li key={action.action}>
                                    <code>{action.action}</code> {action.label}:{' '}
                                    {Object.keys(action.arguments.properties ?? {}).join(', ')}
                                </li>
                            ))}
                        </ul>
                    </>
                )}
            </Shown>
        </details>
    );
}

export function RuleEditor({
    rule,
    on_close,
    on_saved,
}: {
    rule: AutomationRule | undefined;
    on_close: () => void;
    on_saved: () => void;
}) {
    const [name, set_name] = useState(rule?.name ?? '');
    const [text, set_text] = useState(() => text_of(rule));
    const [event_id, set_event_id] = useState('');
    const [answer, set_answer] = useState<DryRun>();
    const act = useAct();
    const id = useId();
    const is_fixed = rule !== undefined && rule.plugin !== null;

    const save = () =>
        act.run(async () => {
            // What the text leaves out is as in a new rule, and not as it was.
            const body = { name, when: {}, chain: false, project_id: null, ...parsed(text) };
            if (rule) await api(route`/automations/${rule.id}`, { method: 'PATCH', body });
            else await api(route`/automations`, { method: 'POST', body });
            announce(`${name} is saved`);
            on_saved();
        });
    const test = () =>
        act.run(async () => {
            const given = event_id.trim();
            set_answer(
                await api<DryRun>(route`/automations/dry-run`, {
                    method: 'POST',
                    body: { rule: parsed(text), ...(given ? { event_id: parse_json(given) } : {}) },
                }),
            );
        });
    return (
        <FormDialog
            title={rule ? rule.name : 'New rule'}
            kind="sheet"
            word={is_fixed ? undefined : 'Save'}
            act={act}
            on_submit={save}
            on_close={on_close}
            extra={
                <button type="button" disabled={act.is_running} onClick={() => void test()}>
                    Dry run
                </button>
            }
        >
            <Field
                label="Name"
                value={name}
                on_input={set_name}
                problem={act.problem('name')}
                autocomplete="off"
                readOnly={is_fixed}
                required
            />
            <div class="field">
                <label for={id}>Rule</label>
                <textarea
                    id={id}
                    class="code"
                    rows={16}
                    spellcheck={false}
                    readOnly={is_fixed}
                    value={text}
                    onInput={(event) => set_text(event.currentTarget.value)}
                />
                {is_fixed && <span class="hint">{`It comes with ${rule.plugin ?? ''}; change it there.`}</span>}
            </div>
            <Help />
            <Field
                label="Event"
                hint="The id of one that has happened, to see what the rule would do; none: by the clock."
                value={event_id}
                on_input={set_event_id}
                problem={act.problem('event_id')}
                autocomplete="off"
                inputMode="numeric"
            />
            {answer && <Answer answer={answer} />}
        </FormDialog>
    );
}
