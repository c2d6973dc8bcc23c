// What the pages say when something is away, and that they come back by themselves.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
    become_admin,
    check_accessible,
    launch,
    looks,
    open_tab,
    sign_in,
} from './support/browser.mjs';
import { Installation } from './support/radd.mjs';

describe('trouble', () => {
    let browser;
    let installation;
    let host;
    let tab;

    before(async () => {
        browser = await launch();
        installation = new Installation();
        host = await installation.serve();
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
    });
    after(async () => {
        await browser?.close();
        await installation?.signal_database('SIGCONT').catch(() => undefined);
        await installation?.stop();
    });

    it('a database that hangs is said to be away, and what was known stays', async () => {
        await tab.goto(`${host.url}/monitoring`);
        await tab.getByRole('link', { name: 'csat.sender' }).waitFor();
        await installation.signal_database('SIGSTOP');
        const notice = tab.getByText(/The host cannot answer now|The database is away/);
        await notice.first().waitFor();
        await check_accessible(tab, 'a database that is away');
        assert.ok(await tab.getByRole('link', { name: 'csat.sender' }).isVisible());

        await installation.signal_database('SIGCONT');
        await notice.first().waitFor({ state: 'detached' });
        await tab.locator('.chip', { hasText: /^ok$/ }).first().waitFor();
    });

    it('a page opened meanwhile waits for the database and then is there', async () => {
        await installation.signal_database('SIGSTOP');
        await tab.goto(`${host.url}/monitoring`);
        await tab.getByText('The host cannot answer now').waitFor();
        await installation.signal_database('SIGCONT');
        await tab.getByRole('link', { name: 'csat.sender' }).waitFor();
    });

    it('a process without workers says that they run elsewhere', async () => {
        const web = await installation.serve({ RADD_RUN_WORKERS: 'false' });
        const other = await open_tab(browser, looks.light);
        await sign_in(other, web.url);
        await other.getByText('Workers run elsewhere').waitFor();
        await other.locator('.chip', { hasText: /^ok$/ }).first().waitFor();
        await check_accessible(other, 'workers elsewhere');
        assert.deepEqual(other.errors, []);
        await other.context().close();
        assert.equal(await web.stop(), 0);
    });

    it('nothing is asked for while the tab is hidden', async () => {
        await tab.goto(`${host.url}/monitoring`);
        await tab.getByRole('link', { name: 'csat.sender' }).waitFor();
        const asked = [];
        tab.on('request', (request) => asked.push(request.url()));
        const hide = (hidden) =>
            tab.evaluate((value) => {
                Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
                document.dispatchEvent(new Event('visibilitychange'));
            }, hidden);
        await tab.waitForRequest('**/overview');
        await tab.waitForResponse('**/overview');
        await hide(true);
        const before_rest = asked.length;
        await tab.waitForTimeout(5000); // Longer than two refreshes: that nothing comes is the claim.
        assert.equal(asked.length, before_rest);
        const next = tab.waitForRequest('**/overview', { timeout: 10_000 });
        await hide(false);
        await next;
    });

    it('a host that has ended is said not to answer', async () => {
        await tab.goto(`${host.url}/monitoring`);
        await tab.getByRole('link', { name: 'csat.sender' }).waitFor();
        assert.equal(await host.stop(), 0);
        await tab.getByText('The host does not answer', { exact: true }).waitFor();
        assert.ok(await tab.getByRole('link', { name: 'csat.sender' }).isVisible());
    });
});
