// Entities without code: a page made of what their manifest declares.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { become_admin, check_accessible, forgive, launch, looks, open_tab } from './support/browser.mjs';
import { Installation } from './support/radd.mjs';

const notes = `kind: plugin
version: 1
id: notes
depends_on: [milestones]
entities:
  note:
    label: Note
    plural: notes
    fields:
      title: {type: text, max: 100, default: Untitled}
      place: {type: text, max: 100, nullable: true}
      cost: {type: decimal, precision: 8, scale: 2, nullable: true}
      milestone: {type: reference, references: milestone, nullable: true}
`;

describe('records', () => {
    let browser;
    let installation;
    let host;
    let tab;

    before(async () => {
        browser = await launch();
        installation = new Installation();
        installation.install_milestones();
        installation.write('manifests/notes.yaml', notes);
        host = await installation.serve();
        await installation.run('project', 'add', 'DEMO', 'Demonstration');
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    it('a milestone is made, changed and deleted, and has a history', async () => {
        const milestones = () => installation.sql('SELECT count(*) FROM milestones.milestones');
        await tab.goto(`${host.url}/records`);
        await tab.getByRole('link', { name: 'Milestone' }).click();
        await tab.getByRole('button', { name: 'New', exact: true }).click();
        const dialog = tab.getByRole('dialog');
        await dialog.getByLabel('name', { exact: true }).fill('x'.repeat(121));
        await check_accessible(tab, 'a new milestone');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.getByText(/120/).first().waitFor();
        forgive(tab, 422);
        assert.equal(await milestones(), '0');
        await dialog.getByLabel('name', { exact: true }).fill('Second light');
        await dialog.getByLabel('project').selectOption({ label: 'DEMO · Demonstration' });
        await dialog.getByLabel('due_on').fill('2027-01-31');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await tab.getByRole('heading', { name: 'Second light' }).waitFor();
        assert.match(await tab.locator('.record').textContent(), /planned.*2027-01-31/s);

        await tab.getByRole('button', { name: 'Change' }).click();
        await dialog.getByLabel('state').selectOption('active');
        await dialog.getByLabel('due_on').fill('2027-02-28');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await tab.getByText('Second light is changed').waitFor();
        const row = "FROM milestones.milestones WHERE name = 'Second light'";
        assert.equal(await installation.sql(`SELECT state, due_on, project ${row}`), 'active|2027-02-28|1');

        // Somebody else has changed it since the page was read.
        await tab.getByRole('button', { name: 'Change' }).click();
        await installation.sql(`UPDATE milestones.milestones SET version = version + 1 WHERE name = 'Second light'`);
        await dialog.getByLabel('state').selectOption('dropped');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.getByRole('alert').waitFor();
        forgive(tab, 412);
        await dialog.getByRole('button', { name: 'Cancel' }).click();

        await tab.getByRole('link', { name: 'History' }).click();
        await tab.locator('.changes li', { hasText: 'state' }).first().waitFor();
        await tab.goBack();
        await tab.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
        await tab.waitForURL('**/records/milestones');
        await tab.getByText('There are no milestones yet').waitFor();
        assert.equal(await milestones(), '0');
        assert.deepEqual(tab.errors, []);
    });

    it('what is there can be left, emptied and typed whatever its field and its choices are', async () => {
        await installation.sql(`INSERT INTO notes.notes (place) VALUES (E'Here\\nand there')`);
        const refusal = { title: 'Forbidden', status: 403, detail: 'not for you' };
        await tab.route('**/api/v1/milestones?limit=200', (asked) =>
            asked.fulfill({
                status: 403,
                contentType: 'application/problem+json',
                body: JSON.stringify(refusal),
            }),
        );
        await tab.goto(`${host.url}/records/notes/1`);
        await tab.getByRole('button', { name: 'Change' }).click();
        forgive(tab, 403);
        const dialog = tab.getByRole('dialog');
        const field = (name) => dialog.getByLabel(name, { exact: true });
        assert.equal(await field('milestone').evaluate((input) => input.tagName), 'INPUT');
        assert.equal(await field('cost').getAttribute('inputmode'), null);
        assert.equal(await field('place').inputValue(), 'Here\nand there');
        await field('place').fill('Here\nand elsewhere');
        await field('title').fill('');
        await field('cost').fill('-1.50');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await tab.getByText('Note 1 is changed').waitFor();
        assert.equal(
            await installation.sql(`SELECT title, replace(place, E'\\n', '/'), cost FROM notes.notes`),
            '|Here/and elsewhere|-1.50',
        );
        await tab.unroute('**/api/v1/milestones?limit=200');
        assert.deepEqual(tab.errors, []);
    });
});
