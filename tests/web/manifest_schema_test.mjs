// The JSON Schema of manifests, by a validator that is not ours, and against what the host says.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

import { Installation, source_dir } from './support/radd.mjs';

const shipped = join(source_dir, 'manifests');
const begun = (id) => `kind: plugin\nversion: 1\nid: ${id}\n`;

let installation;
let any;

const validator = (text) =>
    new Ajv2020({ strict: true, strictTypes: false, allErrors: true }).compile(JSON.parse(text));

before(async () => {
    installation = new Installation();
    any = validator(await installation.run('schema'));
});
after(() => installation?.stop());

/** The codes of what `radd check` says is wrong with the file of this name. */
async function codes_of(name) {
    try {
        return said(await installation.run('check', '--json'), name);
    } catch (failure) {
        return said(failure.stdout, name);
    }
}
const said = (text, name) =>
    JSON.parse(text)
        .problems.filter(({ file }) => file.endsWith(`/${name}`))
        .map(({ code }) => code);

/** One file at a time is not as it ships. */
function restore(name) {
    const text = name === 'shelf.yaml' ? `${begun('shelf')}enabled: false\n` : readFileSync(join(shipped, name), 'utf8');
    installation.write(`manifests/${name}`, text);
}

test('every manifest that ships fits', () => {
    const files = readdirSync(shipped).filter((name) => name.endsWith('.yaml'));

    assert.ok(files.length > 10);
    for (const name of files) {
        const fits = any(parse(readFileSync(join(shipped, name), 'utf8')));
        assert.ok(fits, `${name}: ${JSON.stringify(any.errors, null, 2)}`);
    }
});

const accepted = {
    'a setting of each type': `${begun('mail')}settings:
  host: smtp.example.org
  port: 587
  security: starttls
  password: {env: PATH}
  timeout: 5s
`,
    'what changes of a consumer': `${begun('csat')}consumers:
  csat.sender: {batch: 10, poll: 2s, deadline: 1m, paused: true}
`,
    'every key of a plugin with a library': `${begun('csat')}library: csat.so
plugin_version: ">=1.0 <2"
enabled: true
required: false
grants: [db]
log_level: debug
startup_timeout: 20s
shutdown_timeout: 5s
settings: {}
`,
    'every key of an entity': `${begun('shelf')}plugin_version: 1.0.0
description: Books
depends_on: [items]
entities:
  book:
    label: Book
    plural: books
    table: all_books
    fields:
      title: {type: text, max: 120, label: Title, unique: true}
      pages: {type: integer, default: 0, index: true}
      price: {type: decimal, precision: 10, scale: 2, nullable: true}
      lent: {type: boolean, default: false}
      kind: {type: enum, values: [novel, other], default: novel}
      item: {type: reference, references: item, nullable: true, on_delete: clear}
    searchable: [title]
event_types:
  shelf.counted:
    label: Books counted
    group: Books
    item_scoped: false
    has_changes: false
    trigger: true
    audited: true
    entity_type: book
    subjects: [item]
    aliases: [shelf.count]
`,
    'settings of the host nested and dotted': `kind: host
version: 1
database: {pool_size: 8, url: {env: PATH}}
http.listen: 127.0.0.1:0
log.format: json
`,
};

for (const [what, text] of Object.entries(accepted)) {
    test(`accepts ${what}`, async () => {
        const document = parse(text);
        const name = document.kind === 'host' ? 'host.yaml' : `${document.id}.yaml`;
        installation.write(`manifests/${name}`, text);

        assert.ok(any(document), JSON.stringify(any.errors, null, 2));
        // What it says of a value that only it can know is another matter: PATH is no URL.
        const grammar = (await codes_of(name)).filter((code) => ['E41', 'E43', 'E45'].includes(code));
        assert.deepEqual(grammar, []);
        restore(name);
    });
}

const refused = {
    'an unknown key': ['E43', `${begun('mail')}enabeld: true\n`],
    'an unknown setting': ['E43', `${begun('mail')}settings: {hots: a}\n`],
    'a setting of another type': ['E46', `${begun('mail')}settings: {port: "25"}\n`],
    'a number out of range': ['E47', `${begun('mail')}settings: {port: 70000}\n`],
    'a word that is no choice': ['E48', `${begun('mail')}settings: {security: ssl}\n`],
    'a secret in plain text': ['E46', `${begun('mail')}settings: {password: geheim}\n`],
    'a duration without a unit': ['E46', `${begun('mail')}settings: {timeout: 5}\n`],
    'an unknown consumer': ['E43', `${begun('csat')}consumers: {csat.sendre: {paused: true}}\n`],
    'no version': ['E45', 'kind: plugin\nid: csat\n'],
    'an entity beside a library': ['E43', `${begun('csat')}library: csat.so\ndescription: x\n`],
    'an unknown type of a field': [
        'E48',
        `${begun('shelf')}entities: {book: {label: B, plural: bs, fields: {a: {type: txet}}}}\n`,
    ],
    'an unknown setting of the host': ['E43', 'kind: host\nversion: 1\nhttp: {lisen: a}\n'],
    'manifests_dir in host.yaml': ['E41', 'kind: host\nversion: 1\nmanifests_dir: a\n'],
};

for (const [what, [code, text]] of Object.entries(refused)) {
    test(`refuses ${what} as the host does`, async () => {
        const document = parse(text);
        const name = document.kind === 'host' ? 'host.yaml' : `${document.id}.yaml`;
        installation.write(`manifests/${name}`, text);

        assert.equal(any(document), false);
        assert.ok((await codes_of(name)).includes(code), (await codes_of(name)).join(' '));

        restore(name);
    });
}

test('the schema of one plugin is for its manifest alone', async () => {
    const mail = validator(await installation.run('schema', 'mail'));

    assert.ok(mail(parse(`${begun('mail')}settings: {port: 587}\n`)));
    assert.equal(mail(parse(begun('csat'))), false);
    await assert.rejects(installation.run('schema', 'mial'), /Did you mean 'mail'\?/);
});
