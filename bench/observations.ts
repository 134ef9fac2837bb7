// Measures observations of many resources: the CPU time of one, and the lifecycles of others beside them. All are observed within a
// tenth of the interval, so the provider of the observed ones has a name whose tenth comes when it is measured.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { definitionNameOf } from '../src/domain/identity.ts';
import { windowEndAfter } from '../src/domain/observation/schedule.ts';
import { cpuMs } from './measure.ts';
import { countWrites, totalOf, writesSince } from './setup/api-server-metrics.ts';
import { copyResource } from './setup/copies.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import type { RawClient } from './setup/raw.ts';
import { startReplica } from './setup/start.ts';
import { configOf, createSubject, type Subject } from './setup/subject.ts';
import { throughFairlead } from './writes/lifecycle.ts';

export const resources = 10_000;
const hourMs = 3_600_000;
const windowMs = hourMs / 10;
/** From the choice of the provider to the lifecycles: filling, the start of a replica, and what one observation costs. */
const preparingMs = 240_000;
const costRounds = 3;
const costMs = 60_000;
/** Every resource is passed once after a change of its type. */
const settleMs = 4_000;
const rounds = 5;
const minRounds = 3;
const perRound = 500;

export interface Cost {
  /** Milliseconds of CPU for one observation, without what the process takes idle. */
  readonly cpuMs: readonly number[];
  /** Writes while everything was observed. */
  readonly writes: number;
}

/** One value a round. */
export interface Beside {
  /** Lifecycles with observations to those without. */
  readonly ratios: number[];
  /** Without to without. */
  readonly controls: number[];
  readonly withThem: number[];
  readonly without: number[];
  /** Observations a second during the lifecycles. */
  readonly observations: number[];
}

export interface Measured {
  readonly cost: Cost;
  readonly beside: Beside;
}

type Say = (line: string) => void;

export async function measureObservations(say: Say): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const observed = await startObserved();
  stack.defer(() => observed.close());
  const replica = installation.replica('only');
  await replica.start();
  const first = await createSubject(installation.target(replica));
  const { namespace } = first;
  await first.close();
  const { provider, beginsAt } = nextWindow(namespace, Date.now() + preparingMs);
  say(`the window of ${provider} begins at ${new Date(beginsAt).toISOString()}`);
  const type = await fill(installation, {
    url: replica.url,
    namespace,
    provider,
    endpoint: observed.url,
  });
  await replica.drain();
  const original = { etcd: installation.etcd, raw: installation.raw, namespace };
  const tuple = { provider, resource: 'thing', name: 'original' };
  await copyResource({ ...original, tuple }, { from: 1, to: resources });
  await startReplica(replica, resources);
  const subject = await createSubject(installation.target(replica), 'lifecycles');
  stack.defer(() => subject.close());
  const cost = await measureCost({ subject, type, observed }, say);
  say(`waits ${Math.max(0, Math.round((beginsAt - Date.now()) / 1_000))} s for the window`);
  await pause(Math.max(0, beginsAt - Date.now()));
  const beside = await measureBeside({ subject, type, observed, endsAt: beginsAt + windowMs }, say);
  return { cost, beside };
}

/** @returns a provider whose resources are observed, every hour, from soon after a time on */
function nextWindow(namespace: string, after: number) {
  for (let index = 0; ; index += 1) {
    const provider = `seen-${index}`;
    const of = { provider: `${namespace}/${provider}`, everyMs: hourMs };
    const beginsAt = windowEndAfter(of, after + windowMs) - windowMs;
    if (beginsAt - after < 15_000) return { provider, beginsAt };
  }
}

/** The type of what is observed, and how often. */
interface ObservedType {
  observe(every: string | undefined): Promise<void>;
}

interface Filling {
  readonly url: string;
  readonly namespace: string;
  readonly provider: string;
  readonly endpoint: string;
}

