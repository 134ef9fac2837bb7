import { type Figure, figure, type Part, type Plot } from '../report/figures.ts';
import { counts, leaseSeconds, measureShards, type ShardsMeasured } from '../shards.ts';

const most = Math.max(...counts);

export const shards: Part = {
  name: 'shards',
  title: 'Shards',
  about: `Lifecycles of six organizations at once with one, two and ${most} controllers of as many shards, all on this machine: more controllers
cannot be faster here, but their cost and their fairness show. Then controllers are killed (\`kill -9\`) one after the other; the time until the
organizations of each are reconciled again is compared with the lease time of ${leaseSeconds} seconds.`,
  notes: {
    'CPU per lifecycle, 3 controllers to one': `Each controller watches all resources, so that it can take over a shard at once, and parses the events of the
others: 0.25 CPU-ms for each event, three or more for each lifecycle.`,
  },
  async run({ say }) {
    const measured = await measureShards(say);
    return { figures: figuresOf(measured), plots: [plotOf(measured)] };
  },
};

function figuresOf({ runs, takeovers }: ShardsMeasured): readonly Figure[] {
  const of = (index: number, key: 'cpuMsPerLifecycle' | 'perSecond' | 'unfairness') =>
    runs.at(index)?.rounds.map((round) => round[key]) ?? [];
  const one = of(0, 'cpuMsPerLifecycle');
  const again = of(-1, 'cpuMsPerLifecycle');
  const all = of(-2, 'cpuMsPerLifecycle');
  return [
    figure(
      `CPU per lifecycle, ${most} controllers to one`,
      'ratio',
      all.map((value, round) => (2 * value) / ((one[round] ?? 0) + (again[round] ?? 0))),
      { atMost: 1.5, source: 'each watches everything' },
    ),
    figure(
      'A/A control, one controller at the end to one at the start',
      'ratio',
      again.map((value, round) => value / (one[round] ?? Number.NaN)),
      { between: [0.9, 1.1], source: 'else the machine is too unsteady' },
    ),
    figure(
      `The slowest to the fastest organization, ${most} controllers`,
      'ratio',
      of(-2, 'unfairness'),
      {
        atMost: 1.5,
        source: 'shards are equal',
      },
    ),
    figure(
      'Reconciled again after a kill -9, ratio to the lease time',
      'ratio',
      takeovers.map((seconds) => seconds / leaseSeconds),
      { atMost: 1.2, source: 'caches are full already' },
    ),
    ...runs
      .slice(0, counts.length)
      .flatMap(({ count }, index) => [
        figure(
          `CPU per lifecycle, controllers: ${count}`,
          'CPU-ms',
          of(index, 'cpuMsPerLifecycle'),
        ),
        figure(`Throughput, controllers: ${count}`, 'resources/s', of(index, 'perSecond')),
      ]),
  ];
}

function plotOf({ runs }: ShardsMeasured): Plot {
  return {
    file: 'shards-cpu',
    title: 'CPU of all controllers per lifecycle',
    x: { label: 'controllers, with a shard each', ticks: counts },
    y: { label: 'CPU-ms' },
    series: [
      {
        name: 'Fairlead',
        points: runs.slice(0, counts.length).map(({ count, rounds }) => ({
          x: count,
          values: rounds.map(({ cpuMsPerLifecycle }) => cpuMsPerLifecycle),
        })),
      },
    ],
  };
}
