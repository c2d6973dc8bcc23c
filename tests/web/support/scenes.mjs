// An installation in which every page has something to show.

import { createServer } from 'node:http';

import { eventually } from './eventually.mjs';
import { Installation } from './radd.mjs';

/** P23: what a double cannot hold. */
export const big_number = '9007199254740993';

/** Two policies, and clocks of DEMO-1 that run out in a day and have run out. */
const promises = `
    INSERT INTO sla.calendars (name, zone, hours, holidays)
    SELECT 'Office', 'Europe/Berlin',
           jsonb_agg(jsonb_build_object('day', day, 'from', '08:00', 'to', '18:00')),
           '[{"date": "2026-12-25", "name": "Christmas Day", "yearly": true}]'
    FROM unnest(ARRAY['mon', 'tue', 'wed', 'thu', 'fri']) day;
    INSERT INTO sla.policies (project_id, name, position, enabled, priorities, calendar_id,
                              pause_states, targets)
    SELECT project.id, policy.name, policy.position, policy.enabled, policy.priorities, calendar.id,
           '{Waiting}', policy.targets::jsonb
    FROM items.projects project, sla.calendars calendar,
         (VALUES ('Urgent', 1, true, '{High}'::text[], '{"resolution": {"within_minutes": 240}}'),
                 ('Standard', 100, true, '{}', '{"first_response": {"within_minutes": 60}}'),
                 ('Old', 200, false, '{}', '{"resolution": {"within_minutes": 4800}}'))
         policy (name, position, enabled, priorities, targets);
    INSERT INTO sla.clocks (item_id, policy_id, target, life, began_at, followed, paused, due_at,
                            alarm_from)
    SELECT 1, policy.id, 'resolution', 0, now() - interval '2 days', true, false,
           now() + interval '1 day' * (policy.position - 50) / 50, 'infinity'
    FROM sla.policies policy WHERE enabled`;

const milestones = `
    INSERT INTO milestones.milestones (name, project, state, due_on, goal)
    VALUES ('First light', '1', 'reached', '2026-11-30', 'The telescope sees a star.'),
           ('Open house', '1', 'planned', NULL, E'Neighbours come in.\\nNobody falls into the dome.')`;

const thanks_when_done = JSON.stringify({
    trigger: { events: ['item.updated'] },
    when: { field: 'changes.state.to.category', is: 'done' },
    then: [{ action: 'items.add_comment', arguments: { body: '{{entity.key}} is done' } }],
});