/** Registers the type, and makes its first resource. */
async function fill(
  { raw, token }: Installation,
  { url, namespace, provider, endpoint }: Filling,
): Promise<ObservedType> {
  const headers = {
    authorization: `Bearer ${await token('bench')}`,
    'content-type': 'application/json',
  };
  const ask = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  const group = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}`;
  const properties = { name: { type: 'string' }, note: { type: 'string' } };
  const schema = { type: 'object', properties };
  await ask('/resources/register', { provider, resource: 'thing', description: '', schema });
  await raw.send('POST', `${group}/providers`, {
    ...{ apiVersion: 'fairlead.dev/v1alpha1', kind: 'Provider' },
    metadata: { name: provider, namespace },
    spec: { provider, endpoint },
  });
  const tuple = { provider, resource: 'thing', name: 'original' };
  const config = configOf('original');
  await ask('/resources/apply', { ...tuple, config, lifecycle_state: 'pending' });
  await readyAt(raw, group);
  const path = `${group}/resourcedefinitions/${definitionNameOf(provider, 'thing')}`;
  return {
    async observe(every) {
      const before = (await raw.send('GET', path)) as { readonly spec: object };
      const { spec, ...definition } = before;
      const isObserved = every !== undefined;
      await raw.send('PUT', path, {
        ...definition,
        spec: { ...spec, observe: isObserved, observeEvery: every ?? '1h' },
      });
      await pause(settleMs);
    },
  };
}

async function readyAt(raw: RawClient, group: string): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const watch = await raw.watch(`${group}/resources`, ({ status }) => {
    if (status?.state === 'ready') ready.resolve();
  });
  const list = (await raw.send('GET', `${group}/resources`)) as {
    readonly items: readonly { readonly status?: { readonly state?: string } }[];
  };
  if (list.items.some(({ status }) => status?.state === 'ready')) ready.resolve();
  await ready.promise;
  watch.stop();
}

interface Observed {
  readonly url: string;
  /** Observations so far. */
  readonly count: number;
  close(): void;
}

/** A provider on loopback whose objects are always as declared. */
async function startObserved(): Promise<Observed> {
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { config, event_type: type } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly config: object;
        readonly event_type: string;
      };
      if (type === 'OBSERVE') count += 1;
      const answer =
        type === 'OBSERVE'
          ? { exists: true, config, outputs: { ok: true } }
          : { outputs: { ok: true } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    get count() {
      return count;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface World {
  readonly subject: Subject;
  readonly type: ObservedType;
  readonly observed: Observed;
}

/** With the shortest interval, all are observed in each minute. */
async function measureCost({ subject, type, observed }: World, say: Say): Promise<Cost> {
  const during = async () => {
    const [before, seen] = [cpuMs(subject.pids()), observed.count];
    await pause(costMs);
    return { cpu: cpuMs(subject.pids()) - before, seen: observed.count - seen };
  };
  say('CPU time without observations');
  const idle = await during();
  if (idle.seen > 0) throw new Error('something was observed without a handler');
  await type.observe('1m');
  const writesBefore = await countWrites(subject.raw);
  const values: number[] = [];
  for (let round = 0; round < costRounds; round += 1) {
    const { cpu, seen } = await during();
    say(`round ${round + 1} of ${costRounds}: ${seen} observations, ${Math.round(cpu)} CPU-ms`);
    values.push((cpu - idle.cpu) / seen);
  }
  // Turning them off is the next write.
  const writes = totalOf(writesSince(writesBefore, await countWrites(subject.raw)));
  await type.observe(undefined);
  return { cpuMs: values, writes };
}

async function measureBeside(
  { subject, type, observed, endsAt }: World & { readonly endsAt: number },
  say: Say,
): Promise<Beside> {
  const all: Beside = { ratios: [], controls: [], withThem: [], without: [], observations: [] };
  await throughFairlead(subject, 'warm-', perRound);
  const run = async (prefix: string) => {
    const [began, seen] = [performance.now(), observed.count];
    const { perSecond } = await throughFairlead(subject, prefix, perRound);
    const seconds = (performance.now() - began) / 1_000;
    return { perSecond, observations: (observed.count - seen) / seconds };
  };
  let tookMs = 0;
  for (let round = 0; round < rounds && Date.now() + tookMs < endsAt; round += 1) {
    say(`lifecycles, round ${round + 1} of ${rounds}`);
    const beganAt = Date.now();
    // ABBA: drift of the machine within a round affects both sides equally.
    const first = await run(`a${round}-`);
    await type.observe('1h');
    const one = await run(`b${round}-`);
    const two = await run(`c${round}-`);
    await type.observe(undefined);
    const last = await run(`d${round}-`);
    tookMs = Date.now() - beganAt;
    if (first.observations + last.observations > 0) throw new Error('observed without a handler');
    // On a slow machine: the rest of it was without observations.
    if (Date.now() > endsAt) break;
    const without = first.perSecond + last.perSecond;
    all.ratios.push((one.perSecond + two.perSecond) / without);
    all.controls.push(last.perSecond / first.perSecond);
    all.withThem.push(one.perSecond, two.perSecond);
    all.without.push(first.perSecond, last.perSecond);
    all.observations.push(one.observations, two.observations);
  }
  if (all.ratios.length < minRounds) throw new Error('the window ended before enough rounds');
  return all;
}
