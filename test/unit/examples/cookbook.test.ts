// The examples of docs/provider-cookbook.md: each keeps the promises of a provider, and does what its section says. The page has the
// files as they are here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloud, connections } from '../../../examples/cookbook/cloud.ts';
import { withExamples } from '../../../packaging/examples.ts';
import type { Provider } from '../../../src/sdk/index.ts';
import {
  type ContractCase,
  type Kit,
  type KitOptions,
  testKit,
} from '../../../src/sdk/testing/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'examples', 'cookbook');
const storeSettings = { url: 'https://store.example', token: 'a-good-token' };

interface Example {
  readonly type: string;
  readonly config: object;
  readonly changed: object;
  readonly settings?: KitOptions['settings'];
  readonly observe?: ContractCase['observe'];
  /** What its section says. */
  readonly shows: (kit: Kit) => Promise<void>;
}

const examples: Readonly<Record<string, Example>> = {
  'rename-a-field': {
    type: 'disk',
    config: { sizeGb: 1 },
    changed: { sizeGb: 2 },
    async shows(kit) {
      const disk = kit.resource('disk', 'old', {
        stored: { typeVersion: 1, config: { size: 5 }, outputs: { url: 'https://old' } },
      });
      expect(await disk.apply({ size: 9 }, { typeVersion: 1 })).toMatchObject({ state: 'ready' });
      expect(cloud.get('testing/default/old')).toEqual({ gb: 9 });
    },
  },
  'change-an-output': {
    type: 'cache',
    config: { memoryMb: 64 },
    changed: { memoryMb: 128 },
    async shows(kit) {
      const cache = kit.resource('cache', 'old', {
        stored: { config: { memoryMb: 64 }, outputs: { address: 'old.example:6380' } },
      });
      await cache.apply({ memoryMb: 32 });
      expect(cache.outputs).toEqual({ host: 'old.example', port: 6_380 });
    },
  },
  'open-a-client-once': {
    type: 'bucket',
    config: { region: 'eu' },
    changed: { region: 'us' },
    settings: storeSettings,
    async shows(kit) {
      const before = connections.open;
      const apply = (name: string) => kit.resource('bucket', name).apply({ region: 'eu' });
      expect(await Promise.all([apply('a'), apply('b')])).toMatchObject([
        { state: 'ready' },
        { state: 'ready' },
      ]);
      expect(connections.open).toBe(before);
    },
  },
  'wait-for-a-long-operation': {
    type: 'cluster',
    config: { nodes: 3 },
    changed: { nodes: 5 },
    async shows(kit) {
      const cluster = kit.resource('cluster', 'main');
      await cluster.apply({ nodes: 3 });
      expect(cluster.calls).toBeGreaterThan(2);
    },
  },
  'keep-to-a-rate-limit': {
    type: 'record',
    config: { value: '192.0.2.1' },
    changed: { value: '192.0.2.2' },
    async shows(kit) {
      cloud.limit(20);
      const record = kit.resource('record', 'www');
      expect(await record.apply({ value: '192.0.2.1' })).toMatchObject({ state: 'ready' });
    },
  },
  'return-a-password': {
    type: 'user',
    config: { readOnly: false },
    changed: { readOnly: true },
    settings: { seed: 'a-seed-of-passwords' },
    async shows(kit) {
      const user = kit.resource('user', 'app');
      user.loseAnswer();
      await user.apply({});
      const { password } = user.outputs;
      expect(cloud.get('testing/default/app')).toMatchObject({ password });
    },
  },
  'return-what-is-shown-once': {
    type: 'key',
    config: {},
    changed: { note: 'for the backup' },
    observe: ({ organization, name }) => cloud.keys.of(`${organization}/default/${name}`),
    async shows(kit) {
      const key = kit.resource('key', 'app');
      key.loseAnswer();
      await key.apply({});
      expect(cloud.keys.of('testing/default/app')).toEqual([key.outputs['id']]);
    },
  },
  'take-a-secret-from-outside': {
    type: 'certificate',
    config: { certificate: '-----BEGIN CERTIFICATE-----\none', key: 'the-first-key' },
    changed: { certificate: '-----BEGIN CERTIFICATE-----\ntwo', key: 'the-second-key' },
    async shows(kit) {
      const refused = await kit
        .resource('certificate', 'no')
        .apply({ certificate: 'none', key: 'the-third-key' });
      expect(refused).toMatchObject({ state: 'failed', code: 'not_a_certificate' });
    },
  },
  'observe-an-object': {
    type: 'volume',
    config: { sizeGb: 3, passphrase: 'open sesame' },
    changed: { sizeGb: 4, label: 'new', passphrase: 'open sesame' },
    async shows(kit) {
      const foreign = { bytes: 8 * 2 ** 30, label: 'by hand', owner: '', passphrase: '' };
      await cloud.volumes.write('vol-testing-taken', 0, foreign);
      const config = { sizeGb: 5, passphrase: 'open sesame' };
      const taken = kit.resource('volume', 'taken');
      expect(await taken.apply(config)).toMatchObject({ code: 'already_exists' });
      const imported = kit.resource('volume', 'imported');
      expect(await imported.adopt({ id: 'vol-testing-taken' }, config)).toMatchObject({
        outputs: { id: 'vol-testing-taken' },
      });
      expect(await imported.observe()).toMatchObject({
        changes: [{ path: '/sizeGb', declared: 5, actual: 8 }],
      });
      await imported.apply({ ...config, sizeGb: 6 });
      expect(await imported.observe()).toMatchObject({ changes: [] });
      await imported.delete();
      expect(await cloud.volumes.read('vol-testing-taken')).toBeUndefined();
    },
  },
  'refuse-before-it-is-stored': {
    type: 'table',
    config: { sizeGb: 2 },
    changed: { sizeGb: 3, engine: 'row-1' },
    settings: { most: 60 },
    async shows(kit) {
      const table = kit.resource('table', 'orders');
      const refused = (path: string) => ({ state: 'refused', refusals: [{ path }] });
      const lonely = { backups: 'replica' };
      expect(await table.apply(lonely)).toMatchObject(refused('/backups'));
      await table.apply({ sizeGb: 2 });
      expect(await table.apply({ sizeGb: 1 })).toMatchObject(refused('/sizeGb'));
      expect(await table.apply({ sizeGb: 2, engine: 'column-1' })).toMatchObject({
        replaces: ['/engine'],
      });
      expect(cloud.get('testing/default/orders')).toMatchObject({ sizeGb: 2, engine: 'row-2' });
      for (let at = cloud.count(); at < 60; at += 1)
        await kit.resource('table', `t-${at}`).apply({});
      expect(await kit.resource('table', 'more').apply({})).toMatchObject(refused(''));
    },
  },
  'refuse-late-deliveries': {
    type: 'queue',
    config: { maxLength: 10 },
    changed: { maxLength: 20 },
    async shows(kit) {
      const observe = () => cloud.get('testing/default/late');
      const queue = kit.resource('queue', 'late', { observe });
      await queue.apply({ maxLength: 1 });
      await queue.apply({ maxLength: 2 });
      expect(await queue.late()).toMatchObject({ refused: true, changed: false });
    },
  },
};

