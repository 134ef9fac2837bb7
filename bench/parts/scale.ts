import {
  type Figure,
  figure,
  type Measured,
  type Part,
  type Plot,
  shown,
} from '../report/figures.ts';
import { type AtSize, measureScale, sizes, type Turns } from '../scale.ts';

const [small = 0] = sizes;
const large = sizes.at(-1) ?? 0;
/** From where on the start of Node.js and of the control loops is small beside the list. */
const startGoalFrom = 10_000;
const pageFigure = `A page of 50, beside ${shown(large)} to ${shown(small)}`;

export const scale: Part = {
  name: 'scale',
  title: 'Scale',
  about: `One process with API and controller beside ${shown(small)} to ${shown(large)} ready resources of 1.5 KB. Its start lasts until its caches
are complete and every resource has been reconciled once; the bare process lists and parses the same resources, also from the start of
Node.js on. Page and lifecycles are measured in turns with an installation that stays at ${shown(small)}.`,
  notes: {
    [pageFigure]: 'See [reads](#reads): the page of a bare client grows more.',
  },
  run: async ({ say }) => measuredOf(await measureScale(say)),
};

function measuredOf(all: readonly AtSize[]): Measured {
  return {
    figures: [...startFigures(all), ...sideFigures(all)],
    plots: [startPlot(all), memoryPlot(all), pagePlot(all), lifecyclePlot(all)],
  };
}

function startFigures(all: readonly AtSize[]): readonly Figure[] {
  const ratios = all.map(({ size, starts: { ours, bare } }) => {
    const values = ours.map(({ seconds }, round) => seconds / (bare[round]?.seconds ?? Number.NaN));
    const name = `Start with ${shown(size)}, ratio to a raw list and parse`;
    return size < startGoalFrom
      ? figure(name, 'ratio', values)
      : figure(name, 'ratio', values, { atMost: 2, source: 'one list, one parse, one pass' });
  });
  const cpu = all
    .filter(({ size }) => size >= startGoalFrom)
    .map(({ size, starts: { ours, bare } }) =>
      figure(
        `CPU of the start with ${shown(size)}, ratio to a raw list and parse`,
        'ratio',
        ours.map(({ cpuSeconds }, round) => cpuSeconds / (bare[round]?.cpuSeconds ?? Number.NaN)),
      ),
    );
  const writes = all.reduce((sum, { starts }) => sum + starts.writes, 0);
  return [
    figure('Writes during all starts', 'requests', [writes], {
      exactly: 0,
      source: 'settled resources need nothing',
    }),
    ...ratios,
    ...cpu,
  ];
}

function sideFigures(all: readonly AtSize[]): readonly Figure[] {
  const last = all.at(-1);
  if (last === undefined) return [];
  const { page, lifecycles, memoryMiB, collectorShare } = last;
  const perSecond = {
    small: lifecycles.small.map((sample) => sample.perSecond),
    grown: lifecycles.grown.map((sample) => sample.perSecond),
  };
  const cpuMs = {
    small: lifecycles.small.map((sample) => sample.cpuMsPerResource),
    grown: lifecycles.grown.map((sample) => sample.cpuMsPerResource),
  };
  const name = `${shown(large)} to ${shown(small)}`;
  return [
    figure(pageFigure, 'ratio', ratiosOf(page), {
      atMost: 1.3,
      source: 'a page costs what it returns',
    }),
    figure(`Lifecycles a second, beside ${name}`, 'ratio', ratiosOf(perSecond), {
      atLeast: 0.8,
      source: 'others do not slow it down',
    }),
    figure(`CPU per lifecycle, beside ${name}`, 'ratio', ratiosOf(cpuMs), {
      atMost: 1.2,
      source: 'nothing is scanned',
    }),
    figure('Garbage collection in the CPU of the API server', 'share', [collectorShare], {
      atMost: 0.25,
      source: 'it has the memory it needs',
    }),
    figure(`Memory of the process with ${shown(large)}`, 'MiB', memoryMiB),
  ];
}

/** Pairs from outside and from inside of a round of small, grown, grown, small. */
function ratiosOf({ small: few, grown: many }: Turns<number>): readonly number[] {
  return many.map((value, index) => value / (few[index] ?? Number.NaN));
}

const x = { label: 'ready resources' };

function startPlot(all: readonly AtSize[]): Plot {
  const series = (name: string, side: 'ours' | 'bare') => ({
    name,
    points: all.map(({ size, starts }) => ({
      x: size,
      values: starts[side].map(({ seconds }) => seconds),
    })),
  });
  return {
    file: 'scale-start',
    title: 'Start of a process',
    x,
    y: { label: 'seconds' },
    series: [
      series('Fairlead: every resource reconciled', 'ours'),
      series('raw list and parse', 'bare'),
    ],
  };
}

function memoryPlot(all: readonly AtSize[]): Plot {
  return {
    file: 'scale-memory',
    title: 'Memory of the process after its start, API and controller in one',
    x,
    y: { label: 'MiB' },
    series: [
      {
        name: 'resident memory',
        points: all.map(({ size, memoryMiB }) => ({ x: size, values: memoryMiB })),
      },
    ],
  };
}

function pagePlot(all: readonly AtSize[]): Plot {
  return {
    file: 'scale-page',
    title: 'A page of 50',
    x,
    y: { label: 'ms, p50' },
    series: turnsSeries(all, (each) => each.page),
  };
}

function lifecyclePlot(all: readonly AtSize[]): Plot {
  return {
    file: 'scale-lifecycles',
    title: 'Lifecycles beside ready resources',
    x,
    y: { label: 'resources per second' },
    series: turnsSeries(all, ({ lifecycles: { small: few, grown: many } }) => ({
      small: few.map(({ perSecond }) => perSecond),
      grown: many.map(({ perSecond }) => perSecond),
    })),
  };
}

function turnsSeries(all: readonly AtSize[], of: (each: AtSize) => Turns<number>): Plot['series'] {
  const points = (side: 'small' | 'grown') =>
    all.map((each) => ({ x: each.size, values: of(each)[side] }));
  return [
    { name: 'beside so many', points: points('grown') },
    { name: `beside ${shown(small)}, in turns`, points: points('small') },
  ];
}
