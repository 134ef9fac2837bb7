// A type with four versions on a whole Fairlead, with a real process for each: every pair of the version that a resource was stored
// by and the version that serves its next event, on the way up, and back after rollbacks, with crashes in between.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Provider } from '../../src/crds/provider.ts';
import { type Author, authorOf } from '../support/fixtures/code/author.ts';
import {
  codeOf,
  concurrencyOf,
  configOf,
  type Version,
  versions,
} from '../support/fixtures/code/four-versions.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type Caller, Fairlead } from '../support/servers/fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let acme: Caller;
const builds = new Map<Version, string>();

beforeAll(async () => {
  const env = { FAIRLEAD_RETRY_BASE_MS: '50', FAIRLEAD_NPM_REGISTRY: inject('npmRegistry') };
  fairlead = await Fairlead.start({ env });
  author = await authorOf(fairlead, 'acme');
  acme = author.caller;
  await Promise.all(
    versions.map(async (version) => {
      builds.set(version, (await author.built(codeOf(version))).version);
    }),
  );
});

afterAll(() => fairlead?.destroy());

async function serve(version: Version): Promise<void> {
  const deployed = await acme.post('/providers/crates/deploy', { version: builds.get(version) });
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);
  await author.deploymentIs({ status: 'available', version: builds.get(version) });
  const words = ['get', 'flprov', 'crates', '-n', author.namespace, '-o', 'json'];
  const { status } = JSON.parse(await fairlead.kubectl(...words)) as Provider;
  expect(status?.concurrency).toBe(concurrencyOf(version));
}

function apply(name: string, config: object, more: object = {}) {
  const body = { provider: 'crates', resource: 'crate', name, config, ...more };
  return acme.post('/resources/apply', { ...body, lifecycle_state: 'pending' });
}

async function becomes(name: string, wanted: object): Promise<void> {
  await eventually(async () => {
    expect((await acme.get(`/resources/crates:crate:${name}`)).body).toMatchObject(wanted);
  }, 30_000);
}

/** Two for each pair: one that is updated, and one that is deleted. Of neighbouring versions, the update crashes at its first attempt. */
const pairs = versions.flatMap((stored) => versions.map((serving) => ({ stored, serving })));
const nameFor = (kind: 'kept' | 'gone', { stored, serving }: { stored: number; serving: number }) =>
  `${kind}-${stored}-${serving}${Math.abs(stored - serving) === 1 ? '-crash' : ''}`;

/** Version 3 ignores what version 4 has more; versions before it do not know what later ones store. */
const fits = ({ stored, serving }: { stored: Version; serving: Version }) =>
  stored <= serving || (stored === 4 && serving === 3);

async function store(version: Version): Promise<void> {
  await serve(version);
  const names = pairs
    .filter(({ stored }) => stored === version)
    .flatMap((pair) => [nameFor('kept', pair), nameFor('gone', pair)]);
  await Promise.all(
    names.map(async (name) => {
      expect((await apply(name, configOf(version, 1))).status).toBe(200);
      await becomes(name, { lifecycle_state: 'ready', type_version: version });
    }),
  );
}

/** Those that crash come one by one: the others would wait for the restart of the only pod. */
async function meetAll(chosen: readonly (typeof pairs)[number][]): Promise<void> {
  const crashes = (pair: (typeof pairs)[number]) => nameFor('kept', pair).endsWith('crash');
  await Promise.all(chosen.filter((pair) => !crashes(pair)).map(meet));
  for (const pair of chosen.filter(crashes)) await meet(pair);
}

async function meet(pair: { stored: Version; serving: Version }): Promise<void> {
  const [kept, gone] = [nameFor('kept', pair), nameFor('gone', pair)];
  const applied = await apply(kept, configOf(pair.serving, 2));
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  await acme.delete(`/resources/crates:crate:${gone}`);
  if (fits(pair)) {
    await becomes(kept, { lifecycle_state: 'ready', type_version: pair.serving });
    await isGone(gone);
    return;
  }
  const refused = expect.stringContaining('migration_failed');
  await becomes(kept, { lifecycle_state: 'failed', error: refused });
  await eventually(async () => {
    const path = `/resources/crates:crate:${gone}?deleting=include`;
    expect((await acme.get(path)).body).toMatchObject({ error: refused });
  });
}

async function isGone(name: string): Promise<void> {
  await eventually(async () => {
    const { status } = await acme.get(`/resources/crates:crate:${name}?deleting=include`);
    expect(status).toBe(404);
  }, 30_000);
}

describe('a type with four versions', () => {
  for (const version of versions) {
    it(`is stored by version ${version}, and updates and deletes what earlier ones stored`, async () => {
      await store(version);
      await meetAll(pairs.filter((pair) => pair.serving === version && pair.stored <= version));
    });
  }

  for (const version of [3, 2, 1] as const) {
    it(`rolls back to version ${version}, and says what no longer fits`, async () => {
      if (version === 2) await fairlead.kill().then(() => fairlead.up());
      await serve(version);
      await meetAll(pairs.filter((pair) => pair.serving === version && pair.stored > version));
    });
  }

  it('mends everything that was refused once version 4 serves again', async () => {
    await serve(4);
    const { status } = await acme.post('/ops/dead-letter/retry-all', {});
    expect(status).toBe(200);
    for (const pair of pairs.filter((each) => !fits(each))) {
      await isGone(nameFor('gone', pair));
      await becomes(nameFor('kept', pair), { lifecycle_state: 'ready' });
    }
  });

  it('accepts a config of an earlier version by its number, with a warning', async () => {
    const path = '/resources/apply';
    const body = { provider: 'crates', resource: 'crate', name: 'old', config: { size: 5 } };
    const send = (more: object) =>
      fetch(`${fairlead.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...more, lifecycle_state: 'pending' }),
      });
    expect((await send({})).status).toBe(422);
    const accepted = await send({ type_version: 1 });
    expect(accepted.status).toBe(200);
    expect(accepted.headers.get('warning')).toMatch(/^299 - ".*the newest is 4"$/);
    await becomes('old', { lifecycle_state: 'ready', type_version: 1, outputs: { gb: 5 } });
    // What nobody changed stays as it is.
    expect((await send({})).status).toBe(200);
    await becomes('old', { type_version: 1, config: { size: 5 } });
  });
});
