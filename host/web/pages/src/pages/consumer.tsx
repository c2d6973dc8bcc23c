// One consumer in depth.

import { useState } from 'preact/hooks';

import { api, route } from '../api/client';
import type { Consumer } from '../api/types';
import { ago, count, counted, owner, rate, span, time } from '../format';
import { StateChip, states } from '../parts/chip';
import { Notice, Shown } from '../parts/notice';
import { Facts, Page, Section, type Fact } from '../parts/page';
import { Plot } from '../parts/plot';
import { event_path } from '../paths';
import { announce } from '../state/announcer';
import { useLive } from '../state/live';
import { ActFailure, useAct } from '../parts/form';
import { catch_up, read_overview, recorded, recorder } from '../state/recorder';
import { PauseDialog, RetireDialog, SeekDialog } from './consumer_dialogs';
import { HolderNotice } from './monitoring';
import { Skipped } from './skipped';

function Catching({ consumer }: { consumer: Consumer }) {
    const found = catch_up(consumer);
    if (!found) return null;
    return (
        <div class="progress">
            <label>
                <span>
                    Catching up: {rate(found.per_second)} events a second,{' '}
                    {found.left_s === undefined
                        ? 'and as many are written'
                        : `about ${span(found.left_s)} left`}
                </span>
                <progress max={1} value={found.done} />
            </label>
        </div>
    );
}

function PlotOf({ name }: { name: string }) {
    void recorded.value; // Drawn anew with each sample.
    const track = recorder.tracks.get(name);
    if (!track || recorder.at.length < 2) return null;
    return (
        <div class="plots">
            <Plot
                title="Lag, in events"
                at={recorder.at}
                lines={[{ label: 'lag', color: '--line-1', values: track.lag, show: count }]}
            />
            <Plot
                title="Events a second"
                at={recorder.at}
                lines={[
                    {
                        label: 'written',
                        color: '--line-2',
                        dash: [6, 4],
                        values: recorder.rates(recorder.head),
                        show: rate,
                    },
                    { label: 'passed', color: '--line-1', values: recorder.rates(track.cursor), show: rate },
                ]}
            />
        </div>
    );
}

function facts_of(consumer: Consumer): Fact[] {
    return [
        { label: 'Lag', value: counted(consumer.lag, consumer.approximate), note: 'events to the head' },
        {
            label: 'Cursor',
            value: count(consumer.last_event_id),
            note: `head ${count(consumer.stream_head)}`,
        },
        {
            label: 'Oldest waits',
            value: consumer.oldest_age_s === null ? '–' : span(consumer.oldest_age_s),
            note: `cursor moved ${ago(consumer.seconds_since_update)}`,
        },
        { label: 'Handled', value: count(consumer.handled_count), note: 'since it began or was set' },
        { label: 'Run by', value: <span class="small-value">{owner(consumer.owner)}</span>, note: `plugin ${consumer.plugin}` },
    ];
}

function Notices({ consumer }: { consumer: Consumer }) {
    const meaning = states[consumer.state];
    return (
        <>
            {consumer.waiting_on && <HolderNotice holder={consumer.waiting_on} />}
            {consumer.state === 'paused' && (
                <Notice title="Paused">
                    {consumer.paused_until && consumer.paused_until !== 'infinity'
                        ? `Until ${time(consumer.paused_until)}.`
                        : 'Until somebody resumes it.'}
                    {consumer.pause_reason && ` Reason: ${consumer.pause_reason}`}
                </Notice>
            )}
            {(meaning.tone === 'bad' || consumer.state === 'unowned' || meaning.tone === 'off') && (
                <Notice tone={meaning.tone === 'bad' ? 'bad' : 'warn'} title={meaning.label}>
                    {meaning.text}
                </Notice>
            )}
            {consumer.overdue_event_id !== null && consumer.kind === 'task' && (
                <Notice tone="warn" title="A tick outlives its deadline">
                    Nothing of this task happens until it returns.
                </Notice>
            )}
            {consumer.overdue_event_id !== null && consumer.kind !== 'task' && (
                <Notice tone="warn" title="A handler outlives its deadline">
                    It still works on event{' '}
                    <a href={event_path(consumer.overdue_event_id)}>{String(consumer.overdue_event_id)}</a>.
                </Notice>
            )}
            {consumer.state === 'catching_up' && <Catching consumer={consumer} />}
        </>
    );
}

type Question = 'pause' | 'seek' | 'retire';

function Controls({ consumer, on_done }: { consumer: Consumer; on_done: () => void }) {
    const [question, ask] = useState<Question>();
    const act = useAct();
    const { name, state } = consumer;
    const close = () => ask(undefined);
    const done = (text: string) => {
        close();
        announce(text);
        on_done();
    };
    const resume = () =>
        act.run(async () => {
            await api(route`/consumers/${name}/resume`, { method: 'POST', body: {} });
            done(`${name} is resumed`);
        });
    const is_held = state === 'paused' || state === 'retired';
    return (
        <>
            {is_held ? (
                <button type="button" disabled={act.is_running} onClick={() => void resume()}>
                    Resume
                </button>
            ) : (
                <button type="button" onClick={() => ask('pause')}>
                    Pause…
                </button>
            )}
            {consumer.kind === 'consumer' && (
                <button type="button" onClick={() => ask('seek')}>
                    Seek…
                </button>
            )}
            {state !== 'retired' && (
                <button type="button" class="danger" onClick={() => ask('retire')}>
                    Retire…
                </button>
            )}
            <ActFailure act={act} />
            {question === 'pause' && <PauseDialog name={name} on_close={close} on_done={done} />}
            {question === 'seek' && <SeekDialog consumer={consumer} on_close={close} on_done={done} />}
            {question === 'retire' && <RetireDialog name={name} on_close={close} on_done={done} />}
        </>
    );
}

export function ConsumerPage({ name }: { name: string }) {
    // The overview keeps the plots of every consumer going, and this one is in it.
    const live = useLive(`consumer ${name}`, async (signal) => {
        await read_overview(signal);
        return api<Consumer>(route`/consumers/${name}`, { signal });
    });
    const consumer = live.data;
    return (
        <Page
            title={name}
            heading={
                <>
                    {name} {consumer && <StateChip state={consumer.state} />}
                </>
            }
            intro={<a href="/monitoring">All consumers</a>}
            actions={consumer && <Controls consumer={consumer} on_done={live.reload} />}
        >
            <Shown live={live}>
                {(shown) => (
                    <>
                        <Notices consumer={shown} />
                        {shown.kind === 'consumer' && <Facts facts={facts_of(shown)} />}
                        <PlotOf name={name} />
                        {shown.kind === 'consumer' && (
                            <Section title="Skipped events">
                                <Skipped name={name} open={shown.skipped} on_done={live.reload} />
                            </Section>
                        )}
                    </>
                )}
            </Shown>
        </Page>
    );
}
