// The document that describes the API, by a validator that is not ours, and against the server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Validator } from '@seriousme/openapi-schema-validator';

import { Installation } from './support/radd.mjs';

let installation;
let host;
let document;

before(async () => {
    installation = new Installation();
    host = await installation.serve();
    document = await (await fetch(`${host.url}/api/v1/openapi.json`)).json();
});
after(() => installation?.stop());

const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

test('the document is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));

    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(result.errors ?? [], []);
    assert.ok(result.valid);
});

test('every reference in it leads somewhere', () => {
    const broken = [];
    const follow = (reference) =>
        reference
            .slice(2)
            .split('/')
            .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
            .reduce((at, step) => at?.[step], document);
    const walk = (node) => {
        if (node === null || typeof node !== 'object') return;
        if (typeof node.$ref === 'string' && follow(node.$ref) === undefined) broken.push(node.$ref);
        Object.values(node).forEach(walk);
    };
    walk(document);

    assert.deepEqual(broken, []);
});

test('every operation says what it does under a name of its own', () => {
    const ids = operations().map(({ operation }) => operation.operationId);

    assert.ok(ids.length > 20, `${ids.length} operations`);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, method, operation } of operations()) {
        assert.match(operation.summary, /^[A-Z].*[^.]$/, `${method} ${path}`);
        assert.ok(operation.tags.length === 1, `${method} ${path}`);
    }
});

test('every path that asks who is there answers 401 to a stranger', async () => {
    for (const { path, method, operation } of operations()) {
        if (operation.security.length === 0) continue;
        const target = path.replaceAll(/\{\w+\}/g, 'x');
        const response = await fetch(host.url + target, { method: method.toUpperCase() });
        assert.equal(response.status, 401, `${method} ${path}`);
        assert.equal(response.headers.get('content-type'), 'application/problem+json');
    }
});
