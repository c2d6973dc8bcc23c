// Every page, light, dark and phone-wide: complete, without errors, accessible, not too wide.

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
    password,
    sign_in,
} from './support/browser.mjs';
import { big_number, furnished, pages, tell_everybody } from './support/scenes.mjs';

describe('pages', () => {
    let browser;
    let installation;
    let host;
    let answers;
    let signed_in;

    before(async () => {
        browser = await launch();
        ({ installation, host, answers } = await furnished());
        const tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
        await tell_everybody(installation);
        signed_in = await tab.context().storageState();
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    const tab_of = (look = looks.light) => open_tab(browser, look, signed_in);

    for (const [look, how] of Object.entries(looks)) {
        for (const { name, path, shows } of pages) {
            it(`${name} is accessible and fits, ${look}`, async () => {
                const tab = await tab_of(how);
                await tab.goto(host.url + path);
                await tab.locator(shows).first().waitFor();
                await check_accessible(tab, `${name}, ${look}`);
                await check_fits(tab, `${name}, ${look}`);
                assert.deepEqual(tab.errors, []);
                await tab.context().close();
            });
        }
        it(`sign-in is accessible and fits, ${look}`, async () => {
            const tab = await open_tab(browser, how);
            await tab.goto(`${host.url}/sign-in`);
            await tab.getByLabel('Password').waitFor();
            await check_accessible(tab, `sign-in, ${look}`);
            await check_fits(tab, `sign-in, ${look}`);
            assert.deepEqual(tab.errors, []);
            await tab.context().close();
        });
    }

    it('all pages of an administrator stand in one line', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/monitoring`);
        const links = tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
        await links.filter({ hasText: 'Records' }).waitFor();
        const tops = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top));
        assert.ok(tops.length >= 10, `${tops.length} links`);
        assert.equal(new Set(tops).size, 1);
        await tab.context().close();
    });

    it('a chosen theme stays and beats the system', async () => {
        const tab = await tab_of(looks.dark);
        await tab.goto(`${host.url}/plugins`);
        const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const dark = await ground();
        await tab.getByRole('button', { name: 'Theme: as the system' }).click();
        const light = await ground();
        assert.notEqual(light, dark);
        await tab.reload();
        await tab.getByRole('button', { name: 'Theme: light' }).waitFor();
        assert.equal(await ground(), light);
        await tab.context().close();
    });

    it('a payload keeps every digit, on the page and in the clipboard', async () => {
        const tab = await tab_of();
        await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await tab.goto(`${host.url}/events?type=legacy.imported`);
        await tab.getByRole('table').getByRole('button').first().click();
        const payload = tab.getByRole('region', { name: 'Payload' });
        assert.match(await payload.textContent(), new RegExp(`"n": ${big_number},\\s+"price": 1.10`));
        await tab.getByRole('button', { name: 'Copy' }).click();
        await tab.getByRole('button', { name: 'Copied' }).waitFor();
        assert.match(await tab.evaluate(() => navigator.clipboard.readText()), new RegExp(big_number));
        await tab.context().close();
    });

    it('an entity whose id needs escaping has its history', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/events?type=legacy.imported`);
        await tab.getByRole('link', { name: 'order a/b 100%' }).click();
        await tab.getByRole('heading', { name: 'order a/b 100%' }).waitFor();
        await tab.getByRole('link', { name: 'legacy.imported' }).waitFor();
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a history shows what became of what', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/entities/item/1`);
        const state = tab.locator('.changes li', { hasText: 'state' }).first();
        assert.match(await state.textContent(), /state In Progress →became Done/);
        await tab.locator('.changes li', { hasText: 'added floor-3, hardware' }).first().waitFor();
        await tab.context().close();
    });

    it('filters are in the address, and pages go on where the last ended', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/events`);
        await tab.getByLabel('Type', { exact: true }).fill('chores.asked');
        await tab.keyboard.press('Enter');
        await tab.waitForURL('**/events?type=chores.asked');
        await tab.getByRole('button', { name: 'Remove chores.asked' }).waitFor();
        const rows = tab.getByRole('table').getByRole('row');
        await tab.getByRole('button', { name: 'Older events' }).click();
        await tab.getByRole('button', { name: 'Older events' }).click();
        await tab.getByText('That is all.').waitFor();
        assert.equal(await rows.count(), 1 + 123);
        await tab.getByRole('link', { name: 'Clear' }).click();
        await tab.getByRole('table').getByRole('cell', { name: 'legacy.imported' }).waitFor();
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('every filter of the API is in the form and in the address', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/events?not_type=chores.asked&source=system`);
        const rows = tab.getByRole('table').getByRole('row');
        await tab.getByRole('cell', { name: 'legacy.imported' }).waitFor();
        assert.equal(await tab.getByRole('cell', { name: 'chores.asked' }).count(), 0);
        await tab.getByRole('button', { name: 'Remove chores.asked' }).click();
        await tab.getByLabel('Not of type', { exact: true }).fill('legacy.imported');
        await tab.getByLabel('Project id', { exact: true }).fill('1');
        await tab.getByLabel('Done by', { exact: true }).selectOption('automations');
        await tab.getByLabel('Changed field', { exact: true }).fill('state');
        await tab.getByLabel('Text', { exact: true }).fill('ada');
        await tab.getByLabel('Not audited', { exact: true }).selectOption('shown');
        await tab.getByRole('button', { name: 'Apply' }).click();
        await tab.getByText('No event fits').waitFor();
        const asked = new URL(tab.url()).searchParams;
        assert.deepEqual(Object.fromEntries(asked), {
            not_type: 'legacy.imported', project_id: '1', source: 'automations', changed: 'state',
            text: 'ada', all: 'true',
        });

        await tab.goto(`${host.url}/events?changed=state&text=IN%20PROGRESS`);
        await rows.first().waitFor();
        assert.equal(await rows.count(), 1 + 2); // There and away from it.
        await check_accessible(tab, 'every filter');
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a filter that fits nothing says so', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/events?entity_type=nothing`);
        await tab.getByText('No event fits').waitFor();
        await check_accessible(tab, 'no events');
        await tab.context().close();
    });

    it('what does not exist says so', async () => {
        const tab = await tab_of();
        for (const path of ['/events/999999999', '/consumers/nobody']) {
            await tab.goto(host.url + path);
            await tab.getByText('There is no such thing').waitFor();
        }
        await tab.goto(`${host.url}/nowhere`);
        await tab.getByText('There is no page at this address').waitFor();
        forgive(tab, 404);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('how much room the stream takes is shown', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/monitoring`);
        const size = tab.locator('.fact').filter({ hasText: 'Size of the stream' });
        assert.match(await size.textContent(), /[1-9][\d.]* [kM]B/);
        await tab.context().close();
    });

    it('a refused plugin is shown with its reason', async () => {
        const tab = await tab_of();
        for (const path of ['/monitoring', '/plugins']) {
            await tab.goto(host.url + path);
            const notice = tab.getByRole('alert').filter({ hasText: '1 plugin refused' });
            await notice.waitFor();
            assert.match(await notice.textContent(), /broken.*E\d\d/s);
        }
        await tab.context().close();
    });

    it('dead deliveries are shown with their reason and sent again', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/monitoring`);
        const queues = tab.getByRole('table', { name: 'Delivery queues' });
        const queue = queues.getByRole('row').filter({ hasText: 'webhooks.deliveries' });
        await queue.getByRole('link', { name: '2', exact: true }).click();
        await tab.waitForURL(/\/deliveries\?.*state=dead/);
        await tab.getByText('answered 500').first().waitFor();
        await tab.getByRole('button', { name: 'Replay dead letters of webhooks.deliveries' }).click();
        const dialog = tab.getByRole('dialog');
        await dialog.getByText('2 deliveries will be sent again').waitFor();
        await check_accessible(tab, 'a replay');
        answers.status = 204;
        await dialog.getByRole('button', { name: 'Send them again' }).click();
        await tab.getByText('2 deliveries queued again').waitFor();
        await tab.getByText('replayed as').first().waitFor();
        await tab.goto(`${host.url}/deliveries?state=delivered`);
        await tab.getByRole('table', { name: /newest first/ }).getByRole('button').first().click();
        await tab.getByRole('region', { name: 'Payload' }).waitFor();
        await check_accessible(tab, 'a delivery');
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('an endpoint has its secret shown once, is switched off and deleted', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/webhooks`);
        await tab.getByRole('button', { name: 'New endpoint' }).click();
        const dialog = tab.getByRole('dialog');
        await dialog.getByLabel('Name').fill('reports');
        await dialog.getByLabel('URL').fill('http://10.0.0.1/');
        await check_accessible(tab, 'a new endpoint');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.getByText('address not allowed').first().waitFor();
        forgive(tab, 422);
        await dialog.getByLabel('URL').fill('http://127.0.0.1:9/');
        await dialog.getByRole('button', { name: 'Create' }).click();
        assert.match(await tab.locator('.secret code').textContent(), /^whsec_/);
        await tab.getByRole('button', { name: 'I have kept it' }).click();
        await tab.getByRole('link', { name: 'reports' }).click();
        await tab.getByRole('button', { name: 'Switch off' }).click();
        await tab.getByRole('note').getByText('switched off').waitFor();
        await tab.getByRole('button', { name: 'Delete' }).click();
        await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await tab.waitForURL('**/webhooks');
        await tab.getByRole('link', { name: 'build server' }).waitFor();
        assert.equal(await tab.getByRole('link', { name: 'reports' }).count(), 0);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a room is tried at once and its URL is not shown', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/chat`);
        answers.status = 200;
        await tab.getByRole('button', { name: 'Test operations' }).click();
        await tab.getByText('operations has got a message').waitFor();
        await tab.getByRole('button', { name: 'operations', exact: true }).click();
        assert.equal(await tab.getByLabel('URL of its incoming webhook').inputValue(), '');
        await check_accessible(tab, 'a room');
        assert.equal(await tab.getByText('/hook').count(), 0);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a rule is switched off, and deleted by who says so twice', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/automations`);
        await tab.getByRole('button', { name: 'Switch off thanks' }).click();
        await tab.getByRole('button', { name: 'Switch on thanks' }).waitFor();
        const dialog = tab.getByRole('dialog', { name: 'Delete thanks' });
        await tab.getByRole('button', { name: 'Delete thanks' }).click();
        await check_accessible(tab, 'a rule that is about to go');
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(await installation.sql('SELECT count(*) FROM automations.rules'), '1');
        await tab.getByRole('button', { name: 'Delete thanks' }).click();
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
        await tab.getByText('There is no rule yet').waitFor();
        assert.equal(await installation.sql('SELECT count(*) FROM automations.rules'), '0');
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a token is shown once, works, and is revoked', async () => {
        const tab = await tab_of();
        await tab.goto(`${host.url}/tokens`);
        await tab.getByText('There is no token yet').waitFor();
        await tab.getByRole('button', { name: 'New token' }).click();
        await tab.getByRole('dialog').getByLabel('Name').fill('browser test');
        await tab.getByLabel('Role').selectOption('admin');
        await tab.getByRole('button', { name: 'Create' }).click();
        const secret = await tab.locator('.secret code').textContent();
        await check_accessible(tab, 'a new token');
        await tab.getByRole('button', { name: 'I have kept it' }).click();

        const asked = () =>
            fetch(`${host.url}/api/v1/monitoring/overview`, {
                headers: { Authorization: `Bearer ${secret}` },
            });
        assert.equal((await asked()).status, 200);
        await tab.getByRole('button', { name: 'Revoke browser test' }).click();
        await tab.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await tab.getByRole('cell', { name: 'revoked' }).waitFor();
        assert.equal((await asked()).status, 401);
        assert.equal(await tab.getByText(secret).count(), 0);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('a member is invited by a link, and sees what members see', async () => {
        const admin = await tab_of();
        await admin.goto(`${host.url}/accounts`);
        await admin.getByRole('button', { name: 'New account' }).click();
        await admin.getByRole('dialog').getByLabel('Name').fill('grace');
        await admin.getByRole('button', { name: 'Create' }).click();
        const link = await admin.locator('.secret code').textContent();
        await admin.context().close();

        const member = await open_tab(browser, looks.light);
        await member.goto(link);
        await member.getByLabel('Password').fill('short');
        await member.getByLabel('The same again').fill('shorter');
        await member.getByRole('button', { name: 'Set the password' }).click();
        await member.getByText('This is too short.').waitFor();
        await member.getByText('This is not the same.').waitFor();
        await check_accessible(member, 'a link');
        await member.getByLabel('Password').fill(password);
        await member.getByLabel('The same again').fill(password);
        await member.getByRole('button', { name: 'Set the password' }).click();
        await member.getByRole('heading', { name: 'Events' }).waitFor();
        await member.getByRole('link', { name: 'Records' }).waitFor();
        assert.deepEqual(await member.locator('nav a').allTextContents(), ['Inbox', 'Events', 'Service levels', 'Records', 'Plugins']);
        await member.goto(`${host.url}/plugins`);
        await member.getByRole('heading', { name: 'Event types' }).waitFor();
        assert.equal(await member.getByRole('heading', { name: 'Loaded' }).count(), 0);
        await member.goto(`${host.url}/monitoring`);
        await member.getByRole('heading', { name: 'For administrators' }).waitFor();
        assert.deepEqual(member.errors, []);

        await member.goto(link);
        await member.getByText('This link has been used').waitFor();
        await member.context().close();
    });

    it('a wrong password says no more than that', async () => {
        const tab = await open_tab(browser, looks.light);
        await tab.goto(`${host.url}/sign-in?next=%2Fplugins`);
        await tab.getByLabel('Name').fill('ada');
        await tab.getByLabel('Password').fill('not this one at all');
        await tab.getByRole('button', { name: 'Sign in' }).click();
        await tab.getByRole('alert').waitFor();
        await check_accessible(tab, 'a refused sign-in');
        await tab.getByLabel('Password').fill(password);
        await tab.getByRole('button', { name: 'Sign in' }).click();
        await tab.waitForURL('**/plugins');
        forgive(tab, 401);
        assert.deepEqual(tab.errors, []);
        await tab.context().close();
    });

    it('signing out ends the session everywhere in the browser', async () => {
        const tab = await open_tab(browser, looks.light);
        await sign_in(tab, host.url);
        const other = await tab.context().newPage();
        await other.goto(`${host.url}/monitoring`);
        await other.getByRole('table').first().waitFor();
        await tab.getByRole('button', { name: 'Sign out' }).click();
        await tab.waitForURL('**/sign-in**');
        await other.bringToFront();
        await other.waitForURL('**/sign-in?next=%2Fmonitoring');
        await tab.context().close();
    });

    it('a link after signing in leads nowhere but here', async () => {
        const tab = await open_tab(browser, looks.light);
        for (const next of ['https://elsewhere.example/', '//elsewhere.example/', '/\\elsewhere.example']) {
            await tab.goto(`${host.url}/sign-in?next=${encodeURIComponent(next)}`);
            await tab.getByLabel('Name').fill('ada');
            await tab.getByLabel('Password').fill(password);
            await tab.getByRole('button', { name: 'Sign in' }).click();
            await tab.getByRole('button', { name: 'Sign out' }).waitFor();
            assert.equal(new URL(tab.url()).origin, host.url);
            await tab.getByRole('button', { name: 'Sign out' }).click();
            await tab.waitForURL('**/sign-in**');
        }
        await tab.context().close();
    });
});
