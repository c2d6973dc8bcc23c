// node build.mjs --out DIRECTORY [--depfile FILE --target FILE]
//
// Bundles the pages into DIRECTORY and writes DIRECTORY/pages.cpp, the table that the host embeds.
// The same sources and the same Node give the same bytes on every machine. With --depfile, says in
// make's language which files --target was made from.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

const content_types = {
    css: 'text/css; charset=utf-8',
    html: 'text/html; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml',
};
// Below it the saving is less than what the header costs.
const gzip_saves_bytes_min = 200;

/** What a name and an ETag hold of the content: enough that no two versions ever share it. */
function digest(bytes) {
    return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

function content_type(path) {
    const extension = path.slice(path.lastIndexOf('.') + 1);
    const type = content_types[extension];
    if (!type) throw new Error(`${path}: no content type is known for .${extension}`);
    return type;
}

/** Everything esbuild makes of the entry points, and what it read for it. */
async function bundle() {
    const result = await build({
        absWorkingDir: here,
        entryPoints: ['src/app.tsx', 'src/theme_start.ts', 'src/app.css'],
        outdir: '/',
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        legalComments: 'none',
        target: 'es2022',
        format: 'iife',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        logLevel: 'warning',
    });
    const outputs = result.outputFiles.map((file) => ({
        name: file.path.slice(1),
        bytes: Buffer.from(file.contents),
    }));
    return { outputs, inputs: Object.keys(result.metafile.inputs).map((path) => join(here, path)) };
}

/** `app.js` → an asset under a name that no other content will ever have. */
function hashed({ name, bytes }) {
    const dot = name.lastIndexOf('.');
    return {
        name,
        path: `/assets/${name.slice(0, dot)}.${digest(bytes)}${name.slice(dot)}`,
        bytes,
        immutable: true,
    };
}

/** The one page, with each {{name}} replaced by the path that name has now. */
function index(template, assets) {
    const text = template.replace(/\{\{(.+?)\}\}/g, (_, name) => {
        const asset = assets.find((candidate) => candidate.name === name);
        if (!asset) throw new Error(`index.html: nothing is called ${name}`);
        return asset.path;
    });
    return { path: '/index.html', bytes: Buffer.from(text), immutable: false };
}

function table(assets, directory) {
    const symbols = [];
    const rows = [];
    const embed = (symbol, file) => {
        // A compiler needs seconds for an array of this size; the assembler copies the file.
        symbols.push(
            `asm(".section .rodata\\n"\n` +
                `    ".global ${symbol}\\n"\n` +
                `    "${symbol}: .incbin \\"${file}\\"\\n"\n` +
                `    ".previous\\n");`,
            `extern "C" const char ${symbol}[];`,
        );
    };
    assets.forEach((asset, number) => {
        const view = (kind, bytes) => {
            if (!bytes) return '{}';
            const symbol = `radd_page_${number}_${kind}`;
            const file = join(directory, `${number}.${kind}`);
            writeFileSync(file, bytes);
            embed(symbol, file);
            return `{${symbol}, ${bytes.length}}`;
        };
        const gzip = gzipSync(asset.bytes, { level: 9 });
        const pays = gzip.length + gzip_saves_bytes_min <= asset.bytes.length;
        rows.push(
            `    {.path = "${asset.path}",\n` +
                `     .content_type = "${content_type(asset.path)}",\n` +
                `     .bytes = ${view('bytes', asset.bytes)},\n` +
                `     .gzip = ${view('gzip', pays ? gzip : undefined)},\n` +
                `     .etag = "\\"${digest(asset.bytes)}\\"",\n` +
                `     .immutable = ${asset.immutable}},`,
        );
    });
    return `// Generated from host/web/pages. Do not edit.

#include <array>

#include <host/web/asset.hpp>

${symbols.join('\n')}

namespace radd::web {
namespace {

const std::array<Asset, ${assets.length}> assets{{
${rows.join('\n')}
}};

}  // namespace

std::span<const Asset> embedded_pages() noexcept {
    return assets;
}

}  // namespace radd::web
`;
}

const { values: options } = parseArgs({
    options: { out: { type: 'string' }, depfile: { type: 'string' }, target: { type: 'string' } },
});
if (!options.out) throw new Error('build.mjs: --out DIRECTORY is missing');
const out = resolve(options.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const template = join(here, 'src/index.html');
const icon = join(here, 'src/icon.svg');
const { outputs, inputs } = await bundle();
const named = [...outputs, { name: 'icon.svg', bytes: readFileSync(icon) }].map(hashed);
const assets = [...named, index(readFileSync(template, 'utf8'), named)];
assets.sort((a, b) => (a.path < b.path ? -1 : 1));
writeFileSync(join(out, 'pages.cpp'), table(assets, out));

if (options.depfile) {
    const sources = [...inputs, template, icon, fileURLToPath(import.meta.url)].sort();
    const escaped = sources.map((path) => path.replace(/[ #]/g, '\\$&'));
    writeFileSync(options.depfile, `${options.target}: ${escaped.join(' ')}\n`);
}
