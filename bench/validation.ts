// What the API server spends on a create and on a status write of our kind, by what its definition validates. Each variant is a
// definition of its own group; every sample deletes its objects, as the cost grows with the heap. CPU time needs a quiet machine;
// allocated memory, which causes most of it, does not.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { keyOf, objectNameOf } from '../src/domain/identity.ts';
import { ownControlPlane } from '../test/support/servers/control-plane.ts';
import { cpuMs, inParallel } from './measure.ts';
import { type RawClient, rawClient } from './setup/raw.ts';
import { install, variantsOf } from './setup/validation-variants.ts';

/** Of the API server, for one write. */
export interface Cost {
  readonly cpuMs: number;
  /** Allocated memory. */
  readonly kib: number;
}

export interface WriteCost {
  readonly create: Cost;
  /** The mean of the two status writes of a lifecycle. */
  readonly status: Cost;
}

/** By variant: `schemaless`, `schema`, `all`, and `without <place of a rule>`. */
export type ValidationRound = Readonly<Record<string, WriteCost>>;

export interface ValidationOptions {
  readonly rounds: number;
  readonly say: (line: string) => void;
  /** Adds a variant for each rule, which lacks only that one. */
  readonly everyRule?: boolean;
}

export const objects = 200;
const width = 16;
const quietMs = 1_000;
/** Of a core: the API server has ended the work of the last sample. */
const quietShare = 0.1;
const maxPauses = 10;

/** Measures every variant twice per round, in order and in reverse, so that drift of the machine affects all alike. */
export async function measureValidation({
  rounds,
  say,
  everyRule = false,
}: ValidationOptions): Promise<readonly ValidationRound[]> {
  await using stack = new AsyncDisposableStack();
  const controlPlane = await ownControlPlane();
  stack.defer(() => controlPlane.stop());
  const raw = rawClient(controlPlane.kubeconfig);
  stack.defer(() => raw.close());
  const server = { raw, pid: apiServerPid(controlPlane.dataFolder) };
  const variants = [...variantsOf(everyRule)].map(([name, schema], at) => {
    return { name, group: `v${at}.bench.fairlead.dev`, schema };
  });
  for (const { group, schema } of variants) await install(raw, group, schema);
  // Warm-up: compiles the rules, and publishes the definitions to OpenAPI.
  for (const { group } of variants) await sample(server, group);
  const measured: ValidationRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    const costs = new Map<string, WriteCost[]>();
    for (const { name, group } of [...variants, ...variants.toReversed()]) {
      costs.set(name, [...(costs.get(name) ?? []), await sample(server, group)]);
    }
    const means = [...costs].map(([name, each]) => [name, meanOfWrites(each)]);
    measured.push(Object.fromEntries(means));
  }
  return measured;
}

function meanOfWrites(costs: readonly WriteCost[]): WriteCost {
  return {
    create: mean(costs.map(({ create }) => create)),
    status: mean(costs.map(({ status }) => status)),
  };
}

function mean(costs: readonly Cost[]): Cost {
  const of = (key: keyof Cost) => costs.reduce((sum, cost) => sum + cost[key], 0) / costs.length;
  return { cpuMs: of('cpuMs'), kib: of('kib') };
}

interface Server {
  readonly raw: RawClient;
  readonly pid: number;
}

