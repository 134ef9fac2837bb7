import { type Figure, figure, type Measured, type Part, type Plot } from '../report/figures.ts';
import { soak as runSoak, type Soaked } from '../soak/index.ts';
import type { ProcessSample, Sample } from '../soak/samples.ts';
import { rise, slopeOf } from '../soak/slope.ts';

const usualMinutes = 30;
/** The share of the run in which caches and the heap of V8 still grow. */
const warmUp = 1 / 3;
const processes = { 'api-a': 'API', 'controller-a': 'controller' };
const kinds: Readonly<Record<keyof ProcessSample, string>> = {
  residentMiB: 'Resident memory',
  heapMiB: 'Used heap',
  files: 'Open files',
};
const flat = { atMost: 3, source: 'it does not grow' };

export const soak: Part = {
  name: 'soak',
  title: 'Soak',
  about: `Two API replicas and two controllers under applies, deletes, reads, watches and redrives in three organizations whose providers fail
in every way. In turns, one replica of each is killed, terminated or suspended. The API replica and the controller that
run throughout are sampled every ten seconds; the slope after the first third is given in its standard errors, of which three are within
the noise. The checker of the fault suite compares the recorded history with every guarantee.`,
  notes: {
    'Resident memory of the API, slope': `See the plot: the heap does not grow. The resident memory reaches what it keeps after 13 minutes, and
is even from then on; the slope begins after 10.`,
  },
  named: true,
  async run({ say, minutes = usualMinutes }) {
    const soaked = await runSoak({ minutes, say });
    for (const { invariant, subject, message } of soaked.violations)
      say(`${invariant} ${subject}: ${message}`);
    return measuredOf(soaked, minutes);
  },
};

function measuredOf(soaked: Soaked, minutes: number): Measured {
  const { samples, violations, churned, deliveries, restarts } = soaked;
  const steady = samples.filter(({ minute }) => minute >= minutes * warmUp);
  const figures = [
    figure('Broken guarantees', 'violations', [violations.length], {
      exactly: 0,
      source: 'nothing is lost',
    }),
    ...Object.entries(processes).flatMap(([identity, name]) => ofProcess(identity, name, steady)),
    ...slopeFigures(
      'Watches of all at the API server',
      'watches',
      steady.map(({ minute, watches }) => ({ x: minute, y: watches })),
    ),
    figure('Length', 'minutes', [minutes]),
    figure('Applies', 'requests', [churned.applies]),
    figure('Deletions', 'requests', [churned.deletions]),
    figure('Redrives', 'requests', [churned.retries]),
    figure('Watches over HTTP', 'streams', [churned.streams]),
    figure('Deliveries', 'requests', [deliveries]),
    figure('Kills, terminations and suspensions', 'replicas', [restarts]),
  ];
  return { figures, plots: [memoryPlot(samples), handlesPlot(samples)] };
}

function ofProcess(identity: string, name: string, samples: readonly Sample[]): readonly Figure[] {
  return (['residentMiB', 'heapMiB', 'files'] as const).flatMap((key) =>
    slopeFigures(
      `${kinds[key]} of the ${name}`,
      key === 'files' ? 'files' : 'MiB',
      pointsOf(samples, identity, key),
    ),
  );
}

function slopeFigures(
  name: string,
  unit: string,
  points: readonly { x: number; y: number }[],
): readonly Figure[] {
  const slope = slopeOf(points);
  return [
    figure(`${name}, slope`, 'standard errors', [rise(slope)], flat),
    figure(`${name}, slope`, `${unit} per hour`, [slope.perUnit * 60]),
    figure(
      name,
      unit,
      points.map(({ y }) => y),
    ),
  ];
}

function pointsOf(samples: readonly Sample[], identity: string, key: keyof ProcessSample) {
  return samples.flatMap(({ minute, processes: all }) => {
    const found = all[identity];
    return found === undefined ? [] : [{ x: minute, y: found[key] }];
  });
}

const x = { label: 'minutes' };

function series(name: string, points: readonly { x: number; y: number }[]) {
  return { name, points: points.map((point) => ({ x: point.x, values: [point.y] })) };
}

function memoryPlot(samples: readonly Sample[]): Plot {
  return {
    file: 'soak-memory',
    title: 'Memory during the soak',
    x,
    y: { label: 'MiB' },
    series: Object.entries(processes).flatMap(([identity, name]) => [
      series(`${name}, resident`, pointsOf(samples, identity, 'residentMiB')),
      series(`${name}, heap`, pointsOf(samples, identity, 'heapMiB')),
    ]),
  };
}

function handlesPlot(samples: readonly Sample[]): Plot {
  return {
    file: 'soak-handles',
    title: 'Handles during the soak',
    x,
    y: { label: 'handles' },
    series: [
      ...Object.entries(processes).map(([identity, name]) =>
        series(`open files of the ${name}`, pointsOf(samples, identity, 'files')),
      ),
      series(
        'watches at the API server',
        samples.map(({ minute, watches }) => ({ x: minute, y: watches })),
      ),
    ],
  };
}
