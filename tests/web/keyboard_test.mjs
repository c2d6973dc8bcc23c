// Everything can be reached and done without a pointer.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { become_admin, launch, looks, open_tab } from './support/browser.mjs';
import { furnished, pages, tell_everybody } from './support/scenes.mjs';

// More than any page has; a walk that does not come round by then is in a trap.
const stops_max = 250;

/** What has the focus, as a screen reader would name it, and whether one sees that it has. */
function focused(tab) {
    return tab.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        return {
            name: element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '',
            tag: element.tagName.toLowerCase(),
            is_seen: box.width > 0 && box.height > 0,
            is_marked: style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
            // A field counts as itself, however often it is met on the way round.
            key: [...document.querySelectorAll('*')].indexOf(element),
        };
    });
}

describe('keyboard', () => {
    let browser;
    let installation;
    let host;
    let tab;

    before(async () => {
        browser = await launch();
        ({ installation, host } = await furnished());
        tab = await open_tab(browser, looks.light);
        await become_admin(tab, installation, host);
        await tell_everybody(installation);
    });
    after(async () => {
        await browser?.close();
        await installation?.stop();
    });

    for (const { name, path, shows } of pages) {
        it(`${name} is walked through without a trap, every stop marked`, async () => {
            await tab.goto(host.url + path);
            await tab.locator(shows).first().waitFor();
            const wanted = await tab.evaluate(
                () =>
                    [...document.querySelectorAll('a[href], button:not(:disabled), input, select, summary')].filter(
                        (one) => one.checkVisibility(),
                    ).length,
            );
            const met = new Set();
            let stops = 0;
            for (; stops < stops_max; ++stops) {
                await tab.keyboard.press('Tab');
                const stop = await focused(tab);
                if (stop === null) {
                    if (met.size > 0) break; // Out of the page, as a browser's own bar would be.
                    continue;
                }
                if (met.has(stop.key) && met.size >= wanted) break;
                assert.ok(stop.is_seen, `${stop.tag} ${stop.name} has the focus and no size`);
                assert.ok(stop.is_marked, `${stop.tag} ${stop.name} does not show the focus`);
                assert.notEqual(stop.name === '' && ['a', 'button'].includes(stop.tag), true, 'a nameless stop');
                met.add(stop.key);
            }
            assert.ok(stops < stops_max, 'the walk never ends');
            assert.ok(met.size >= wanted, `${met.size} of ${wanted} were reached`);
        });
    }

    it('the first stop skips the navigation', async () => {
        await tab.goto(`${host.url}/events`);
        await tab.getByRole('table').waitFor();
        await tab.keyboard.press('Tab');
        assert.equal((await focused(tab)).name, 'Skip to the content');
        await tab.keyboard.press('Enter');
        await tab.keyboard.press('Tab');
        assert.equal((await focused(tab)).name, 'Read again');
    });

    it('going to a page puts the focus on its heading', async () => {
        await tab.goto(`${host.url}/events`);
        await tab.getByRole('link', { name: 'Plugins' }).focus();
        await tab.keyboard.press('Enter');
        await tab.waitForFunction(() => document.activeElement?.tagName === 'H1');
        assert.equal((await focused(tab)).name, 'Plugins');
        assert.equal(await tab.title(), 'Plugins · radd');
    });

    it('a dialog takes the focus, keeps it, ends on Escape and gives it back', async () => {
        await tab.goto(`${host.url}/consumers/chores.doer`);
        const pause = tab.getByRole('button', { name: 'Pause…' });
        await pause.focus();
        await tab.keyboard.press('Enter');
        await tab.getByRole('dialog').waitFor();
        for (let stop = 0; stop < 12; ++stop) {
            await tab.keyboard.press('Tab');
            const is_inside = await tab.evaluate(
                () =>
                    document.activeElement === document.body ||
                    document.activeElement?.closest('dialog') !== null,
            );
            assert.ok(is_inside, 'the focus has left the dialog');
        }
        await tab.keyboard.press('Escape');
        await tab.getByRole('dialog').waitFor({ state: 'detached' });
        assert.equal((await focused(tab)).name, 'Pause…');
    });

    it('a consumer is paused and resumed by keys alone', async () => {
        await tab.goto(`${host.url}/consumers/chores.doer`);
        await tab.getByRole('button', { name: 'Pause…' }).focus();
        await tab.keyboard.press('Enter');
        await tab.getByLabel('Reason').focus();
        await tab.keyboard.type('cleaning the broom');
        await tab.keyboard.press('Enter');
        await tab.getByText('Reason: cleaning the broom').waitFor();
        await tab.getByRole('button', { name: 'Resume' }).focus();
        await tab.keyboard.press('Enter');
        await tab.getByRole('button', { name: 'Pause…' }).waitFor();
        assert.deepEqual(tab.errors, []);
    });
});