/** A server on this machine that answers `status()` to whatever it is sent. */
async function receiver(status) {
    const server = createServer((request, response) => {
        request.resume();
        request.on('end', () => response.writeHead(status()).end());
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    server.unref();
    return { server, url: `http://127.0.0.1:${server.address().port}/hook` };
}

/**
 * A host with items that have a history, events, a consumer that has skipped some, a webhook whose
 * deliveries have died until `answers.status` is another, and a chat room.
 */
export async function furnished() {
    const installation = new Installation();
    const answers = { status: 500 };
    const { server, url } = await receiver(() => answers.status);
    Object.assign(installation.environment, {
        RADD_OUTBOUND_ALLOW: '127.0.0.0/8',
        RADD_WEBHOOK_RETRY_SCHEDULE: '0',
    });
    installation.others.push({ stop: async () => server.closeAllConnections() || server.close() });
    try {
        installation.install_chores();
        installation.install_milestones();
        installation.install_refused();
        const host = await installation.serve();
        await installation.run('project', 'add', 'DEMO', 'Demonstration');
        await installation.run('item', 'add', 'DEMO', 'Printer on floor 3 eats paper');
        await installation.run('item', 'update', 'DEMO-1', 'state=In progress', 'contact=ada@demo.example');
        await installation.run('item', 'update', 'DEMO-1', 'state=Done', 'labels=hardware,floor-3');
        await installation.sql(promises);
        await installation.sql(milestones);
        await installation.ask_chore('note', 120);
        await installation.ask_chore('throw', 3);
        await installation.sql(
            `INSERT INTO radd.events (event_type, entity_type, entity_id, payload, silent)
             VALUES ('legacy.imported', 'order', 'a/b 100%', '{"n": ${big_number}, "price": 1.10}', true)`,
        );
        await eventually('three skipped events', async () => {
            return (await installation.sql('SELECT count(*) FROM radd.skipped_events')) === '3';
        });
        await installation.run('item', 'add', 'DEMO', 'The door squeaks');
        await installation.run('automations', 'add', 'thanks', thanks_when_done);
        await installation.run('item', 'update', 'DEMO-2', 'state=Done');
        await eventually('a run of the rule', async () => {
            return (await installation.sql('SELECT count(*) FROM automations.runs')) === '1';
        });
        await installation.run('webhooks', 'add', 'build server', url, 'item.*');
        await installation.run('chat', 'add', 'operations', url, 'comment.*');
        await installation.run('item', 'update', 'DEMO-1', 'labels=hardware');
        await installation.run('item', 'update', 'DEMO-1', 'labels=floor-3');
        await eventually('two dead deliveries', async () => {
            const dead = "SELECT count(*) FROM radd.deliveries WHERE state = 'dead'";
            return (await installation.sql(dead)) === '2';
        });
        return { installation, host, answers };
    } catch (failure) {
        await installation.stop();
        throw failure;
    }
}

/** Whoever has an account is told of something: three comments, one of them read. */
export async function tell_everybody(installation) {
    await installation.sql(
        `INSERT INTO items.people (id, name) SELECT id, name FROM radd.accounts ON CONFLICT DO NOTHING`,
    );
    await installation.sql(
        `INSERT INTO items.watchers (item_id, person_id) SELECT 1, id FROM radd.accounts`,
    );
    for (const text of ['Is it the roller?', 'It is. I have ordered another one.', 'Thank you!']) {
        await installation.sql(
            `WITH c AS (INSERT INTO items.comments (item_id, body) VALUES (1, '${text}') RETURNING id)
             INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
             SELECT 'comment.created', 'comment', id::text, '{"item": {"id": 1}}' FROM c`,
        );
    }
    await eventually('three notices', async () => {
        return Number(await installation.sql('SELECT count(*) FROM notify.notices')) >= 3;
    });
    await installation.sql(
        'UPDATE notify.notices SET read_at = now() WHERE id = (SELECT min(id) FROM notify.notices)',
    );
}

/** Solves somebody's item; the path of the survey that the mail leads to. Wants a relay. */
export async function asked_for_an_answer(installation) {
    await installation.run('project', 'add', 'DEMO', 'Demonstration');
    await installation.run('csat', 'enable', 'DEMO');
    await installation.run('item', 'add', 'DEMO', 'Printer eats paper', 'contact=bob@demo.example');
    await installation.run('item', 'update', 'DEMO-1', 'state=Done');
    const [body] = await eventually('the survey’s mail', () => {
        const mails = installation.mails();
        return mails.length > 0 && mails;
    });
    return body.match(/(\/csat\/[\w-]+)/)[1];
}

/** Every page, with what is on it once it is complete. */
export const pages = [
    { name: 'inbox', path: '/inbox', shows: '.told' },
    { name: 'inbox-preferences', path: '/inbox/preferences', shows: 'role=checkbox' },
    { name: 'monitoring', path: '/monitoring', shows: 'role=table[name=/Consumers/]' },
    { name: 'consumer', path: '/consumers/chores.doer', shows: 'role=button[name="Retry all"]' },
    { name: 'events', path: '/events', shows: 'role=table' },
    { name: 'event', path: '/events/3', shows: 'role=button[name="Copy"]' },
    { name: 'entity', path: '/entities/item/1', shows: '.timeline' },
    { name: 'service-levels', path: '/service-levels', shows: 'role=table[name=/Calendars/]' },
    { name: 'automations', path: '/automations', shows: 'role=table[name=/Runs/]' },
    { name: 'deliveries', path: '/deliveries', shows: 'role=table[name=/newest first/]' },
    { name: 'webhooks', path: '/webhooks', shows: 'role=table' },
    { name: 'webhook', path: '/webhooks/1', shows: 'role=table[name=/Attempts/]' },
    { name: 'chat', path: '/chat', shows: 'role=table' },
    { name: 'records', path: '/records/milestones', shows: 'role=table' },
    { name: 'record', path: '/records/milestones/2', shows: '.record' },
    { name: 'plugins', path: '/plugins', shows: 'role=heading[name="Event types"]' },
    { name: 'tokens', path: '/tokens', shows: 'role=heading[name="Tokens"]' },
    { name: 'accounts', path: '/accounts', shows: 'role=table' },
];
