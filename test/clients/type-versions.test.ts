// A type with five versions on a whole Fairlead, with a real process for each: every pair of the version that a resource was stored by
// and the version that serves its next change, which comes over HTTP, from kubectl and from files, in the form of each version so far;
// and back after rollbacks, with crashes in between.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Provider } from '../../src/crds/provider.ts';
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { newHome, runClient } from '../support/clients/client.ts';
import { type Author, authorOf } from '../support/fixtures/code/author.ts';
import {
  codeOf,
  concurrencyOf,
  configOf,
  outputOf,
  type Version,
  versions,
  zoneOf,
} from '../support/fixtures/code/five-versions.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type Caller, Fairlead } from '../support/servers/fairlead.ts';

let fairlead: Fairlead;
let author: Author;
let acme: Caller;
const builds = new Map<Version, string>();
const home = newHome();

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
  // Version 5 lacks the type `lid`.
  const body = { version: builds.get(version), retire_types: true };
  const deployed = await acme.post('/providers/crates/deploy', body);
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);
  await author.deploymentIs({ status: 'available', version: builds.get(version) });
  const words = ['get', 'flprov', 'crates', '-n', author.namespace, '-o', 'json'];
  const { status } = JSON.parse(await fairlead.kubectl(...words)) as Provider;
  expect(status?.concurrency).toBe(concurrencyOf(version));
}

const crate = (name: string) => ({ provider: 'crates', resource: 'crate', name });
const lid = (name: string, config: object) =>
  acme.post('/resources/apply', {
    ...{ provider: 'crates', resource: 'lid', name, config, lifecycle_state: 'pending' },
  });
const lidIs = (name: string, wanted: object) =>
  eventually(async () => {
    const found = await acme.get(`/resources/crates:lid:${name}?deleting=include`);
    expect(found).toMatchObject(wanted);
  }, 30_000);

function apply(name: string, config: object, more: object = {}) {
  const body = { ...crate(name), config, ...more };
  return acme.post('/resources/apply', { ...body, lifecycle_state: 'pending' });
}

async function becomes(name: string, wanted: object): Promise<void> {
  await eventually(async () => {
    expect((await acme.get(`/resources/crates:crate:${name}`)).body).toMatchObject(wanted);
  }, 30_000);
}

async function isGone(name: string): Promise<void> {
  await eventually(async () => {
    const { status } = await acme.get(`/resources/crates:crate:${name}?deleting=include`);
    expect(status).toBe(404);
  }, 30_000);
}

function client(...argv: readonly string[]) {
  const variables = { FAIRLEAD_URL: fairlead.url, FAIRLEAD_TOKEN: acme.token };
  return runClient(argv, { variables, home });
}

interface Wanted {
  readonly name: string;
  readonly config: object;
}

/** The ways by which people declare a resource. None of them names a version. */
const ways = {
  async http(all: readonly Wanted[]) {
    for (const { name, config } of all) {
      const { status, body } = await apply(name, config);
      expect(status, JSON.stringify(body)).toBe(200);
    }
  },
  async kubectl(all: readonly Wanted[]) {
    const items = all.map(({ name, config }) => ({
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Resource',
      metadata: { name: objectNameOf(keyOf(crate(name))), namespace: author.namespace },
      spec: { ...crate(name), config },
    }));
    await fairlead.apply({ apiVersion: 'v1', kind: 'List', items });
  },
  async file(all: readonly Wanted[]) {
    const documents = all.map(({ name, config }) =>
      JSON.stringify({ resource: `crates/crate/${name}`, config }),
    );
    writeFileSync(join(home, 'crates.yaml'), documents.join('\n---\n'));
    const applied = await client('apply', '-f', 'crates.yaml', '--yes');
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
  },
} as const;
type Way = keyof typeof ways;

/** A resource that one version stores, and that changes while another one serves, in the form of a third one. */
interface Change {
  readonly way: Way;
  readonly stored: Version;
  readonly serving: Version;
  readonly form: Version;
}

const changes: readonly Change[] = versions.flatMap((stored) =>
  versions.flatMap((serving) =>
    versions.flatMap((form) =>
      (Object.keys(ways) as Way[]).map((way) => ({ way, stored, serving, form })),
    ),
  ),
);
const forward = changes.filter(({ stored, serving, form }) => stored <= serving && form <= serving);
const nameFor = ({ way, stored, serving, form }: Change) => `${way}-${stored}-${serving}-${form}`;

/**
 * The version by which a change is accepted. One in the form of version 1 means zone `a`, which is not that of an object of version 4;
 * one in another form goes on in version 3 where a newer one would mean zone `b`.
 */
function acceptedAs({ stored, serving, form }: Change): Version | undefined {
  const isOfZoneA = zoneOf(stored) === 'a';
  if (form === 1) return isOfZoneA ? 1 : undefined;
  return isOfZoneA && serving > 3 ? 3 : serving;
}

async function byWays(
  chosen: readonly Change[],
  configFor: (change: Change) => object,
): Promise<void> {
  for (const [way, all] of Map.groupBy(chosen, (change) => change.way)) {
    await ways[way](all.map((each) => ({ name: nameFor(each), config: configFor(each) })));
  }
}

