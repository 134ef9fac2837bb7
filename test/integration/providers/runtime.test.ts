import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingEvent } from '../../../src/events/protocol.ts';
import {
  type Files,
  shopCode,
  shopManifest,
  versionedCode,
} from '../../support/fixtures/code/package-folder.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  ended,
  type Flags,
  type ProviderProcesses,
  providerProcesses,
  served,
} from '../../support/servers/provider-process.ts';

let processes: ProviderProcesses;

beforeEach(async () => {
  processes = await providerProcesses();
});

afterEach(() => processes[Symbol.asyncDispose]());

const start = (files: Files, flags: Flags = {}) => processes.start(files, flags);

async function post(url: string, event: Partial<OutgoingEvent> = {}) {
  const { status, body } = await processes.post(url, event);
  return { status, body };
}

const slowCode = `${shopCode}
import { setTimeout } from 'node:timers/promises';
`.replace(
  "({ name }) => ({ url: 'cart://' + name }),",
  `async ({ name, log }) => {
  log.info('begins');
  await setTimeout(1_000);
  return { url: 'slow://' + name };
},`,
);

describe('the code of a provider', () => {
  const packages: Record<string, Files> = {
    'as plain TypeScript': { 'package.json': shopManifest, 'index.ts': shopCode },
    'named by main': {
      'package.json': { ...shopManifest, main: 'dist/shop.js' },
      'dist/shop.js': shopCode,
    },
    'named by exports': {
      'package.json': {
        ...shopManifest,
        exports: { '.': { types: './x.d.ts', import: './shop.mts' } },
      },
      'shop.mts': shopCode,
    },
    'as CommonJS with a default export': {
      'package.json': { ...shopManifest, type: 'commonjs' },
      'index.js': shopCode
        .replace(
          "import { provider, z } from 'fairlead/provider';",
          "const { provider, z } = require('fairlead/provider');",
        )
        .replace('export default', 'module.exports ='),
    },
    'compiled to CommonJS': {
      'package.json': { ...shopManifest, type: 'commonjs' },
      'index.js': `Object.defineProperty(exports, '__esModule', { value: true });
${shopCode
  .replace(
    "import { provider, z } from 'fairlead/provider';",
    "const { provider, z } = require('fairlead/provider');",
  )
  .replace('export default', 'exports.default =')}`,
    },
  };
  it.each(Object.entries(packages))('%s handles events', async (_name, files) => {
    const url = await served(await start(files));
    expect(await post(url)).toEqual({
      status: 200,
      body: { outputs: { url: 'cart://mine' }, outputs_schema_version: 1 },
    });
  });

  it('handles events of its organization only', async () => {
    const url = await served(await start({ 'package.json': shopManifest, 'index.ts': shopCode }));
    expect(await post(url, { organizationId: 'globex' })).toMatchObject({ status: 403 });
  });

  it('answers for the event that ends its process, also when no other one runs', async () => {
    const code = shopCode.replace(
      "({ url: 'cart://' + name }),",
      '{ process.exit(3 + name.length); },',
    );
    const url = await served(await start({ 'package.json': shopManifest, 'index.ts': code }));
    const { status, body } = await post(url);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).toMatch(/"process\.exit\(\d+\) \(index\.ts:\d+\)"/);
  });

  it('fails terminally with a copy of the SDK of its own', async () => {
    const bundled = shopCode.replace(
      "({ name }) => ({ url: 'cart://' + name }),",
      '() => fail("no_carts", "No carts"),',
    );
    const sdk = fileURLToPath(new URL('../../../src/sdk/index.ts', import.meta.url));
    const url = await served(
      await start({
        'package.json': shopManifest,
        'index.ts': `import { fail } from '${sdk}?copy';\n${bundled}`,
      }),
    );
    expect(await post(url)).toEqual({
      status: 422,
      body: { error: { code: 'no_carts', message: 'No carts' } },
    });
  });
});

