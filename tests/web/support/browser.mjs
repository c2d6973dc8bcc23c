// Debian's Chromium, and what every page is held to.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { chromium } from 'playwright-core';

const executable = process.env.RADD_CHROMIUM ?? '/usr/bin/chromium';
const axe_source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const axe_tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const wait_ms = 20_000;

/** How people see the pages. */
export const looks = {
    light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
    phone: {
        viewport: { width: 390, height: 844 },
        colorScheme: 'light',
        deviceScaleFactor: 2,
        isMobile: true,
        hasTouch: true,
    },
};

export async function launch() {
    return chromium.launch({
        executablePath: executable,
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
}

/** A tab that notes every error of a script, of the console and of the content policy. */
export async function open_tab(browser, look, storage) {
    const context = await browser.newContext({
        ...look,
        timezoneId: 'UTC',
        locale: 'en-GB',
        ...(storage ? { storageState: storage } : {}),
    });
    const tab = await context.newPage();
    tab.setDefaultTimeout(wait_ms);
    tab.errors = [];
    tab.on('pageerror', (error) => tab.errors.push(`script: ${error.message}`));
    tab.on('console', (message) => {
        if (message.type() === 'error') tab.errors.push(`console: ${message.text()}`);
    });
    return tab;
}

/** What the browser itself writes when an answer has this status, and the page handles it. */
export function forgive(tab, status) {
    tab.errors = tab.errors.filter((text) => !text.includes(`the server responded with a status of ${status}`));
}

export async function check_accessible(tab, where) {
    await tab.evaluate(axe_source);
    const { violations, passes } = await tab.evaluate(
        (tags) => globalThis.axe.run(document, { runOnly: tags }),
        axe_tags,
    );
    const found = violations.map(
        (one) =>
            `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join('; ')}`,
    );
    assert.deepEqual(found, [], where);
    assert.ok(passes.length > 10, `${where}: axe has looked at nothing`);
}

export async function check_fits(tab, where) {
    const over = await tab.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(over, 0, `${where} scrolls sideways`);
}

export const password = 'correct horse battery';

/** Opens a one-time link that the command line gave for a new account; ends on the first page. */
export async function become_admin(tab, installation, host, name = 'ada') {
    const link = await installation.run('account', 'create', '--role', 'admin', '--name', name);
    await tab.goto(host.url + link.trim());
    await tab.getByLabel('Password').fill(password);
    await tab.getByLabel('The same again').fill(password);
    await tab.getByRole('button', { name: 'Set the password and sign in' }).click();
    await tab.getByRole('heading', { name: 'Monitoring' }).waitFor();
}

export async function sign_in(tab, url, name = 'ada') {
    await tab.goto(`${url}/sign-in`);
    await tab.getByLabel('Name').fill(name);
    await tab.getByLabel('Password').fill(password);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'Sign out' }).waitFor();
}
