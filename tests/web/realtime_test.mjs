// The feed of a whole host, by clients that are not ours: eventsource and ws.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { EventSource } from 'eventsource';
import WebSocket from 'ws';

import { eventually } from './support/eventually.mjs';
import { Installation } from './support/radd.mjs';

const last_id_of_all = '9223372036854775807';

let installation;
let host;
let token;

before(async () => {
    installation = new Installation();
    host = await installation.serve();
    token = (await installation.run('token', 'create', '--name', 'feed', '--role', 'admin')).trim();
});
after(() => installation?.stop());

const authorization = () => ({ Authorization: `Bearer ${token}` });

/** EventSource that says who it is, and from where it goes on. */
function follow(query = '', last_event_id = undefined) {
    const heard = { events: [], ready: [], reset: [] };
    const source = new EventSource(`${host.url}/api/v1/stream${query}`, {
        fetch: (url, init) => {
            const headers = { ...init.headers, ...authorization() };
            if (last_event_id !== undefined && !headers['Last-Event-ID'])
                headers['Last-Event-ID'] = last_event_id;
            return fetch(url, { ...init, headers });
        },
    });
    source.onmessage = ({ data, lastEventId }) => {
        const event = JSON.parse(data);
        assert.equal(String(event.id), lastEventId);
        heard.events.push(event);
    };
    for (const name of ['ready', 'reset'])
        source.addEventListener(name, ({ data }) => heard[name].push(JSON.parse(data)[name]));
    return { ...heard, close: () => source.close() };
}

/** Appends events that carry `text`, and answers their ids. */
async function append(text = 'x', times = 1) {
    const ids = await installation.sql(
        `INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
         SELECT 'feed.said', 'note', n::text, jsonb_build_object('text', $t$${text}$t$)
           FROM generate_series(1, ${times}) n RETURNING id`,
    );
    return ids.split('\n').map(Number);
}

const ids_of = (events) => events.map(({ id }) => id);
const ascending = (numbers) => numbers.every((n, i) => i === 0 || n > numbers[i - 1]);

