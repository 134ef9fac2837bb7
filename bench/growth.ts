// Measures the cost of a lifecycle with many ready resources: a small and a large installation, measured in turns, so that drift
// of the machine affects both equally.
import { throughFairlead } from './lifecycle.ts';
import { type Subject, startSubject } from './subject.ts';

/** Number of ready resources of 1.5 KB in the installation during the measurement. */
const small = 1_000;
const large = 10_000;

const perRound = 300;

export interface GrowthRound {
  readonly smallPerSecond: number;
  readonly largePerSecond: number;
  /** Share of the CPU time of the large API server. */
  readonly collectorShare: number;
}

export async function measureGrowth(rounds: number): Promise<readonly GrowthRound[]> {
  await using stack = new AsyncDisposableStack();
  const few = await startSubject();
  stack.defer(() => few.close());
  const many = await startSubject();
  stack.defer(() => many.close());
  await throughFairlead(few, 'fill-', small);
  await throughFairlead(many, 'fill-', large);
  const measured: GrowthRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await throughFairlead(few, `a${round}-`, perRound);
    const before = await collectorTime(many);
    const one = await throughFairlead(many, `b${round}-`, perRound);
    const two = await throughFairlead(many, `c${round}-`, perRound);
    const after = await collectorTime(many);
    const last = await throughFairlead(few, `d${round}-`, perRound);
    measured.push({
      smallPerSecond: (first.perSecond + last.perSecond) / 2,
      largePerSecond: (one.perSecond + two.perSecond) / 2,
      collectorShare: (after.collector - before.collector) / (after.busy - before.busy),
    });
  }
  return measured;
}

/** Seconds of CPU time as the Go runtime of the API server counts them. */
async function collectorTime({ raw }: Subject): Promise<{ collector: number; busy: number }> {
  const metrics = await raw.text('/metrics');
  const seconds = (name: string) => {
    const line = metrics.split('\n').find((each) => each.startsWith(`go_cpu_classes_${name} `));
    if (line === undefined) throw new Error(`the API server has no metric go_cpu_classes_${name}`);
    return Number(line.split(' ')[1]);
  };
  const idle = seconds('idle_cpu_seconds_total');
  return {
    collector: seconds('gc_total_cpu_seconds_total'),
    busy: seconds('total_cpu_seconds_total') - idle,
  };
}
