// Measures several controllers that share organizations by shards, all on this machine: what a lifecycle costs them together, whether
// every organization gets its share, and how soon the organizations of a killed controller progress again.
import { organizationOf } from '../src/domain/identity.ts';
import { leaseNameOf } from '../src/kube/leader/shard-leases.ts';
import { shardOf } from '../src/kube/leader/shards.ts';
import { eventually } from '../test/support/runner/eventually.ts';
import type { Replica } from '../test/support/servers/replica.ts';
import { cpuMs } from './measure.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import { createSubject, type Subject } from './setup/subject.ts';
import { throughFairlead } from './writes/lifecycle.ts';

export const counts = [1, 2, 3];
/** One for each remainder of 2 and of 3: every shard has as many as any other. */
const organizations = 6;
const perOrganization = 50;
/** Applies of each at once. */
const width = 8;
const rounds = 2;
const kills = 2;
export const leaseSeconds = 15;
/** Replicas even out their shards after two lease times. */
const evenMs = 90_000;

export interface ShardsRound {
  readonly perSecond: number;
  /** Of all controllers. */
  readonly cpuMsPerLifecycle: number;
  /** The time of the slowest organization, relative to that of the fastest. */
  readonly unfairness: number;
}

export interface ShardsMeasured {
  /** By number of controllers; the last one repeats the first, as a control. */
  readonly runs: readonly { readonly count: number; readonly rounds: readonly ShardsRound[] }[];
  /** Seconds from the kill of a controller until all of its organizations progress. */
  readonly takeovers: readonly number[];
}

export async function measureShards(say: (line: string) => void): Promise<ShardsMeasured> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const first = await startControllers(installation, 1);
  const api = installation.replica('api', { parts: ['api'] });
  await api.start();
  const subjects: Subject[] = [];
  for (const name of organizationNames(installation)) {
    const subject = await createSubject(installation.target(api), name);
    stack.defer(() => subject.close());
    subjects.push(subject);
  }
  await stop(first);
  const runs: ShardsMeasured['runs'][number][] = [];
  const takeovers: number[] = [];
  for (const count of [...counts, 1]) {
    say(`${count} controllers`);
    const controllers = await startControllers(installation, count);
    // As many lifecycles for each controller: new processes are slower.
    for (let round = 0; round < count; round += 1) await run(subjects, controllers, 'warm');
    const measured: ShardsRound[] = [];
    for (let round = 0; round < rounds; round += 1)
      measured.push(await run(subjects, controllers, `r${round}`));
    runs.push({ count, rounds: measured });
    if (count === Math.max(...counts))
      takeovers.push(...(await killSome(installation, controllers, { subjects, say })));
    await stop(controllers);
  }
  return { runs, takeovers };
}

/** Names whose namespaces are in different shards. */
function organizationNames({ issuer }: Installation): readonly string[] {
  const names = new Map<number, string>();
  for (let index = 0; names.size < organizations; index += 1) {
    const name = `org-${index}`;
    const { namespace } = organizationOf(issuer, name);
    const shard = shardOf(namespace, organizations);
    if (!names.has(shard)) names.set(shard, name);
  }
  return [...names.values()];
}

/** As many shards as controllers; resolves when each has its own. */
async function startControllers(
  installation: Installation,
  count: number,
): Promise<readonly Replica[]> {
  const controllers = Array.from({ length: count }, (_, index) =>
    installation.replica(`controller-${count}-${index}`, { parts: ['controller'], shards: count }),
  );
  await Promise.all(controllers.map((each) => each.start()));
  await eventually(async () => {
    const held = await holders(installation, count);
    if (controllers.some(({ identity }) => !held.includes(identity)))
      throw new Error(`the shards are led by ${held.join(', ')}`);
  }, evenMs);
  return controllers;
}

async function stop(controllers: readonly Replica[]): Promise<void> {
  await Promise.all(controllers.map((each) => each.drain()));
}

/** The identities that hold the Leases of the shards. */
async function holders({ raw, systemNamespace }: Installation, shards: number) {
  const folder = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`;
  const names = Array.from({ length: shards }, (_, shard) =>
    leaseNameOf('fairlead-controller', shard),
  );
  return await Promise.all(
    names.map(async (name) => {
      const lease = (await raw.send('GET', `${folder}/${name}`)) as {
        readonly spec: { readonly holderIdentity?: string };
      };
      return lease.spec.holderIdentity ?? '';
    }),
  );
}

let prefixes = 0;

/** Lifecycles of all organizations at once. */
async function run(
  subjects: readonly Subject[],
  controllers: readonly Replica[],
  label: string,
): Promise<ShardsRound> {
  prefixes += 1;
  const pids = controllers.flatMap(({ pid }) => pid ?? []);
  const before = cpuMs(pids);
  const startedAt = performance.now();
  const samples = await Promise.all(
    subjects.map((each) => throughFairlead(each, `${label}-${prefixes}-`, perOrganization, width)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const lifecycles = perOrganization * subjects.length;
  const speeds = samples.map(({ perSecond }) => perSecond);
  return {
    perSecond: lifecycles / seconds,
    cpuMsPerLifecycle: (cpuMs(pids) - before) / lifecycles,
    unfairness: Math.max(...speeds) / Math.min(...speeds),
  };
}

interface KillOptions {
  readonly subjects: readonly Subject[];
  readonly say: (line: string) => void;
}

/** Kills one after the other, and leaves the last. */
async function killSome(
  installation: Installation,
  controllers: readonly Replica[],
  { subjects, say }: KillOptions,
): Promise<readonly number[]> {
  const shards = controllers.length;
  const takeovers: number[] = [];
  for (const victim of controllers.slice(0, kills)) {
    const held = await holders(installation, shards);
    const affected = subjects.filter(
      ({ namespace }) => held[shardOf(namespace, shards)] === victim.identity,
    );
    say(`kill -9 of ${victim.identity}, which reconciles ${affected.length} organizations`);
    const startedAt = performance.now();
    await victim.kill();
    await Promise.all(affected.map((each) => throughFairlead(each, `kill-${victim.identity}-`, 1)));
    takeovers.push((performance.now() - startedAt) / 1_000);
  }
  return takeovers;
}
