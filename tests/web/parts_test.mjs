// What the pages compute, without a browser.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { source_dir } from './support/radd.mjs';

const pages_dir = join(source_dir, 'host/web/pages');

describe('parts of the pages', () => {
    let folder;
    let format;
    let lossless;
    let client;
    let paths;
    let recording;

    before(async () => {
        const { build } = createRequire(join(pages_dir, 'package.json'))('esbuild');
        folder = mkdtempSync(join(tmpdir(), 'radd-parts-'));
        const names = ['format', 'api/lossless', 'api/client', 'paths', 'state/recorder'];
        await build({
            absWorkingDir: pages_dir,
            entryPoints: names.map((name) => `src/${name}.ts`),
            outdir: folder,
            outbase: 'src',
            outExtension: { '.js': '.mjs' },
            bundle: true,
            splitting: true,
            format: 'esm',
        });
        globalThis.window = { location: { origin: 'https://radd.example' } };
        [format, lossless, client, paths, recording] = await Promise.all(
            names.map((name) => import(pathToFileURL(join(folder, `${name}.mjs`)))),
        );
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('JSON goes through without the loss of a digit', () => {
        const text =
            '{"n":9007199254740993,"p":1.10,"b":18446744073709551616,"e":1e400,"z":-0,"i":7,"s":"9007199254740993"}';
        const parsed = lossless.parse_json(text);
        assert.equal(lossless.pretty_json(parsed).replace(/\s/g, ''), text);
        assert.equal(parsed.i, 7);
        assert.equal(String(parsed.n), '9007199254740993');
        assert.equal(lossless.distance(parsed.n, parsed.n), 0);
        assert.equal(lossless.distance(lossless.parse_json('9007199254740995'), parsed.n), 2);
    });

    it('numbers read in groups of three, whatever their size', () => {
        assert.equal(format.count(1234567), '1\u202f234\u202f567');
        assert.equal(format.count(999), '999');
        assert.equal(format.count(lossless.parse_json('9007199254740993')), '9\u202f007\u202f199\u202f254\u202f740\u202f993');
        assert.equal(format.count(null), '–');
        assert.equal(format.counted(20000, true), '~20\u202f000');
        assert.equal(format.plural(1, 'event'), '1 event');
        assert.equal(format.plural(0, 'event'), '0 events');
    });

    it('sizes say two or three digits and a unit', () => {
        const said = [0, 999, 1000, 9_940, 9_960, 999_400, 999_600, 12_345_678, 1_230_000_000_000].map(format.bytes);
        assert.deepEqual(said, ['0 B', '999 B', '1.0 kB', '9.9 kB', '10 kB', '999 kB', '1.0 MB', '12 MB', '1.2 TB']);
        assert.equal(format.bytes(undefined), '–');
    });

    it('spans say two units at most', () => {
        const said = [0, 0.85, 1, 119, 120, 200, 7199, 7200, 18600, 172799, 172800, 187200].map(format.span);
        assert.deepEqual(said, [
            '0 ms', '850 ms', '1 s', '119 s', '2 min', '3 min 20 s', '119 min 59 s', '2 h', '5 h 10 min',
            '47 h 59 min', '2 d', '2 d 4 h',
        ]);
    });

    it('a time that no Date holds is shown as it was sent', () => {
        for (const text of ['infinity', '-infinity', '12024-03-15T00:00:00Z', '0044-03-15T00:00:00Z BC', ''])
            assert.equal(format.time(text), text);
    });

    it('paths escape what is in them', () => {
        assert.equal(client.route`/consumers/${'a/b %'}/pause`, '/api/v1/consumers/a%2Fb%20%25/pause');
        assert.equal(client.query({ type: ['a', 'b'], since: '', limit: 5 }), '?type=a&type=b&limit=5');
        assert.equal(paths.entity_path('item', 'ü/1'), '/entities/item/%C3%BC%2F1');
    });

    it('after signing in one goes to a page of ours', () => {
        const next = (path) => paths.safe_next(`?next=${encodeURIComponent(path)}`);
        assert.equal(next('/events?type=a'), '/events?type=a');
        for (const path of ['https://x.example/', '//x.example/', '/\\x.example/', '\t//x.example', 'events', 'javascript:alert(1)',
            '/.//x.example', '/..//x.example', '/%2e//x.example', '//', '//:x', '/\\\\'])
            assert.equal(next(path), '/', path);
        assert.equal(paths.safe_next(''), '/');
    });

    describe('recorder', () => {
        const consumer = (cursor, lag, more = {}) => ({
            name: 'c', kind: 'consumer', last_event_id: cursor, lag, state: 'catching_up', ...more,
        });

        it('takes a rate over the last ten seconds', () => {
            const recorder = new recording.Recorder();
            for (let at = 0; at <= 20; at += 2)
                recorder.append(at, 1000 + at * 50, [consumer(at <= 10 ? 100 : 100 + (at - 10) * 30, 10)]);
            assert.equal(recorder.rate(recorder.tracks.get('c').cursor), 30);
            assert.equal(recorder.rate(recorder.head), 50);
        });

        it('knows no rate from one sample, and none below zero after a seek', () => {
            const recorder = new recording.Recorder();
            recorder.append(0, 10, [consumer(5, 5)]);
            assert.equal(recorder.rate(recorder.head), undefined);
            recorder.append(2, 10, [consumer(0, 10)]);
            assert.deepEqual(recorder.rates(recorder.tracks.get('c').cursor), [null, 0]);
        });

        it('keeps half an hour, and holes where a consumer was not there', () => {
            const recorder = new recording.Recorder();
            for (let at = 0; at < 901; ++at)
                recorder.append(at, at, at === 450 ? [] : [consumer(at, 0)]);
            assert.equal(recorder.at.length, 900);
            assert.equal(recorder.at[0], 1);
            const { lag } = recorder.tracks.get('c');
            assert.equal(lag.length, 900);
            assert.equal(lag[449], null);
        });

        it('counts ids above 2^53 exactly', () => {
            const id = (text) => lossless.parse_json(text);
            const recorder = new recording.Recorder();
            recorder.append(0, id('9007199254740993'), [consumer(id('9007199254740993'), 0)]);
            recorder.append(1, id('9007199254740994'), [consumer(id('9007199254740994'), 0)]);
            assert.equal(recorder.rate(recorder.head), 1);
        });

        it('says how long a backlog takes, or that it never ends', () => {
            const { recorder, catch_up } = recording;
            recorder.seed({ interval_s: 2, at: [], stream_head: [], consumers: {} });
            recorder.append(0, 1000, [consumer(0, 1000)]);
            recorder.append(10, 1000, [consumer(500, 500)]);
            assert.deepEqual(catch_up(consumer(500, 500)), { per_second: 50, left_s: 10, done: 0.5 });
            recorder.append(20, 2000, [consumer(600, 1400)]);
            assert.equal(catch_up(consumer(600, 1400)).left_s, undefined);
            recorder.append(22, 2000, [consumer(1000, 1000)]);
            assert.equal(catch_up(consumer(1000, 1000)).left_s, 5);
        });
    });
});
