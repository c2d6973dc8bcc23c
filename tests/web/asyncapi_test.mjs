// The document that describes the events, by AsyncAPI's own parser.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Parser } from '@asyncapi/parser';

import { Installation } from './support/radd.mjs';

const severity_error = 0;

let installation;
let text;

before(async () => {
    installation = new Installation();
    text = await installation.run('catalog', '--format', 'asyncapi');
});
after(() => installation?.stop());

const errors_of = (diagnostics) =>
    diagnostics
        .filter(({ severity }) => severity === severity_error)
        .map(({ path, message }) => `${path.join('.')}: ${message}`);

test('the document is valid AsyncAPI 3', async () => {
    const { document, diagnostics } = await new Parser().parse(text);

    assert.deepEqual(errors_of(diagnostics), []);
    assert.equal(document.version(), '3.0.0');
});

test('every event type that a plugin declares is a message of it', async () => {
    const { document } = await new Parser().parse(text);
    const catalog = JSON.parse(await installation.run('catalog', '--json'));

    const declared = catalog.event_types.map(({ type }) => type).sort();
    const described = document.messages().all().map((message) => message.name());

    assert.ok(declared.length > 10);
    assert.deepEqual(described.sort(), declared);
});

test('the parser finds what is wrong', async () => {
    const broken = JSON.parse(text);
    delete broken.info.title;

    const { diagnostics } = await new Parser().parse(JSON.stringify(broken));

    assert.notDeepEqual(errors_of(diagnostics), []);
});
