// What an operator watches and does: a consumer falls behind, freezes, skips, and is repaired.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { become_admin, check_accessible, launch, looks, open_tab } from './support/browser.mjs';
import { eventually } from './support/eventually.mjs';
import { Installation } from './support/radd.mjs';
import { asked_for_an_answer } from './support/scenes.mjs';

const name = 'chores.doer';

/** How many pixels of a canvas have the colour that this custom property holds, however pale. */
function pixels_of(canvas, color) {
    const probe = document.createElement('canvas').getContext('2d');
    canvas.parentElement.style.outlineColor = `var(${color})`;
    probe.fillStyle = getComputedStyle(canvas.parentElement).outlineColor;
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data.slice(0, 3);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 100 && wanted.every((part, i) => Math.abs(part - data[at + i]) < 8)) ++found;
    return found;
}

describe('consumers', () => {
    let browser;
    let installation;
    let host;
    let tab;

    before(async () => {
        browser = await launch();
        installation = new Installation();
        installation.install_chores();
        await installation.start_relay();
        host = await installation.serve();
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    const row = () => tab.getByRole('row', { name: new RegExp(name.replace('.', '\\.')) });
    const state = (text) => row().locator('.chip', { hasText: new RegExp(`^${text}$`) });
    const touch = (file) => writeFileSync(installation.path(`chores/${file}`), '');
    const to_consumer = async () => {
        await tab.goto(`${host.url}/consumers/${name}`);
        await tab.getByRole('button', { name: 'Seek…' }).waitFor();
    };

    it('goes from ok to catching up and back, to stalled when frozen, and back to ok', async () => {
        await tab.goto(`${host.url}/monitoring`);
        await state('ok').waitFor();

        await installation.ask_chore('block');
        await installation.ask_chore('note', 500);
        await state('catching up').waitFor();
        await row().getByRole('cell', { name: '501', exact: true }).waitFor();
        touch('open');
        await state('ok').waitFor();

        rmSync(installation.path('chores/open'));
        await installation.ask_chore('block');
        await installation.ask_chore('note', 20);
        await row().getByRole('cell', { name: '21', exact: true }).waitFor();
        // Frozen for two minutes, by the database's clock, which is what the state is judged by.
        await installation.sql(
            `UPDATE radd.consumers SET updated_at = updated_at - interval '3 minutes' WHERE name = '${name}'`,
        );
        await state('stalled').waitFor();
        await check_accessible(tab, 'a stalled consumer');

        touch('open');
        await state('ok').waitFor();
        await row().getByRole('cell', { name: '0', exact: true }).first().waitFor();
        assert.deepEqual(tab.errors, []);
    });

    it('is plotted with its lag and with what is written and handled', async () => {
        await tab.goto(`${host.url}/monitoring`);
        const drawn = (title, ...colors) =>
            eventually(`the lines of ${title}`, async () => {
                const plot = tab.getByRole('figure').filter({ hasText: title });
                assert.equal(await plot.locator('figcaption').textContent(), title);
                for (const color of colors)
                    assert.ok((await plot.locator('canvas').evaluate(pixels_of, color)) > 50);
                return plot.getByRole('img').getAttribute('aria-label');
            });
        const lag = await drawn('Lag of the consumer furthest behind, in events', '--line-1');
        const [, most] = lag.match(/lag: now \d+, at most ([\d\u202f]+)/);
        assert.ok(Number(most.replace('\u202f', '')) >= 501, lag);
        const speed = await drawn('Events a second', '--line-1', '--line-2');
        assert.match(speed, /written: now .*, at most .*; handled by all consumers: now .*, at most/);
        assert.deepEqual(tab.errors, []);
    });

    it('shows how a backlog gets on, with what is left', async () => {
        await to_consumer();
        await tab.getByRole('button', { name: 'Pause…' }).click();
        await tab.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await tab.getByText('Until somebody resumes it.').waitFor();
        await installation.ask_chore('note', 60_000);
        await tab.getByRole('button', { name: 'Resume' }).click();
        await tab.getByText(/Catching up: .* events a second, about .* left/).waitFor();
        assert.ok(await tab.getByRole('progressbar').isVisible());
        await check_accessible(tab, 'catching up');
        await tab.locator('h1 .chip', { hasText: 'ok' }).waitFor({ timeout: 120_000 });
        assert.deepEqual(tab.errors, []);
    });

    it('names who holds the stream', async () => {
        const held = installation
            .sql(`BEGIN; SELECT nextval('radd.events_id_seq'); SELECT pg_sleep(120); ROLLBACK`)
            .catch(() => {}); // Ended below.
        const holders = `FROM pg_stat_activity
            WHERE wait_event = 'PgSleep' AND datname = current_database()`;
        await eventually('the transaction has its id', async () => {
            return (await installation.sql(`SELECT count(*) ${holders}`)) === '1';
        });
        await installation.ask_chore('note', 2);
        await tab.goto(`${host.url}/monitoring`);
        const notice = tab.getByText('The stream waits for an open transaction');
        await notice.waitFor();
        await tab.getByText(/The transaction of process \d+ .*has been open for/).waitFor();
        await state('waiting').waitFor();
        await installation.sql(`SELECT pg_terminate_backend(pid) ${holders}`);
        await held;
        await notice.waitFor({ state: 'detached' });
        await state('ok').waitFor();
    });

    it('retries skipped events, one and then all', async () => {
        await installation.ask_chore('throw', 3);
        await to_consumer();
        const table = tab.getByRole('table', { name: `Events that ${name} has skipped` });
        await table.getByText('the broom is broken').first().waitFor();
        assert.equal(await table.getByRole('row').count(), 1 + 3);
        await table.getByRole('button', { name: /^\d+$/ }).first().click();
        await tab.getByRole('region', { name: 'Copy of the event' }).waitFor();
        await check_accessible(tab, 'a skipped event');
        await tab.keyboard.press('Escape');

        touch('repaired');
        await table.getByRole('button', { name: /^Retry event/ }).first().click();
        await eventually('two left', async () => (await table.getByRole('row').count()) === 1 + 2);
        await tab.getByRole('button', { name: 'Retry all' }).click();
        await tab.getByText('Nothing was skipped').waitFor();
        assert.equal(
            await installation.sql('SELECT count(*) FROM radd.skipped_events WHERE resolved_at IS NULL'),
            '0',
        );
        assert.deepEqual(tab.errors, []);
    });

    it('says what a seek means before it is done', async () => {
        await to_consumer();
        await installation.sql('TRUNCATE chores.done');
        const from = await installation.sql(`SELECT cursor FROM radd.consumers WHERE name = '${name}'`);
        await tab.getByRole('button', { name: 'Seek…' }).click();
        const dialog = tab.getByRole('dialog');
        await dialog.getByLabel('To').selectOption('id');
        await dialog.getByLabel('Event id').fill(String(Number(from) - 2));
        await dialog.getByRole('button', { name: 'See what it means' }).click();
        await dialog.getByText('2 events will be replayed').waitFor();
        await check_accessible(tab, 'a seek');
        const still = await installation.sql(`SELECT cursor FROM radd.consumers WHERE name = '${name}'`);
        assert.equal(still, from);

        await dialog.getByRole('button', { name: 'Replay them' }).click();
        await dialog.waitFor({ state: 'detached' });
        await eventually('both replayed', async () => {
            return (await installation.sql('SELECT count(*) FROM chores.done')) === '2';
        });
        assert.deepEqual(tab.errors, []);
    });

    it('is retired only by who types its name, and comes back', async () => {
        await to_consumer();
        await tab.getByRole('button', { name: 'Retire…' }).click();
        const dialog = tab.getByRole('dialog');
        const retire = dialog.getByRole('button', { name: 'Retire' });
        await dialog.getByLabel(/Type/).fill('chores');
        assert.ok(await retire.isDisabled());
        await dialog.getByLabel(/Type/).fill(name);
        await retire.click();
        await tab.locator('h1 .chip', { hasText: 'retired' }).waitFor();
        await tab.getByRole('button', { name: 'Resume' }).click();
        await tab.locator('h1 .chip', { hasText: 'ok' }).waitFor();
        assert.deepEqual(tab.errors, []);
    });

    it('sends a survey that is answered in a plain browser', async () => {
        const path = await asked_for_an_answer(installation);

        const context = await browser.newContext({ javaScriptEnabled: false });
        const survey = await context.newPage();
        await survey.goto(host.url + path);
        await survey.getByRole('radio', { name: /4/ }).check();
        await survey.getByRole('textbox').fill('Quick and friendly');
        await survey.getByRole('button').first().click();
        await survey.getByText(/thank/i).first().waitFor();
        await context.close();

        await tab.goto(`${host.url}/events?type=csat.responded`);
        await tab.getByRole('table').getByRole('button').first().click();
        await tab.getByText('"comment": "Quick and friendly"').waitFor();
        assert.deepEqual(tab.errors, []);
    });
});
