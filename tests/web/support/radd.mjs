// `radd` as somebody who has installed it uses it: its commands, its files and its port.

import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { eventually } from './eventually.mjs';

const run_file = promisify(execFile);

export const source_dir = resolve(fileURLToPath(import.meta.url), '../../../..');
export const binary_dir = resolve(process.env.RADD_BINARY_DIR ?? join(source_dir, 'build/dev'));
const radd = join(binary_dir, 'bin/radd');

const start_deadline_ms = 60_000;
const stop_deadline_ms = 30_000;
const shipped = ['items', 'mail', 'csat', 'importer', 'search', 'webhooks', 'realtime', 'notify', 'sla', 'automations', 'chat'];

/** A process and all that it has said. */
class Running {
    constructor(child) {
        this.child = child;
        this.said = '';
        this.exit = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
        this.exit.then((code) => (this.ended = code));
        for (const stream of [child.stdout, child.stderr])
            stream.on('data', (text) => (this.said += text));
    }

    /** What `pattern` captures in what it says; rejects if it ends before. */
    async says(pattern) {
        return eventually(
            `${pattern} from ${this.child.spawnfile}, which said:\n${this.said}`,
            () => {
                const found = this.said.match(pattern);
                if (found) return found;
                if (this.ended !== undefined) throw new Error(`it ended: ${this.ended}\n${this.said}`);
                return undefined;
            },
            start_deadline_ms,
        );
    }

    async stop(signal = 'SIGTERM') {
        if (this.ended === undefined) this.child.kill(signal);
        const timer = setTimeout(() => this.child.kill('SIGKILL'), stop_deadline_ms);
        const code = await this.exit;
        clearTimeout(timer);
        return code;
    }
}

/** A folder with plugins and manifests, and radd's own PostgreSQL. stop() when done. */
export class Installation {
    constructor() {
        // Short, so that the socket's path fits; passable, since PostgreSQL runs as another user.
        this.folder = mkdtempSync(join(tmpdir(), 'radd-web-'));
        run_file('chmod', ['711', this.folder]);
        this.hosts = [];
        this.others = [];
        this.environment = {
            PATH: '/usr/local/bin:/usr/bin:/bin',
            RADD_PLUGINS_DIR: join(this.folder, 'plugins'),
            RADD_MANIFESTS_DIR: join(this.folder, 'manifests'),
            RADD_DATA_DIR: join(this.folder, 'var'),
            RADD_HTTP_LISTEN: '127.0.0.1:0',
        };
        for (const name of ['plugins', 'manifests', 'chores', 'mail']) mkdirSync(this.path(name));
        for (const id of shipped) {
            copyFileSync(join(binary_dir, `plugins/${id}.so`), this.path(`plugins/${id}.so`));
            copyFileSync(join(source_dir, `manifests/${id}.yaml`), this.path(`manifests/${id}.yaml`));
        }
    }

    path(name) {
        return join(this.folder, name);
    }

    write(name, text) {
        writeFileSync(this.path(name), text);
    }

    /** The plugin that does what an event asks of it; see tests/support/plugins/chores.cpp. */
    install_chores() {
        copyFileSync(join(binary_dir, 'tests/fixtures/chores.so'), this.path('plugins/chores.so'));
        this.write(
            'manifests/chores.yaml',
            `kind: plugin\nversion: 1\nid: chores\nsettings:\n  folder: ${this.path('chores')}\n`,
        );
    }

    /** Entities without code: a manifest that ships switched off, and no library. */
    install_milestones() {
        const text = readFileSync(join(source_dir, 'manifests/milestones.yaml'), 'utf8');
        this.write('manifests/milestones.yaml', text.replace('enabled: false', 'enabled: true'));
    }

    /** A plugin that is refused because its library is none. The host starts without it. */
    install_refused() {
        this.write('plugins/broken.so', 'not a library');
        this.write('manifests/broken.yaml', 'kind: plugin\nversion: 1\nid: broken\nrequired: false\n');
    }

    /** A relay that keeps mails as files in the folder `mail`. */
    async start_relay() {
        const relay = new Running(
            spawn('/usr/bin/python3', [join(source_dir, 'tests/support/smtp_server.py'), this.path('mail')], {
                stdio: ['ignore', 'pipe', 'pipe'],
            }),
        );
        this.others.push(relay);
        const [, port] = await relay.says(/^port (\d+)/m);
        this.write(
            'manifests/mail.yaml',
            'kind: plugin\nversion: 1\nid: mail\nsettings:\n' +
                `  host: 127.0.0.1\n  port: ${port}\n  from_address: desk@demo.example\n`,
        );
    }

    /** The bodies of all mails that the relay has taken. */
    mails() {
        return readdirSync(this.path('mail'))
            .filter((name) => name.endsWith('.json'))
            .map((name) => JSON.parse(readFileSync(this.path(`mail/${name}`), 'utf8')).body);
    }

    async run(...args) {
        const { stdout } = await run_file(radd, args, { env: this.environment, cwd: this.folder });
        return stdout;
    }

    /** Starts `radd serve`, as from a terminal if so told; answers once it is ready. */
    async serve(environment = {}, { terminal = false } = {}) {
        const [program, ...args] = terminal
            ? ['script', '-qefc', `exec ${radd} serve`, '/dev/null']
            : [radd, 'serve'];
        const host = new Running(
            spawn(program, args, {
                env: { ...this.environment, ...environment },
                cwd: this.folder,
                stdio: ['ignore', 'pipe', 'pipe'],
            }),
        );
        this.hosts.push(host);
        await host.says(/ready: /);
        const [url] = await host.says(/http:\/\/127\.0\.0\.1:\d+/);
        host.url = url;
        return host;
    }

    /** Runs SQL in the private database; answers what it selects, a line a row. */
    async sql(text) {
        const { stdout } = await run_file('psql', [
            '-XqAt',
            '-v',
            'ON_ERROR_STOP=1',
            `host=${this.path('var/run')} user=radd dbname=radd`,
            '-c',
            text,
        ]);
        return stdout.trim();
    }

    /** Asks the plugin chores for something, by a program that knows only SQL. */
    async ask_chore(what, times = 1) {
        await this.sql(
            `INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
             SELECT 'chores.asked', 'chore', n::text, '{"do": "${what}"}'
               FROM generate_series(1, ${times}) n`,
        );
    }

    /** Sends a signal to the database server and all of its children. */
    async signal_database(signal) {
        const [pid] = readFileSync(this.path('var/postgres/postmaster.pid'), 'utf8').split('\n');
        const { stdout } = await run_file('ps', ['-o', 'pid=', '--ppid', pid]);
        for (const one of [pid, ...stdout.split('\n').map((line) => line.trim())]) {
            if (one === '') continue;
            try {
                process.kill(Number(one), signal);
            } catch (failure) {
                if (failure.code !== 'ESRCH') throw failure; // A child that has just ended.
            }
        }
    }

    async stop() {
        for (const host of this.hosts) await host.stop();
        for (const other of this.others) await other.stop();
        rmSync(this.folder, { recursive: true, force: true });
    }
}
