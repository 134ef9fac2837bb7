import { median } from '../measure.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';
import { figuresOfModel } from '../scaling/figures-of-model.ts';
import {
  balancePlot,
  burstPlot,
  failoverPlot,
  floodCountPlot,
  floodSizePlot,
  leasePlot,
  relistPlot,
} from '../scaling/plots.ts';
import type { Comparison } from '../scaling/validate.ts';
import {
  balances,
  type Failovers,
  type FloodSizes,
  shardCounts,
  simulateAllRelists,
  simulateBursts,
  simulateFailovers,
  simulateFloodCounts,
  simulateFloodSizes,
  validate,
} from '../scaling.ts';

export const scaling: Part = {
  name: 'scaling',
  title: 'Scaling',
  about: `The simulation of [Scaling](scaling.md), on virtual time: the real queue, workers, rate limiter, limiter of providers, shards and Leases
against a modelled API server. Its plots are on that page. The figures of the model are measured here again; the model must predict from
the CPU time of each program how many lifecycles a second this machine does.`,
  async run({ say }) {
    const { calibration, comparisons } = await validate(say);
    const bursts = await simulateBursts(say);
    const memoryMiB = process.resourceUsage().maxRSS / 1_024;
    const sizes = await simulateFloodSizes(say);
    const counts = await simulateFloodCounts(say);
    const failovers = await simulateFailovers(say);
    const relists = await simulateAllRelists(say);
    return {
      figures: [
        ...comparisons.map(predictionFigure),
        fairnessFigure(sizes),
        failoverFigure(failovers),
        balanceFigure(),
        figure('Memory of the simulation of a million resources', 'MiB', [memoryMiB], {
          atMost: 4_096,
          source: 'runs on any machine',
        }),
        ...figuresOfModel(calibration),
      ],
      plots: [
        burstPlot(bursts),
        floodSizePlot(sizes),
        floodCountPlot(counts),
        balancePlot(),
        failoverPlot(failovers),
        leasePlot(failovers),
        relistPlot(relists),
      ],
    };
  },
};

function predictionFigure({ width, measured, predicted }: Comparison): Figure {
  const name = `Predicted lifecycles a second, ${width} at a time, to measured`;
  return figure(name, 'ratio', [predicted / measured], {
    between: [0.7, 1.4],
    source: 'else the model leaves something out',
  });
}

function fairnessFigure({ fair, oneGroup }: FloodSizes): Figure {
  const [ours, other] = [fair.at(-1), oneGroup.at(-1)];
  const ratio = (ours?.p99Seconds ?? Number.NaN) / (other?.p99Seconds ?? Number.NaN);
  return figure('p99 beside a flood, ratio to a queue of one group', 'ratio', [ratio], {
    atMost: 0.1,
    source: 'organizations take turns',
  });
}

function failoverFigure(failovers: Failovers): Figure {
  const gaps = [...failovers.values()].flatMap((byShards) => [...byShards.values()].flat());
  const longest = gaps.map((each) => Math.max(...each.gaps));
  return figure('Longest pause after a replica was killed', 's', [Math.max(...longest)], {
    atMost: 20,
    source: 'the lease time and one look',
  });
}

function balanceFigure(): Figure {
  const most = balances(4).find(({ shards }) => shards === shardCounts.at(-1));
  const name = `The fullest of 4 replicas, ${most?.shards} shards, organizations to the mean`;
  return figure(name, 'ratio', [median(most?.organizations ?? [])], {
    atMost: 1.1,
    source: 'the hash is even',
  });
}