describe('at SIGTERM', () => {
  it('reports not ready, finishes running handlers, and exits with 0', async () => {
    const shop = await start(
      { 'package.json': shopManifest, 'index.ts': slowCode },
      { more: ['--notice-ms', '300'] },
    );
    const { child, printed } = shop;
    const url = await served(shop);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const end = once(child, 'close');
    const answer = post(url);
    await eventually(() => expect(printed()).toContain('begins'));
    child.kill('SIGTERM');
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503));
    expect(await answer).toEqual({
      status: 200,
      body: { outputs: { url: 'slow://mine' }, outputs_schema_version: 1 },
    });
    expect(await end).toEqual([0, null]);
  });

  it('says that it was not ready yet, when it ends before', async () => {
    const endless =
      "console.log('starts');\n    return new Promise(() => setInterval(() => 0, 999));";
    const shop = await start({
      'package.json': shopManifest,
      'index.ts': versionedCode().replace("throw new Error('it ran in the build');", endless),
    });
    await eventually(() => expect(shop.printed()).toContain('starts'));
    shop.child.kill('SIGTERM');
    expect(await once(shop.child, 'close')).toEqual([1, null]);
    expect(shop.printed()).toMatch(
      /Provider shop cannot run: it was stopped before it was ready; check and start have 60 s/,
    );
  });

  it('exits with 0 although timers still run', async () => {
    const code = `${shopCode}\nsetInterval(() => undefined, 1_000);`;
    const shop = await start(
      { 'package.json': shopManifest, 'index.ts': code },
      { more: ['--notice-ms', '0'] },
    );
    await served(shop);
    const end = once(shop.child, 'close');
    shop.child.kill('SIGTERM');
    expect(await end).toEqual([0, null]);
  });
});

describe('invalid provider code', () => {
  const cases: Record<string, { files: Files; provider?: string; says: RegExp }> = {
    'has no package.json': {
      files: { 'index.ts': shopCode },
      says: /no package\.json in its root folder/,
    },
    'has a package.json that is not JSON': {
      files: { 'package.json': '{"name":', 'index.ts': shopCode },
      says: /package\.json is not a JSON object/,
    },
    'has no entry': {
      files: { 'package.json': shopManifest },
      says: /neither exports nor main, and none of index\.js/,
    },
    'names an entry that is not there': {
      files: { 'package.json': { ...shopManifest, main: 'dist/index.js' } },
      says: /names dist\/index\.js, which does not exist/,
    },
    'has no default export': {
      files: { 'package.json': shopManifest, 'index.ts': 'export const shop = 1;' },
      says: /no default export \(it exports shop\); write: export default provider\("shop"\)\.types\(…\)/,
    },
    'exports something else': {
      files: { 'package.json': shopManifest, 'index.ts': 'export default () => 1;' },
      says: /not created with provider\(…\) of fairlead\/provider: it is a function/,
    },
    'is another provider': {
      files: { 'package.json': shopManifest, 'index.ts': shopCode },
      provider: 'store',
      says: /The code defines provider "shop" but was pushed to "store"/,
    },
    'imports what is not installed': {
      files: { 'package.json': shopManifest, 'index.ts': `import 'pg';\n${shopCode}` },
      says: /The code imports pg, which is not installed/,
    },
    'has two types of one name': {
      files: {
        'package.json': shopManifest,
        'index.ts': shopCode.replace('shop.types(cart)', 'shop.types(cart, cart)'),
      },
      says: /Provider shop has two types with the same name: cart/,
    },
    'throws when it starts': {
      files: {
        'package.json': shopManifest,
        'index.ts': versionedCode().replace('it ran in the build', 'no database'),
      },
      says: /start failed: no database$/,
    },
    'throws while it is imported': {
      files: { 'package.json': shopManifest, 'index.ts': "throw new Error('no database');" },
      says: /The code cannot be imported\. Error: no database/,
    },
  };
  it.each(Object.entries(cases))(
    '%s: exits with a one-line message',
    async (_name, { files, provider, says }) => {
      const { code, stderr } = await ended(
        await start(files, provider === undefined ? {} : { provider }),
      );
      expect(code).toBe(1);
      const lines = stderr.trimEnd().split('\n');
      expect(lines.at(-1)).toMatch(/^Provider \S+ cannot run: /);
      expect(lines.at(-1)).toMatch(says);
      if (!stderr.includes('no database')) expect(lines).toHaveLength(1);
    },
  );

  it('requires its flags', async () => {
    const main = new URL('../../../src/providers/runtime/main.ts', import.meta.url);
    const child = spawn(process.execPath, [fileURLToPath(main), '--code', join('a', 'b')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Usage: provider-runtime/),
    });
  });
});
