// Measures what grows with the number of ready resources: the start of a process, its memory, a page, a lifecycle. A second
// installation stays small, and is measured in turns with the growing one, so that drift of the machine affects both.

import { residentMiB } from './measure.ts';
import { type Pages, pagesOf } from './pages.ts';
import { collectorTime, countWrites, totalOf, writesSince } from './setup/api-server-metrics.ts';
import { copyResource } from './setup/copies.ts';
import { openInstallation } from './setup/installation.ts';
import type { RawClient } from './setup/raw.ts';
import { type Start, startBare, startReplica } from './setup/start.ts';
import { createSubject } from './setup/subject.ts';
import { type Sample, throughFairlead } from './writes/lifecycle.ts';

export const sizes = [1_000, 5_000, 10_000, 20_000];
const [small = 0] = sizes;
const startRounds = 2;
const perRound = 150;

export interface Starts {
  readonly ours: readonly Start[];
  readonly bare: readonly Start[];
  /** Writes to Fairlead's kinds during all of them. */
  readonly writes: number;
}

/** Values of both installations, in turns. */
export interface Turns<T> {
  readonly small: readonly T[];
  readonly grown: readonly T[];
}

export interface AtSize {
  readonly size: number;
  readonly starts: Starts;
  /** Resident memory after each start. */
  readonly memoryMiB: readonly number[];
  /** Milliseconds. */
  readonly page: Turns<number>;
  readonly lifecycles: Turns<Sample>;
  /** Share of the garbage collector in the CPU time of the API server. */
  readonly collectorShare: number;
}

export async function measureScale(say: (line: string) => void): Promise<readonly AtSize[]> {
  await using stack = new AsyncDisposableStack();
  const control = await startGrowing(stack);
  await control.stop();
  await control.grow(small);
  await control.start();
  const growing = await startGrowing(stack);
  const measured: AtSize[] = [];
  for (const size of sizes) {
    say(`${size} resources`);
    await growing.stop();
    await growing.grow(size);
    measured.push(await measureAt(size, growing, control));
  }
  return measured;
}

async function measureAt(size: number, growing: Growing, control: Growing): Promise<AtSize> {
  const started = await measureStarts(growing);
  // Its process is new, that of the control is not.
  await growing.run();
  const page = await inTurns(control, growing, (each) => each.pages.middle());
  const before = await collectorTime(growing.raw);
  const lifecycles = await inTurns(control, growing, (each) => each.run());
  const after = await collectorTime(growing.raw);
  const collectorShare = (after.collector - before.collector) / (after.busy - before.busy);
  return { size, ...started, page, lifecycles, collectorShare };
}

/** The replica runs afterwards. */
async function measureStarts(growing: Growing): Promise<Pick<AtSize, 'starts' | 'memoryMiB'>> {
  const ours: Start[] = [];
  const bare: Start[] = [];
  const memoryMiB: number[] = [];
  const before = await countWrites(growing.raw);
  for (let round = 0; round < startRounds; round += 1) {
    await growing.stop();
    bare.push(await startBare(growing.kubeconfig));
    ours.push(await growing.start());
    memoryMiB.push(growing.residentMiB());
  }
  const writes = totalOf(writesSince(before, await countWrites(growing.raw)));
  return { starts: { ours, bare, writes }, memoryMiB };
}

/** Small, grown, grown, small. */
async function inTurns<T>(
  control: Growing,
  growing: Growing,
  measure: (each: Growing) => Promise<T>,
): Promise<Turns<T>> {
  const turns = { small: [] as T[], grown: [] as T[] };
  turns.small.push(await measure(control));
  turns.grown.push(await measure(growing), await measure(growing));
  turns.small.push(await measure(control));
  return turns;
}

/** An installation with one organization and one service replica. */
interface Growing {
  readonly kubeconfig: string;
  readonly raw: RawClient;
  readonly pages: Pages;
  /** To so many resources, while the replica does not run. */
  grow(size: number): Promise<void>;
  start(): Promise<Start>;
  stop(): Promise<void>;
  residentMiB(): number;
  /** Lifecycles of new resources. */
  run(): Promise<Sample>;
}

async function startGrowing(stack: AsyncDisposableStack): Promise<Growing> {
  const { kubeconfig, raw, etcd, ...installation } = stack.use(await openInstallation());
  const replica = installation.replica('only');
  await replica.start();
  const subject = await createSubject(installation.target(replica));
  stack.defer(() => subject.close());
  const { namespace, token } = subject;
  await throughFairlead(subject, 'original-', 1);
  const tuple = { provider: 'noop', resource: 'thing', name: 'original-0' };
  let count = 1;
  let runs = 0;
  return {
    kubeconfig,
    raw,
    pages: pagesOf({ url: replica.url, token }),
    async grow(size) {
      const copies = { from: count, to: Math.max(count, size) };
      await copyResource({ etcd, raw, namespace, tuple }, copies);
      count = copies.to;
    },
    start: () => startReplica(replica, count),
    stop: async () => {
      await replica.drain();
    },
    residentMiB: () => residentMiB(replica.pid),
    async run() {
      runs += 1;
      const sample = await throughFairlead(subject, `run-${runs}-`, perRound);
      count += perRound;
      return sample;
    },
  };
}
