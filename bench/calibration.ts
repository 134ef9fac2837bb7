// Measures what one operation costs every program of an installation: the figures on which the arithmetic of docs/scaling.md rests.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { Resource } from '../src/crds/resource.ts';
import { createKubeClient } from '../src/kube/client.ts';
import { loadCluster } from '../src/kube/config.ts';
import { createInformer } from '../src/kube/informer/informer.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import type { Replica } from '../test/support/servers/replica.ts';
import { cpuMs, inParallel } from './measure.ts';
import { copyResource } from './setup/copies.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import { createSubject, type Subject } from './setup/subject.ts';

const programs = ['api', 'spare', 'controller', 'kube-apiserver', 'etcd', 'bench'] as const;
type Program = (typeof programs)[number];

/** Milliseconds of CPU of each program for each lifecycle. `spare` is an API process that serves nobody. */
type LifecycleCosts = Readonly<Record<Program, number>>;

export interface Calibration {
  /** One for each number of requests at a time. */
  readonly lifecycles: readonly LifecycleCosts[];
  /** CPU of the API server for each watch and event. */
  readonly watcherMs: number;
  /** CPU for each listed resource, of the API server and of a process of Fairlead. */
  readonly listMs: number;
  readonly parseMs: number;
  /** Live memory of the API server for each resource, in bytes. */
  readonly apiServerBytes: number;
}

/** A lifecycle has three writes, and each watch receives three events. */
export const eventsOfLifecycle = 3;
/** Those of the API, its spare, the controller and this process. */
export const watchesOfResources = 4;

const perRound = 300;
const widths = [1, 4, 8, 32];
const listed = 5_000;
const moreWatches = 10;

export async function calibrate(say: (line: string) => void): Promise<Calibration> {
  await using installation = await openInstallation();
  const [api, spare, controller] = await started(installation);
  const subject = await createSubject(installation.target(api));
  const pids = pidsOf(installation, { api, spare, controller });
  const measure = (count: number, width: number) => lifecycles(subject, pids, { count, width });
  say('warms up');
  await measure(perRound, 32);
  await measure(perRound, 32);
  const measured: LifecycleCosts[] = [];
  for (const width of widths) {
    say(`${perRound} lifecycles, ${width} at a time`);
    measured.push(await measure(perRound, width));
  }
  say('watches');
  const watcherMs = await costOfWatches(subject, () => measure(perRound, 32));
  say(`${listed} resources`);
  const before = await liveBytes(installation);
  const tuple = { provider: 'noop', resource: 'thing', name: `round-${rounds}-0` };
  const { etcd, raw } = installation;
  await copyResource({ etcd, raw, namespace: subject.namespace, tuple }, { from: 0, to: listed });
  const after = await liveBytes(installation);
  const lists = await costOfLists(installation, pids['kube-apiserver']);
  await subject.close();
  return {
    lifecycles: measured,
    watcherMs,
    ...lists,
    apiServerBytes: (after - before) / listed,
  };
}

async function started(installation: Installation): Promise<readonly [Replica, Replica, Replica]> {
  const controller = installation.replica('controller', { parts: ['controller'] });
  const api = installation.replica('api', { parts: ['api'] });
  const spare = installation.replica('spare', { parts: ['api'] });
  for (const each of [controller, api, spare]) await each.start();
  return [api, spare, controller];
}

function pidsOf(
  { kubeconfig }: Installation,
  replicas: Readonly<Record<'api' | 'spare' | 'controller', Replica>>,
): Readonly<Record<Program, number>> {
  const { api, spare, controller } = replicas;
  const folder = dirname(kubeconfig);
  return {
    api: api.pid ?? 0,
    spare: spare.pid ?? 0,
    controller: controller.pid ?? 0,
    'kube-apiserver': pidOf('kube-apiserver', folder),
    etcd: pidOf('etcd', folder),
    bench: process.pid,
  };
}

/** The program of this installation, not that of another one. */
function pidOf(program: string, folder: string): number {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const own = lines.find((line) => {
    const [, command = ''] = line.trim().split(/\s+/);
    return command.endsWith(`/${program}`) && line.includes(folder);
  });
  if (own === undefined) throw new Error(`no ${program} of ${folder} runs`);
  return Number.parseInt(own, 10);
}

let rounds = 0;

async function lifecycles(
  subject: Subject,
  pids: Readonly<Record<Program, number>>,
  { count, width }: { readonly count: number; readonly width: number },
): Promise<LifecycleCosts> {
  rounds += 1;
  const prefix = `round-${rounds}-`;
  const ready = new Set<string>();
  const all = Promise.withResolvers<void>();
  const watch = await subject.raw.watch(subject.path, ({ spec, status }) => {
    if (!spec.name.startsWith(prefix) || status?.state !== 'ready') return;
    ready.add(spec.name);
    if (ready.size === count) all.resolve();
  });
  const cpu = () => programs.map((program) => cpuMs([pids[program]]));
  const before = cpu();
  await inParallel(count, width, (index) => subject.apply(`${prefix}${index}`));
  await all.promise;
  const used = cpu().map((ms, at) => ms - (before[at] ?? 0));
  watch.stop();
  return Object.fromEntries(
    programs.map((program, at) => [program, (used[at] ?? 0) / count]),
  ) as LifecycleCosts;
}

async function costOfWatches(
  { raw, path }: Subject,
  measure: () => Promise<LifecycleCosts>,
): Promise<number> {
  const few = await measure();
  const watches = await Promise.all(
    Array.from({ length: moreWatches }, () => raw.watch(path, () => undefined)),
  );
  const many = await measure();
  for (const watch of watches) watch.stop();
  const more = many['kube-apiserver'] - few['kube-apiserver'];
  return Math.max(0, more) / (moreWatches * eventsOfLifecycle);
}

async function costOfLists(
  { kubeconfig }: Installation,
  apiServer: number,
): Promise<Pick<Calibration, 'listMs' | 'parseMs'>> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  const [serverBefore, before] = [cpuMs([apiServer]), cpuMs([process.pid])];
  const informer = createInformer({
    client,
    kind: Resource,
    clock: systemClock,
    log: silentLog,
    random: Math.random,
  });
  await informer.start();
  const count = informer.size;
  const [served, parsed] = [cpuMs([apiServer]) - serverBefore, cpuMs([process.pid]) - before];
  await informer.stop();
  await client.close();
  return { listMs: served / count, parseMs: parsed / count };
}

/** After a garbage collection of the API server. */
async function liveBytes({ raw }: Installation): Promise<number> {
  const profile = await raw.text('/debug/pprof/heap?gc=1&debug=1');
  const [, bytes] = /^# HeapAlloc = (\d+)$/m.exec(profile) ?? [];
  return Number(bytes);
}
