// One event ends or blocks the process of its provider, and costs its deployment nothing; one object has one resource; and what
// belongs to a version goes with its Build.
import { expect, it } from 'vitest';
import { jobNameOf } from '../../src/domain/providers/build.ts';
import type { Tenant } from '../support/cluster/installation.ts';
import {
  becomes,
  built,
  crates,
  declare,
  deployed,
  serves,
} from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

interface Culprit {
  readonly name: string;
  /** Runs in its handler. */
  readonly code: string;
  /** Describes the end of its process, before the place in the code. */
  readonly error: string;
}

/** Nothing traces the first end; the second process is killed. Two attempts prove that a culprit runs again. */
const culprits: readonly Culprit[] = [
  { name: 'deadly', code: 'process.abort();', error: 'The process .*SIGABRT.*' },
  { name: 'hanging', code: 'for (;;);', error: 'The handler blocked the event loop for 10 s' },
];
const source = crates(
  'culprits',
  [
    ...culprits.map(({ name, code }) => `if (call.name === '${name}') ${code}`),
    "if (call.name.startsWith('twin-')) return { ...made(call), url: 'crate://twin' };",
  ].join('\n    '),
).replace(
  "description: 'A crate',",
  `description: 'A crate', retry: { attempts: 2 },
  identity: { schema: z.object({ url: z.string() }), of: ({ url }) => ({ url }) },`,
);

export function crashes(stage: Stage): void {
  let version = '';
  let good = '';

  it('deploys a version with events that end or block its process', async () => {
    const { at, north } = stage;
    good = await at.read('{.spec.version}', ...providerOf(north));
    version = await built(at, north, source);
    await deployed(north, version);
  });

  it.each(culprits)(
    'finds the one $name event, and makes ten beside it ready at their first attempt',
    async (culprit) => {
      const { north, report } = stage;
      const { name, code, error } = culprit;
      // Handlers of `many-…` run for five seconds.
      const names = Array.from({ length: 10 }, (_, index) => `many-beside-${name}-${index}`);
      const begun = performance.now();
      await Promise.all([...names, name].map((each) => declare(north, each)));
      for (const each of names) await becomes(north, each, 'ready', 240_000);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      report.fact(
        `Ten events of 5 s beside one with \`${code}\`, until all are ready`,
        `${seconds} s`,
      );
      await becomes(north, name, 'failed', 240_000);
      const line = source.split('\n').findIndex((each) => each.includes(code)) + 1;
      const { body } = await north.get(`/resources/crates/crate/${name}`);
      expect(body).toMatchObject({
        error: expect.stringMatching(new RegExp(`^crashed: ${error} \\(index\\.ts:${line}\\)`)),
      });
      const { body: deployment } = await north.get('/providers/crates/deployment');
      expect(deployment).toMatchObject({ status: 'available', version });
      expect(await attemptsOf(stage, north, names)).toEqual(names.map(() => 1));
      await north.delete(`/resources/crates/crate/${name}?force=true`);
    },
  );

  it('makes one of two resources ready whose provider answers with the same object', async () => {
    const { north } = stage;
    await declare(north, 'twin-one');
    await becomes(north, 'twin-one', 'ready');
    await declare(north, 'twin-two');
    expect(await becomes(north, 'twin-two', 'failed')).toMatchObject({
      reason: 'ObjectTaken',
      error: expect.stringContaining('crates/crate/twin-one'),
    });
    await north.delete('/resources/crates/crate/twin-two?force=true');
  });

  it('returns to the version before', async () => {
    const { north } = stage;
    expect((await north.post('/providers/crates/rollback', { version: good })).status).toBe(200);
    await serves(north, good);
  });

  it('removes the Secrets of a version together with its Build', async () => {
    const { at, north } = stage;
    const build = jobNameOf('crates', version);
    expect(await secretsOf(stage, north, build)).not.toEqual([]);
    await at.kubectl('delete', 'build.fairlead.dev', build, '--namespace', north.namespace);
    await eventually(async () => expect(await secretsOf(stage, north, build)).toEqual([]), 60_000);
  });
}

const providerOf = ({ namespace }: Tenant) =>
  ['provider.fairlead.dev', 'crates', '--namespace', namespace] as const;

interface Objects<T> {
  readonly items: readonly T[];
}

async function attemptsOf({ at }: Stage, { namespace }: Tenant, names: readonly string[]) {
  const text = await at.kubectl(
    'get',
    'resources.fairlead.dev',
    '-o',
    'json',
    '--namespace',
    namespace,
  );
  const { items } = JSON.parse(text) as Objects<{
    readonly spec: { readonly name: string };
    readonly status: { readonly event: { readonly attempt: number } };
  }>;
  return items
    .filter(({ spec }) => names.includes(spec.name))
    .map(({ status }) => status.event.attempt);
}

/** @returns the names of the Secrets that Kubernetes removes with a Build */
async function secretsOf({ at }: Stage, { namespace }: Tenant, build: string) {
  const text = await at.kubectl('get', 'secrets', '-o', 'json', '--namespace', namespace);
  const { items } = JSON.parse(text) as Objects<{
    readonly metadata: {
      readonly name: string;
      readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
    };
  }>;
  const isOwned = ({ metadata: { ownerReferences = [] } }: (typeof items)[number]) =>
    ownerReferences.some(({ kind, name }) => kind === 'Build' && name === build);
  return items.filter(isOwned).map(({ metadata }) => metadata.name);
}
