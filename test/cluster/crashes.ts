// One event ends the process of its provider, and costs its deployment nothing; and what belongs to a version goes with its Build.
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

/** An end that nobody can trace: the process of the handler says nothing more. Two attempts prove that a culprit runs again. */
const deadly = crates('deadly', "if (call.name === 'deadly') process.abort();").replace(
  "description: 'A crate',",
  "description: 'A crate', retry: { attempts: 2 },",
);

export function crashes(stage: Stage): void {
  let version = '';

  it('finds the one event that ends the process, and makes ten beside it ready at their first attempt', async () => {
    const { at, north, report } = stage;
    const good = await at.read('{.spec.version}', ...providerOf(north));
    version = await built(at, north, deadly);
    await deployed(north, version);
    // Handlers of `many-…` run for five seconds.
    const names = Array.from({ length: 10 }, (_, index) => `many-beside-${index}`);
    const begun = performance.now();
    await Promise.all(['deadly', ...names].map((name) => declare(north, name)));
    for (const name of names) await becomes(north, name, 'ready', 240_000);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    report.fact(
      'Ten events of 5 s beside one that ends their process, until all are ready',
      `${seconds} s`,
    );
    await becomes(north, 'deadly', 'failed', 240_000);
    const { body } = await north.get('/resources/crates/crate/deadly');
    expect(body).toMatchObject({ error: expect.stringMatching(/^crashed: The process .*SIGABRT/) });
    const { body: deployment } = await north.get('/providers/crates/deployment');
    expect(deployment).toMatchObject({ status: 'available', version });
    expect(await attemptsOf(stage, north, names)).toEqual(names.map(() => 1));
    expect((await north.post('/providers/crates/rollback', { version: good })).status).toBe(200);
    await serves(north, good);
    await north.delete('/resources/crates/crate/deadly?force=true');
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
