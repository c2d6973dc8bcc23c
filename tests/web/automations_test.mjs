// A rule from its first draft on: refused, tried on what has happened, saved, changed, and at work.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { become_admin, check_accessible, forgive, launch, looks, open_tab } from './support/browser.mjs';
import { eventually } from './support/eventually.mjs';
import { Installation } from './support/radd.mjs';

const labels = (label) =>
    JSON.stringify({
        trigger: { events: ['item.created'] },
        then: [{ action: 'items.add_label', arguments: { label } }],
    });

describe('automations', () => {
    let browser;
    let installation;
    let host;
    let tab;

    const dialog = () => tab.getByRole('dialog');
    const rule_text = () => dialog().getByLabel('Rule', { exact: true });
    const press = (name) => dialog().getByRole('button', { name, exact: true }).click();
    const stored = () =>
        installation.sql(
            "SELECT name, definition->'then'->0->'arguments'->>'label' FROM automations.rules",
        );
    const labels_of = (key) => installation.sql(`SELECT labels FROM items.items WHERE key = '${key}'`);

    before(async () => {
        browser = await launch();
        installation = new Installation();
        host = await installation.serve();
        await installation.run('project', 'add', 'DEMO', 'Demonstration');
        await installation.run('item', 'add', 'DEMO', 'Printer');
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    it('a draft that is no rule is refused in its place and nothing is kept', async () => {
        await tab.goto(`${host.url}/automations`);
        await tab.getByRole('button', { name: 'New rule' }).click();
        await dialog().getByLabel('Name', { exact: true }).fill('sort');
        await rule_text().fill('[');
        await press('Save');
        await dialog().getByRole('alert').waitFor();
        await rule_text().fill(labels('seen').replace('add_label', 'add_lable'));
        await press('Save');
        await dialog().getByRole('alert').getByText(/items\.add_lable/).waitFor();
        forgive(tab, 422);
        assert.equal(await stored(), '');
        assert.deepEqual(tab.errors, []);
    });

    it('a dry run tells what it would do to an event and does nothing', async () => {
        const [created, other] = (
            await installation.sql(
                `SELECT max(id) FILTER (WHERE event_type = 'item.created'),
                        max(id) FILTER (WHERE event_type = 'project.created') FROM radd.events`,
            )
        ).split('|');
        await rule_text().fill(labels('seen'));
        await dialog().getByLabel('Event', { exact: true }).fill(created);
        await press('Dry run');
        const answer = dialog().getByRole('status');
        await answer.getByText('It would do this').waitFor();
        assert.match(await answer.textContent(), /set labels of DEMO-1 to .*seen/);
        await check_accessible(tab, 'a dry run');
        await dialog().getByLabel('Event', { exact: true }).fill(other);
        await press('Dry run');
        await answer.getByText('It would not start').waitFor();
        assert.equal(await labels_of('DEMO-1'), '{}');
        assert.equal(await stored(), '');
        assert.deepEqual(tab.errors, []);
    });

    it('a rule is saved, opened as it was saved, changed, and does what it says by then', async () => {
        await press('Save');
        await dialog().waitFor({ state: 'detached' });
        await tab.getByRole('cell', { name: 'items.add_label' }).waitFor();
        assert.equal(await stored(), 'sort|seen');

        await tab.getByRole('button', { name: 'sort', exact: true }).click();
        assert.deepEqual(JSON.parse(await rule_text().inputValue()), { ...JSON.parse(labels('seen')), when: {} });
        await dialog().getByLabel('Name', { exact: true }).fill('sort again');
        await rule_text().fill(labels('looked at'));
        await press('Save');
        await dialog().waitFor({ state: 'detached' });
        await tab.getByRole('button', { name: 'sort again', exact: true }).waitFor();
        assert.equal(await stored(), 'sort again|looked at');

        await installation.run('item', 'add', 'DEMO', 'Scanner');
        await eventually('the label', async () => (await labels_of('DEMO-2')) === '{"looked at"}');
        assert.equal(await labels_of('DEMO-1'), '{}');
        assert.deepEqual(tab.errors, []);
    });
});
