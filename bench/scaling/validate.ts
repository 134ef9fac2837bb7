// Compares the model with the real installation on this machine: from the CPU time of each program, and the waiting time of a single
// apply, it must predict how many lifecycles a second are done when many are under way.
import { noRates } from '../../src/http/limits/rate-limit.ts';
import { median } from '../measure.ts';
import type { Calibration, Lifecycles } from './calibrate.ts';
import { applyRange, createCluster, divideEvenly } from './cluster.ts';
import { type Costs, measured } from './figures.ts';

export interface Comparison {
  readonly width: number;
  readonly measured: number;
  readonly predicted: number;
}

const count = 300;

/** @returns the widths from which no figure was taken */
export async function compare(calibration: Calibration): Promise<readonly Comparison[]> {
  const costs = costsOf(calibration);
  const wider = calibration.lifecycles.filter(({ width }) => width > 1);
  const comparisons: Comparison[] = [];
  for (const { width, perSecond, others } of wider) {
    const { processors } = calibration;
    const predicted = await predict(slowed(costs, processors / (processors - others)), {
      width,
      processors,
    });
    comparisons.push({ width, measured: perSecond, predicted });
  }
  return comparisons;
}

async function predict(
  costs: Costs,
  { width, processors }: { readonly width: number; readonly processors: number },
): Promise<number> {
  const cluster = createCluster({
    sizes: [count],
    costs,
    processors,
    isOneMachine: true,
    apiReplicas: 1,
    spareReplicas: 1,
    controllerReplicas: 1,
    shards: 1,
    rates: noRates,
    resolutionMs: 0,
  });
  divideEvenly(cluster, 1);
  applyRange(cluster, 0, count, width);
  await cluster.time.runUntil(() => cluster.ready === count);
  return (count * 1_000) / cluster.time.now;
}

/** The figures of this machine, in the shape of those of the model. */
export function costsOf({ lifecycles, watcherMs, listMs, parseMs }: Calibration): Costs {
  const cpu = (program: keyof Lifecycles['cpuMs']) =>
    median(lifecycles.map(({ cpuMs }) => cpuMs[program]));
  const perEvent = cpu('spare') / events;
  // The watches of api, spare, controller and bench are part of what a write costs here.
  const writesMs = Math.max(0, cpu('kube-apiserver') - events * 4 * watcherMs);
  const share = writesMs / (measured.createMs + 2 * measured.statusMs);
  const costs = {
    ...measured,
    createMs: share * measured.createMs,
    statusMs: share * measured.statusMs,
    listMs,
    parseMs,
    watcherMs,
    etcdMs: cpu('etcd') / events,
    applyMs: Math.max(0, cpu('api') - cpu('spare')),
    lifecycleMs: Math.max(0, cpu('controller') - cpu('spare')),
    eventMs: perEvent,
    clientMs: cpu('bench'),
    networkMs: 0.5,
    answerMs: 1,
    answerSpread: 0,
  };
  return { ...costs, commitMs: waitOf(costs, lifecycles) };
}

/** Three writes, and three events at each watch. */
const events = 3;

/** What a single apply waits for besides computing: the disk of etcd, and everything else that is no CPU time. */
function waitOf(costs: Costs, lifecycles: readonly Lifecycles[]): number {
  const alone = lifecycles.find(({ width }) => width === 1)?.applyMs ?? Number.NaN;
  const { clientMs, applyMs, createMs, etcdMs, networkMs } = costs;
  return Math.max(0.5, alone - clientMs - applyMs - createMs - etcdMs - 2 * networkMs);
}

/** On a machine on which others compute too, everything takes longer. */
function slowed(costs: Costs, factor: number): Costs {
  const { answerSpread, ...times } = costs;
  const slower = Object.fromEntries(
    Object.entries(times).map(([name, ms]) => [name, ms * factor]),
  ) as Omit<Costs, 'answerSpread'>;
  return { ...slower, answerSpread };
}
