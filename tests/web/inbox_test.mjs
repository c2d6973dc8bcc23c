// What a person was told: read, cleared, and told otherwise from then on.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
    become_admin,
    check_accessible,
    check_fits,
    forgive,
    launch,
    looks,
    open_tab,
} from './support/browser.mjs';
import { eventually } from './support/eventually.mjs';
import { Installation } from './support/radd.mjs';

describe('inbox', () => {
    let browser;
    let installation;
    let host;
    let tab;

    const comment = (text) =>
        installation.sql(
            `WITH c AS (INSERT INTO items.comments (item_id, body) VALUES (1, '${text}') RETURNING id)
             INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
             SELECT 'comment.created', 'comment', id::text, '{"item": {"id": 1}}' FROM c`,
        );
    const lines = () => tab.locator('.told');

    before(async () => {
        browser = await launch();
        installation = new Installation();
        host = await installation.serve();
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
        await installation.run('project', 'add', 'DEMO', 'Demonstration');
        await installation.run('item', 'add', 'DEMO', 'Printer <b>eats</b> paper');
        await installation.sql(
            `INSERT INTO items.people (id, name) SELECT id, name FROM radd.accounts ON CONFLICT DO NOTHING`,
        );
        await installation.sql('UPDATE items.items SET reporter_id = (SELECT id FROM radd.accounts)');
        await comment('Is it the toner?');
        await comment('It is.');
        await eventually('two notices', async () => {
            return (await installation.sql('SELECT count(*) FROM notify.notices')) === '2';
        });
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    it('shows what happened, and says in the navigation how much is unread', async () => {
        await tab.goto(`${host.url}/inbox`);
        await lines().nth(1).waitFor();
        assert.match(await lines().first().textContent(), /DEMO-1 Printer <b>eats<\/b> paper/);
        assert.match(await lines().first().textContent(), /Somebody commented/);
        assert.equal(await lines().locator('blockquote').first().textContent(), 'It is.');
        await tab.getByRole('link', { name: 'Inbox 2 unread' }).waitFor();
        assert.deepEqual(tab.errors, []);
    });

    it('is read one by one and all at once', async () => {
        await tab.getByRole('button', { name: /^Mark as read: DEMO-1/ }).first().click();
        await tab.getByRole('link', { name: 'Inbox 1 unread' }).waitFor();
        await tab.getByRole('button', { name: 'Unread', exact: true }).click();
        await eventually('one unread', async () => (await lines().count()) === 1);
        await tab.getByRole('button', { name: 'Mark all as read' }).click();
        await tab.getByText('You have seen everything').waitFor();
        await tab.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    });

    it('is cleared, and what was cleared is kept', async () => {
        await tab.getByRole('button', { name: 'All', exact: true }).click();
        await tab.getByRole('button', { name: /^Archive: DEMO-1/ }).first().click();
        await eventually('one is left', async () => (await lines().count()) === 1);
        await tab.getByRole('button', { name: 'Archived' }).click();
        await tab.getByRole('button', { name: /^Back to the inbox: DEMO-1/ }).click();
        await tab.getByText('There is nothing here').waitFor();
        assert.deepEqual(tab.errors, []);
    });

    it('hears no more of an item that was muted, until it is not', async () => {
        await tab.getByRole('button', { name: 'All', exact: true }).click();
        await tab.getByRole('button', { name: /^Mute DEMO-1/ }).first().click();
        await tab.getByRole('button', { name: /^Unmute DEMO-1/ }).first().click();
        await tab.getByRole('button', { name: /^Mute DEMO-1/ }).first().waitFor();
        assert.equal(await installation.sql('SELECT count(*) FROM notify.mutes'), '0');
    });

    it('watches an item from its page, by keys alone, and mutes it there', async () => {
        const press = async (name) => {
            await tab.getByRole('button', { name, exact: true }).focus();
            await tab.keyboard.press('Enter');
        };
        const watchers = () => installation.sql('SELECT count(*) FROM items.watchers');
        await tab.goto(`${host.url}/entities/item/1`);
        await tab.getByText('You hear of it: you reported it.').waitFor();
        await press('Watch');
        await tab.getByText('You hear of it: you reported it, you watch it.').waitFor();
        assert.equal(await watchers(), '1');
        await check_accessible(tab, 'an item that is watched');
        // The focus has stayed on the button, which now does the opposite.
        await tab.keyboard.press('Enter');
        await tab.getByRole('button', { name: 'Watch', exact: true }).waitFor();
        assert.equal(await watchers(), '0');
        await press('Mute');
        await tab.getByText('Muted: you hear only what is meant for you.').waitFor();
        assert.equal(await installation.sql('SELECT count(*) FROM notify.mutes'), '1');
        await tab.keyboard.press('Enter');
        await tab.getByRole('button', { name: 'Mute', exact: true }).waitFor();
        assert.equal(await installation.sql('SELECT count(*) FROM notify.mutes'), '0');
        assert.deepEqual(tab.errors, []);
    });

    it('watches a project by its key, and no longer', async () => {
        await tab.goto(`${host.url}/inbox/preferences`);
        await tab.getByLabel('Key of a project').fill('NONE');
        await tab.getByRole('button', { name: 'Watch it' }).click();
        await tab.getByText("there is no project 'NONE'").waitFor();
        forgive(tab, 404);
        await tab.getByLabel('Key of a project').fill('DEMO');
        await tab.getByRole('button', { name: 'Watch it' }).click();
        await tab.getByRole('button', { name: 'Watch DEMO no longer' }).click();
        await tab.getByText('DEMO: no longer watched').waitFor();
        assert.equal(await installation.sql('SELECT count(*) FROM notify.project_watches'), '0');
        await tab.goto(`${host.url}/inbox`);
        assert.deepEqual(tab.errors, []);
    });

    it('is told otherwise from then on', async () => {
        await tab.getByRole('link', { name: 'Preferences' }).click();
        await tab.getByText('You get no mail').waitFor();
        await tab.getByLabel('Address').fill('ada@example.org');
        await tab.getByRole('button', { name: 'Keep the address' }).click();
        await tab.getByText('You get no mail').waitFor({ state: 'detached' });
        const box = tab.getByRole('checkbox', { name: 'New comment: Inbox' });
        await box.uncheck();
        await tab.getByText('New comment: kept').waitFor();
        await tab.reload();
        await box.waitFor();
        assert.equal(await box.isChecked(), false);
        await comment('For the digest alone');
        await eventually('a notice that is not in the inbox', async () => {
            return (await installation.sql('SELECT count(*) FROM notify.notices WHERE NOT in_inbox')) === '1';
        });
    });

    it('keeps the hour and zone of the digest and refuses what is none', async () => {
        await tab.getByLabel('Time zone').fill('Europe/Atlantis');
        await tab.getByRole('button', { name: 'Keep the time' }).click();
        await tab.getByText(/there is no 'Europe\/Atlantis'/).first().waitFor();
        await tab.getByLabel('Time zone').fill('Europe/Berlin');
        await tab.getByLabel('Hour').selectOption('7');
        await tab.getByRole('button', { name: 'Keep the time' }).click();
        await tab.getByText(/The next is due/).waitFor();
        assert.equal(
            await installation.sql(`SELECT zone || ' ' || digest_hour FROM notify.people`),
            'Europe/Berlin 7',
        );
    });

    for (const [look, how] of Object.entries(looks)) {
        it(`is accessible and fits, ${look}`, async () => {
            const other = await open_tab(browser, how, await tab.context().storageState());
            for (const [path, shows] of [
                ['/inbox', '.told'],
                ['/inbox/preferences', 'role=checkbox'],
            ]) {
                await other.goto(host.url + path);
                await other.locator(shows).first().waitFor();
                await check_accessible(other, `${path}, ${look}`);
                await check_fits(other, `${path}, ${look}`);
            }
            assert.deepEqual(other.errors, []);
            await other.context().close();
        });
    }

    it('is not offered where nobody is told of anything', async () => {
        await host.stop();
        installation.write(
            'manifests/notify.yaml',
            'kind: plugin\nversion: 1\nid: notify\nenabled: false\n',
        );
        host = await installation.serve();
        await tab.goto(`${host.url}/entities/item/1`);
        await tab.locator('.timeline').waitFor();
        assert.equal(await tab.getByRole('button', { name: 'Watch' }).count(), 0);
        assert.equal(await tab.getByRole('link', { name: 'Inbox' }).count(), 0);
        forgive(tab, 422); // Of the zone that there is not.
        assert.deepEqual(tab.errors, []);
    });
});