/** Two for each pair: one that is updated, and one that is deleted. Of neighbouring versions, the update crashes at its first attempt. */
const pairs = versions.flatMap((stored) => versions.map((serving) => ({ stored, serving })));
type Pair = (typeof pairs)[number];
const pairName = (kind: 'kept' | 'gone', { stored, serving }: Pair) =>
  `${kind}-${stored}-${serving}${Math.abs(stored - serving) === 1 ? '-crash' : ''}`;

async function store(version: Version): Promise<void> {
  await serve(version);
  if (version === 1) {
    for (const name of ['kept', 'gone']) expect((await lid(name, {})).status).toBe(200);
  }
  const names = pairs
    .filter(({ stored }) => stored === version)
    .flatMap((pair) => [pairName('kept', pair), pairName('gone', pair)]);
  await ways.http(names.map((name) => ({ name, config: configOf(version, 1) })));
  const chosen = forward.filter(({ stored }) => stored === version);
  await byWays(chosen, () => configOf(version, 1));
  await Promise.all(
    [...names, ...chosen.map(nameFor)].map((name) =>
      becomes(name, { lifecycle_state: 'ready', type_version: version }),
    ),
  );
}

async function change(version: Version): Promise<void> {
  const due = forward.filter(({ serving }) => serving === version);
  const accepted = due.filter((each) => acceptedAs(each) !== undefined);
  await byWays(accepted, ({ form }) => configOf(form, 2));
  await Promise.all(
    accepted.map((each) =>
      becomes(nameFor(each), {
        lifecycle_state: 'ready',
        type_version: acceptedAs(each),
        config: configOf(each.form, 2),
        outputs: { [outputOf(version)]: nameFor(each), gb: 2, zone: zoneOf(each.stored) },
      }),
    ),
  );
  for (const each of due.filter((all) => acceptedAs(all) === undefined)) {
    const { status, body } = await apply(nameFor(each), configOf(each.form, 2));
    expect([status, body]).toMatchObject([422, { detail: [{ type: 'immutable' }] }]);
  }
}

/** What becomes of a resource after a rollback to the version that serves. */
function afterRollback({ stored, serving }: Pair): { update: string; delete: 'gone' | 'waits' } {
  // Its config has a field that version 1 does not know.
  if (serving === 1) return { update: 'migration_failed', delete: 'waits' };
  // Its outputs have another name.
  if (stored === 5) return { update: 'migration_failed', delete: 'gone' };
  // What it leaves out means another zone there.
  return { update: stored === 4 ? 'moved' : 'ready', delete: 'gone' };
}

/** Those that crash come one by one: the others would wait for the restart of the only pod. */
async function meetAll(chosen: readonly Pair[]): Promise<void> {
  const crashes = (pair: Pair) => pairName('kept', pair).endsWith('crash');
  await Promise.all(chosen.filter((pair) => !crashes(pair)).map(meet));
  for (const pair of chosen.filter(crashes)) await meet(pair);
}

async function meet(pair: Pair): Promise<void> {
  const [kept, gone] = [pairName('kept', pair), pairName('gone', pair)];
  const isForward = pair.stored <= pair.serving;
  const ends = isForward ? ({ update: 'ready', delete: 'gone' } as const) : afterRollback(pair);
  const applied = await apply(kept, configOf(pair.serving, 2));
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  await acme.delete(`/resources/crates:crate:${gone}`);
  const refused = expect.stringContaining(ends.update);
  await becomes(
    kept,
    ends.update === 'ready'
      ? { lifecycle_state: 'ready', outputs: { gb: 2, zone: zoneOf(pair.stored) } }
      : { lifecycle_state: 'failed', error: refused },
  );
  if (ends.delete === 'gone') return await isGone(gone);
  await eventually(async () => {
    const path = `/resources/crates:crate:${gone}?deleting=include`;
    const waits = { lifecycle_state: 'processing', reason: 'VersionTooOld' };
    expect((await acme.get(path)).body).toMatchObject(waits);
  });
}