describe('the cookbook', () => {
  it('has a test of each example, and the page has their code', () => {
    const files = readdirSync(folder).filter((name) => name !== 'cloud.ts');
    expect(files.sort()).toEqual(
      Object.keys(examples)
        .map((name) => `${name}.ts`)
        .sort(),
    );
    const page = readFileSync(join(root, 'docs', 'provider-cookbook.md'), 'utf8');
    for (const name of files) expect(page).toContain(`<!-- examples/cookbook/${name} -->`);
    expect(withExamples(page, (path) => readFileSync(join(root, path), 'utf8'))).toBe(page);
  });

  it.for(Object.entries(examples))('%s', async ([name, example]) => {
    const { default: provider } = (await import(join(folder, `${name}.ts`))) as {
      default: Provider;
    };
    const { type, config, changed, settings = {}, observe, shows } = example;
    expect(provider.types.get(type)?.identity, 'what tells its objects apart').toBeDefined();
    await using kit = await testKit(provider, { settings });
    await kit.contract(type, { config, changed, ...(observe && { observe }) });
    await shows(kit);
  });

  it('closes the client, and refuses settings that do not work', async () => {
    const { default: stores } = await import('../../../examples/cookbook/open-a-client-once.ts');
    const before = connections.open;
    const kit = await testKit(stores, { settings: storeSettings });
    expect(connections.open).toBe(before + 1);
    await kit.close();
    expect(connections.open).toBe(before);
    const settings = { ...storeSettings, token: 'wrong-token' };
    await expect(testKit(stores, { settings })).rejects.toThrow('store.example refuses it');
  });
});
