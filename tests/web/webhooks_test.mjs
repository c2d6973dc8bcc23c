// Webhooks, as receivers know them: verified and read by packages that are not ours.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';

import { eventually } from './support/eventually.mjs';
import { Installation } from './support/radd.mjs';

/** A server on this machine that keeps what it gets, and answers as `answer` says. */
class Receiver {
    constructor(answer = () => 204) {
        this.requests = [];
        this.server = createServer((request, response) => {
            const pieces = [];
            request.on('data', (piece) => pieces.push(piece));
            request.on('end', () => {
                const body = Buffer.concat(pieces).toString('utf8');
                this.requests.push({ headers: request.headers, body });
                response.writeHead(answer(this.requests.length)).end();
            });
        });
    }

    async listen() {
        await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
        this.url = `http://127.0.0.1:${this.server.address().port}/hook`;
        return this;
    }

    close() {
        this.server.closeAllConnections();
        this.server.close();
    }
}

describe('webhooks', () => {
    let installation;
    let events;
    let plain;
    let events_secret;
    let plain_secret;

    const add = async (...args) =>
        JSON.parse(await installation.run('--json', 'webhooks', 'add', ...args)).secret;
    const append = (type, silent = false) =>
        installation.sql(
            `INSERT INTO radd.events (event_type, entity_type, entity_id, payload, silent)
             VALUES ('${type}', 'item', '1', '{"text": "é </script> \\\\/ ☃"}', ${silent})`,
        );

    before(async () => {
        installation = new Installation();
        Object.assign(installation.environment, {
            RADD_OUTBOUND_ALLOW: '127.0.0.0/8',
            RADD_WEBHOOK_RETRY_SCHEDULE: '0,0',
        });
        events = await new Receiver((nth) => (nth === 1 ? 503 : 204)).listen();
        plain = await new Receiver().listen();
        await installation.serve();
        events_secret = await add('events', events.url, 'item.*');
        plain_secret = await add('plain', plain.url, 'item.updated', '--plain');
    });
    after(async () => {
        events?.close();
        plain?.close();
        await installation?.stop();
    });

    it('tell nobody of a bulk import', async () => {
        await append('item.updated', true);
        await append('item.updated');
        await eventually('the event that is not silent', () => plain.requests.length === 1);
        await eventually('its second attempt', () => events.requests.length === 2);

        assert.equal(await installation.sql('SELECT count(*) FROM radd.deliveries'), '2');
    });

    it('verify by the package standardwebhooks in every attempt', () => {
        for (const { headers, body } of events.requests) {
            assert.ok(new Webhook(events_secret).verify(body, headers));
            assert.throws(() => new Webhook(events_secret).verify(`${body} `, headers));
            assert.throws(() => new Webhook(plain_secret).verify(body, headers));
        }
        assert.equal(events.requests[0].body, events.requests[1].body);
        assert.equal(
            events.requests[0].headers['webhook-id'],
            events.requests[1].headers['webhook-id'],
        );
    });

    it('are CloudEvents to the package cloudevents', () => {
        const event = HTTP.toEvent(events.requests[1]);

        assert.ok(event.validate());
        assert.equal(event.specversion, '1.0');
        assert.equal(event.type, 'item.updated');
        assert.equal(event.subject, 'item/1');
        assert.equal(event.data.payload.text, 'é </script> \\/ ☃');
        assert.match(event.source, /^http:\/\//);
    });

    it('are a type, a timestamp and data where that is wanted', () => {
        const [{ headers, body }] = plain.requests;
        const event = new Webhook(plain_secret).verify(body, headers);

        assert.equal(headers['content-type'], 'application/json');
        assert.deepEqual(Object.keys(event), ['type', 'timestamp', 'data']);
        assert.equal(event.data.payload.text, 'é </script> \\/ ☃');
    });

    it('keep their secrets to themselves', async () => {
        const listed = await installation.run('--json', 'webhooks', 'list');
        const stored = await installation.sql('SELECT secret FROM webhooks.endpoints');

        assert.equal(JSON.parse(listed).length, 2);
        for (const text of [listed, stored]) assert.doesNotMatch(text, /whsec_/);
    });
});
