// node screenshots.mjs DIRECTORY: each page as people see it, light, dark and on a phone.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { become_admin, launch, looks, open_tab } from './support/browser.mjs';
import { Installation } from './support/radd.mjs';
import { asked_for_an_answer, furnished, pages, tell_everybody } from './support/scenes.mjs';

const [directory] = process.argv.slice(2);
if (!directory) throw new Error('usage: screenshots.mjs DIRECTORY');
mkdirSync(directory, { recursive: true });

// Long enough for a few samples, without which a plot has no line.
const samples_ms = 6000;

const browser = await launch();
const { installation, host } = await furnished();
const asking = new Installation();
try {
    await asking.start_relay();
    const asking_host = await asking.serve();
    const survey = await asked_for_an_answer(asking);

    const first = await open_tab(browser, looks.light);
    const link = await installation.run('account', 'create', '--role', 'member', '--name', 'grace');
    const alone = [
        { name: 'link', path: link.trim(), shows: 'role=button' },
        { name: 'sign-in', path: '/sign-in', shows: 'role=textbox' },
        { name: 'survey', path: survey, shows: 'role=radio', from: asking_host },
    ];
    const take = async (look, { name, path, shows, from = host }, storage) => {
        const tab = await open_tab(browser, looks[look], storage);
        await tab.goto(from.url + path);
        await tab.locator(shows).first().waitFor();
        if (name === 'monitoring' || name === 'consumer') await tab.waitForTimeout(samples_ms);
        const file = join(directory, `${name}-${look}.png`);
        await tab.screenshot({ path: file, fullPage: true });
        console.log(file);
        await tab.context().close();
    };
    for (const look of Object.keys(looks)) for (const page of alone) await take(look, page);
    await become_admin(first, installation, host);
    await tell_everybody(installation);
    const signed_in = await first.context().storageState();
    for (const look of Object.keys(looks)) for (const page of pages) await take(look, page, signed_in);
} finally {
    await browser.close();
    await asking.stop();
    await installation.stop();
}