describe('the feed', { concurrency: 1 }, () => {
    it('is heard by an EventSource with every line break of a title', async () => {
        const feed = follow('?type=feed.said');
        try {
            await eventually('ready', () => feed.ready.length === 1);
            const text = 'one\ntwo\r\nthree\rid: 99\n\nevent: x\ndata: "no"';
            const ids = await append(text);
            await eventually('the event', () => feed.events.length === 1);

            const [event] = feed.events;
            assert.deepEqual([event.id], ids);
            assert.equal(event.payload.text, text);
            const shown = await fetch(`${host.url}/api/v1/events/${event.id}`, { headers: authorization() });
            assert.deepEqual(event, await shown.json());
            assert.equal(feed.reset.length, 0);
        } finally {
            feed.close();
        }
    });

    it('gives who comes back exactly what it has missed', async () => {
        const ids = await append('missed', 30);
        const feed = follow('', String(ids[9]));
        try {
            await eventually('twenty events', () => feed.events.length === 20);
            const more = await append('live');
            await eventually('one more', () => feed.events.length === 21);
            assert.deepEqual(ids_of(feed.events), [...ids.slice(10), ...more]);
            assert.deepEqual([feed.ready, feed.reset], [[], []]);
        } finally {
            feed.close();
        }
    });

    it('says reset once to who is beyond the stream', async () => {
        const feed = follow('', last_id_of_all);
        try {
            await eventually('reset', () => feed.reset.length === 1);
            const ids = await append();
            await eventually('the event', () => feed.events.length === 1);
            assert.equal(feed.reset[0].reason, 'beyond');
            assert.ok(feed.reset[0].head < ids[0]);
            assert.deepEqual(ids_of(feed.events), ids);
            assert.equal(feed.reset.length, 1);
        } finally {
            feed.close();
        }
    });

    it('refuses what is no id and says so', async () => {
        for (const given of ['abc', '-1', '9223372036854775808']) {
            const response = await fetch(`${host.url}/api/v1/stream`, {
                headers: { ...authorization(), 'Last-Event-ID': given },
            });
            assert.equal(response.status, 400, given);
            assert.match((await response.json()).detail, /Last-Event-ID/);
        }
        assert.equal((await fetch(`${host.url}/api/v1/stream`)).status, 401);
    });

    it('has no gap for a client that connects again and again', async () => {
        const seen = new Set();
        const total = 2000;
        let last = (await append('start'))[0];
        let done = false;
        const reader = (async () => {
            while (!done) {
                const feed = follow('?type=feed.said', String(last));
                const started = Date.now();
                await eventually('0.3 s', () => done || Date.now() - started > 300);
                feed.close();
                for (const { id } of feed.events) {
                    seen.add(id);
                    last = id;
                }
                assert.ok(ascending(ids_of(feed.events)));
                assert.equal(feed.reset.length, 0);
            }
        })();
        const appended = [];
        for (let i = 0; i < total / 50; ++i) appended.push(...(await append('fast', 50)));
        await eventually('all of them', () => seen.size >= total);
        done = true;
        await reader;
        assert.deepEqual([...seen].sort((a, b) => a - b), appended);
    });

    it('has a lower id that commits late in its place', async () => {
        const feed = follow('?type=feed.said');
        try {
            await eventually('ready', () => feed.ready.length === 1);
            const late = installation.sql(
                `BEGIN;
                 INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
                 VALUES ('feed.said', 'note', 'late', '{}');
                 SELECT pg_sleep(5);
                 COMMIT`,
            );
            await eventually('it is open', async () => {
                const open = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
                return (await installation.sql(open)) === '1';
            });
            await append('early');
            await late;
            await eventually('both', () => feed.events.length === 2);
            assert.equal(feed.events[0].entity_id, 'late');
            assert.ok(ascending(ids_of(feed.events)));
        } finally {
            feed.close();
        }
    });

    it('is heard by a WebSocket with what it asks for', async () => {
        const url = `${host.url.replace('http', 'ws')}/api/v1/stream/ws`;
        const socket = new WebSocket(`${url}?type=feed.said&entity_id=2`, { headers: authorization() });
        const heard = [];
        socket.on('message', (data, is_binary) => {
            assert.equal(is_binary, false);
            heard.push(JSON.parse(data));
        });
        await eventually('ready', () => heard.length === 1);
        const ids = await append('for a socket', 3);
        await eventually('the event', () => heard.length === 2);
        assert.ok('ready' in heard[0]);
        assert.equal(heard[1].id, ids[1]);

        const back = new WebSocket(`${url}?last_event_id=${ids[0]}&type=feed.said`, { headers: authorization() });
        const missed = [];
        back.on('message', (data) => missed.push(JSON.parse(data)));
        await eventually('what it has missed', () => missed.length === 2);
        assert.deepEqual(ids_of(missed), ids.slice(1));

        const refused = new WebSocket(url);
        const [status] = await new Promise((answer) =>
            refused.on('unexpected-response', (_, response) => answer([response.statusCode])),
        );
        assert.equal(status, 401);
        for (const open of [socket, back]) open.close();
        for (const open of [socket, back]) await eventually('closed', () => open.readyState === WebSocket.CLOSED);
    });

    it('keeps the digits of numbers and no character is half', async () => {
        const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/stream/ws?type=feed.exact`, {
            headers: authorization(),
        });
        const heard = [];
        socket.on('message', (data) => heard.push(String(data)));
        await eventually('ready', () => heard.length === 1);
        await installation.sql(
            `INSERT INTO radd.events (event_type, entity_type, entity_id, payload, occurred_at)
             VALUES ('feed.exact', 'note', '\u{1F600}', '{"n": 9007199254740993, "price": 1.10}', 'infinity')`,
        );
        await eventually('the event', () => heard.length === 2);
        assert.match(heard[1], /"n": ?9007199254740993, ?"price": ?1\.10/);
        assert.equal(JSON.parse(heard[1]).entity_id, '\u{1F600}');
        socket.close();
    });

    it('is counted and tells every client of its end', async () => {
        const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/stream/ws`, {
            headers: authorization(),
        });
        const closed = new Promise((told) => socket.on('close', told));
        await eventually('open', () => socket.readyState === WebSocket.OPEN);
        const metrics = await (await fetch(`${host.url}/metrics`)).text();
        assert.match(metrics, /^radd_http_streams_open [1-9]/m);
        assert.match(metrics, /^radd_http_streams_stalled_total 0/m);

        const began = Date.now();
        assert.equal(await host.stop(), 0);
        assert.equal(await closed, 1001);
        assert.ok(Date.now() - began < 10_000);
    });
});
