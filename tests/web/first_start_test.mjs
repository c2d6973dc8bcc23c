// Nobody is there yet: the terminal shows a link, and whoever opens it is the first administrator.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { check_accessible, forgive, launch, looks, open_tab, password, sign_in } from './support/browser.mjs';
import { Installation } from './support/radd.mjs';

describe('first start', () => {
    let browser;
    let installation;
    let host;

    before(async () => {
        browser = await launch();
        installation = new Installation();
        host = await installation.serve({}, { terminal: true });
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    it('whoever opens the link that the terminal shows is administrator, once', async () => {
        const [, code] = await host.says(/\/link\/([\w-]+)/);
        const tab = await open_tab(browser, looks.light);
        await tab.goto(`${host.url}/link/${code}`);
        await tab.getByRole('heading', { name: 'The first administrator' }).waitFor();
        await check_accessible(tab, 'the first link');
        await tab.getByLabel('Your name').fill('ada');
        await tab.getByLabel('Password').fill(password);
        await tab.getByLabel('The same again').fill(password);
        await tab.getByRole('button', { name: 'Set the password and sign in' }).click();
        await tab.getByRole('heading', { name: 'Monitoring' }).waitFor();
        assert.deepEqual(tab.errors, []);

        const other = await open_tab(browser, looks.light);
        await other.goto(`${host.url}/link/${code}`);
        await other.getByText('This link has been used').waitFor();
        forgive(other, 404);
        assert.deepEqual(other.errors, []);
    });

    it('a page asked for without a session comes after signing in', async () => {
        const tab = await open_tab(browser, looks.light);
        await tab.goto(`${host.url}/events?type=item.created`);
        await tab.waitForURL('**/sign-in?next=%2Fevents%3Ftype%3Ditem.created');
        await tab.getByLabel('Name').fill('ada');
        await tab.getByLabel('Password').fill(password);
        await tab.getByRole('button', { name: 'Sign in' }).click();
        await tab.waitForURL('**/events?type=item.created');
        await tab.getByText('No event fits').waitFor();
    });

    it('an empty installation says what is missing, and not that it is broken', async () => {
        const tab = await open_tab(browser, looks.light);
        await sign_in(tab, host.url);
        await tab.goto(`${host.url}/events`);
        await tab.getByText('No event fits').waitFor();
        await check_accessible(tab, 'no events at all');
        await tab.goto(`${host.url}/entities/item/7`);
        await tab.getByText('Nothing is known of it').waitFor();
        await tab.goto(`${host.url}/tokens`);
        await tab.getByText('There is no token yet').waitFor();
        assert.deepEqual(tab.errors, []);
    });
});