describe('a type with five versions', () => {
  for (const version of versions) {
    it(`is stored by version ${version}, which takes changes in each form, and deletes`, async () => {
      await store(version);
      await change(version);
      await meetAll(pairs.filter((pair) => pair.serving === version && pair.stored <= version));
    });
  }

  it('answers the old name of an output from the new one', async () => {
    const note = '$' + '{crates/crate/http-1-5-5.outputs.url}';
    expect((await acme.get('/resources/crates:crate:http-1-5-5')).body).toMatchObject({
      outputs: { address: 'http-1-5-5' },
    });
    const reader = await apply('reader', { gb: 1, note });
    expect(reader.status, JSON.stringify(reader.body)).toBe(200);
    expect(reader.headers.get('warning')).toContain('is deprecated; refer to address');
    await becomes('reader', { lifecycle_state: 'ready' });
  });

  it('keeps resources of a type that a version lacks, also over a crash', async () => {
    for (const name of ['kept', 'gone']) {
      await lidIs(name, { body: { lifecycle_state: 'ready' } });
    }
    expect(await lid('kept', { colour: 'red' })).toMatchObject({
      status: 422,
      body: { code: 'type_retired' },
    });
    await acme.delete('/resources/crates:lid:gone');
    const waits = { body: { lifecycle_state: 'processing', reason: 'TypeRetired' } };
    await lidIs('gone', waits);
    await fairlead.kill().then(() => fairlead.up());
    await lidIs('gone', waits);
  });

  it('tells of an earlier version in a Warning, and keeps it', async () => {
    const old = { size: 5 };
    const created = await apply('old', old);
    expect(created).toMatchObject({ status: 200, body: { type_version: 1 } });
    const warning =
      '299 - "The config is accepted as version 1 of type crates/crate, and the newest is 5. Rewrite it with fairlead migrate -f FILE"';
    expect(created.headers.get('warning')).toBe(warning);
    await becomes('old', { lifecycle_state: 'ready', outputs: { gb: 5, zone: 'a' } });
    // A repetition changes nothing, and is told the same.
    const again = await apply('old', old);
    expect(again).toMatchObject({
      status: 200,
      body: { type_version: 1, lifecycle_state: 'ready' },
    });
    expect(again.headers.get('warning')).toBe(warning);
    const byDefault = await apply('old', { gb: 6 });
    expect(byDefault).toMatchObject({ status: 200, body: { type_version: 3 } });
    expect(byDefault.headers.get('warning')).toContain('another default of zone');
    await becomes('old', { lifecycle_state: 'ready', outputs: { gb: 6, zone: 'a' } });
  });

  for (const version of [4, 3, 2, 1] as const) {
    it(`rolls back to version ${version}, and says what no longer fits`, async () => {
      if (version === 2) await fairlead.kill().then(() => fairlead.up());
      await serve(version);
      await meetAll(pairs.filter((pair) => pair.serving === version && pair.stored > version));
    });
  }

  it('deletes and changes resources of a type that is back', async () => {
    await lidIs('gone', { status: 404 });
    expect((await lid('kept', { colour: 'red' })).status).toBe(200);
    await lidIs('kept', { body: { lifecycle_state: 'ready', config: { colour: 'red' } } });
  });

  it('mends everything that was refused once version 5 serves again', async () => {
    await serve(5);
    const refused = pairs.filter(({ stored, serving }) => stored > serving);
    // Deletions go on by themselves.
    await Promise.all(refused.map((pair) => isGone(pairName('gone', pair))));
    const { status } = await acme.post('/ops/dead-letter/retry-all', {});
    expect(status).toBe(200);
    for (const pair of refused) {
      const kept = pairName('kept', pair);
      // Its last apply meant the zone of the version that served.
      if (zoneOf(pair.stored) !== zoneOf(pair.serving)) {
        await eventually(async () => expect((await apply(kept, { gb: 3 })).status).toBe(200));
      }
      await becomes(kept, { lifecycle_state: 'ready', outputs: { zone: zoneOf(pair.stored) } });
    }
  });

  it('is not built with another default of an immutable field', async () => {
    const refused = async (source: string) => {
      const { job_name } = await author.push(source);
      await author.log(job_name);
      const path = `/providers/crates/builds/${job_name}`;
      let message = '';
      await eventually(async () => {
        const { body } = await acme.get(path);
        expect(body).toMatchObject({ status: 'failed' });
        message = `${(body as { error_message: unknown }).error_message}`;
      }, 60_000);
      return message;
    };
    const passedOn = codeOf(5).replace("zone: zone ?? 'a'", 'zone');
    expect(await refused(passedOn)).toContain(
      'Type crate: version 4 changes the default of zone, which cannot change once a resource exists, from "a" to "b"',
    );
    const inPlace = codeOf(5).replace("default('b')", "default('c')");
    expect(await refused(inPlace)).toContain(
      'the default of zone, which cannot change once a resource exists, is "c" in version 5, and was "b"',
    );
  });

  it('is migrated without defaults, and nothing is replaced', async () => {
    const documents = [
      { resource: 'crates/crate/http-1-5-1', config: { size: 2 } },
      { resource: 'crates/crate/http-5-5-5', config: { gb: 2 } },
    ];
    writeFileSync(
      join(home, 'old.yaml'),
      documents.map((each) => JSON.stringify(each)).join('\n---\n'),
    );
    const dry = await client('migrate', '-f', 'old.yaml', '--dry-run');
    expect(dry, dry.stderr).toMatchObject({ code: 0 });
    // The migration writes the zone, since its default has changed; nothing else that nobody declared.
    expect(dry.stdout).toContain('gb');
    expect(dry.stdout).toContain('zone');
    expect(dry.stdout).not.toContain('tier');
    const stored = await client('migrate', 'crates/crate', '--yes');
    expect(stored, stored.stderr).toMatchObject({ code: 0 });
    expect(stored.stderr).not.toContain('--replace');
    for (const each of forward.filter(({ stored: by }) => by === 1)) {
      const config = { gb: 2, zone: 'a' };
      await becomes(nameFor(each), { lifecycle_state: 'ready', type_version: 5, config });
    }
  });
});