interface Written {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** Creates objects, writes the status of each twice, as a lifecycle does, and deletes them. */
async function sample(server: Server, group: string): Promise<WriteCost> {
  const { raw } = server;
  const path = `/apis/${group}/v1alpha1/namespaces/default/resources`;
  let latest: Written['metadata'][] = [];
  const writeAll = (write: (index: number) => Promise<unknown>) => async () => {
    const next: Written['metadata'][] = [];
    await inParallel(objects, width, async (index) => {
      next[index] = ((await write(index)) as Written).metadata;
    });
    latest = next;
  };
  const writeStatus = (status: object) =>
    writeAll((index) => {
      const metadata = latest[index];
      const body = { apiVersion: `${group}/v1alpha1`, kind: 'Resource', metadata, status };
      return raw.send('PUT', `${path}/${metadata?.name}/status`, body);
    });
  const idle = await quietOf(server);
  const costOf = (work: () => Promise<void>) => costOfEach(server, idle, work);
  const create = await costOf(writeAll((index) => raw.send('POST', path, objectOf(group, index))));
  const claimed = await costOf(writeStatus(processing));
  const settled = await costOf(writeStatus(ready));
  await raw.send('DELETE', path);
  return { create, status: mean([claimed, settled]) };
}

interface Idle {
  /** The part of a core that the API server uses without requests. */
  readonly share: number;
  /** What reading its counter allocates. */
  readonly bytes: number;
}

async function costOfEach(
  { raw, pid }: Server,
  { share, bytes }: Idle,
  work: () => Promise<void>,
): Promise<Cost> {
  const allocated = await allocatedBytes(raw);
  const [cpu, start] = [cpuMs([pid]), performance.now()];
  await work();
  const ms = cpuMs([pid]) - cpu - share * (performance.now() - start);
  const kib = ((await allocatedBytes(raw)) - allocated - bytes) / 1_024;
  return { cpuMs: ms / objects, kib: kib / objects };
}

/** Waits until the API server is quiet. */
async function quietOf({ raw, pid }: Server): Promise<Idle> {
  let share = 1;
  for (let pauses = 0; pauses < maxPauses && share > quietShare; pauses += 1) {
    const [cpu, start] = [cpuMs([pid]), performance.now()];
    await pause(quietMs);
    share = (cpuMs([pid]) - cpu) / (performance.now() - start);
  }
  const first = await allocatedBytes(raw);
  return { share, bytes: (await allocatedBytes(raw)) - first };
}

async function allocatedBytes(raw: RawClient): Promise<number> {
  const [, value] = /^go_gc_heap_allocs_bytes_total (\S+)/m.exec(await raw.text('/metrics')) ?? [];
  if (value === undefined) throw new Error('the API server does not count allocated bytes');
  return Number(value);
}

function apiServerPid(dataFolder: string): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => {
      const [program = '', ...args] = commandOf(pid);
      return program.endsWith('kube-apiserver') && args.some((arg) => arg.includes(dataFolder));
    });
  if (found === undefined) throw new Error('This part needs /proc, and a kube-apiserver there');
  return Number(found);
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Of 550 bytes as JSON. */
const config = {
  name: 'orders',
  engine: { version: '17.2', parameters: { max_connections: 200, shared_buffers: '512MB' } },
  size: { cpu: 2, memory: '4Gi', disk: '100Gi', class: 'ssd' },
  backup: { enabled: true, schedule: '0 3 * * *', retention: 14, bucket: 'backups-eu-central-1' },
  users: [
    { name: 'app', grants: ['read', 'write'] },
    { name: 'report', grants: ['read'] },
  ],
  network: { private: true, allow: ['10.0.0.0/8', '192.168.0.0/16'], port: 5432 },
  note: 'x'.repeat(100),
};

function objectOf(group: string, index: number) {
  const tuple = { provider: 'postgres', resource: 'database', name: `orders-${index}` };
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Resource',
    metadata: {
      name: objectNameOf(keyOf(tuple)),
      labels: { 'fairlead.dev/provider': tuple.provider },
      annotations: { 'fairlead.dev/updated-at': '2026-11-22T00:00:00.000Z' },
    },
    spec: {
      ...tuple,
      project: 'default-0123456789ab',
      lifecycle: 'Committed',
      config,
      tags: ['production', 'eu'],
      dependencies: [{ provider: 'network', resource: 'vpc', name: 'main' }],
    },
  };
}

const time = '2026-11-22T00:00:00.000Z';
const event = {
  id: `evt-${'0'.repeat(32)}`,
  type: 'CREATE',
  generation: 1,
  content: '0'.repeat(32),
  declared: '0'.repeat(32),
  attempt: 1,
  sequence: 1,
  startedAt: time,
};

function condition(type: string, status: string) {
  const message = 'Sending the CREATE event to provider postgres';
  return {
    type,
    status,
    reason: 'Processing',
    message,
    lastTransitionTime: time,
    observedGeneration: 1,
  };
}

const processing = {
  state: 'processing',
  reason: 'Processing',
  observedGeneration: 1,
  content: '0'.repeat(32),
  updatedAt: time,
  event,
  conditions: [condition('Ready', 'False'), condition('Reconciling', 'True')],
};

const ready = {
  ...processing,
  state: 'ready',
  reason: 'Processed',
  outputs: { host: 'db.internal', port: 5432 },
  appliedConfig: config,
  conditions: [condition('Ready', 'True')],
};
