// Measures on the CPU clock of the thread: other work of the machine does not count.
import { members } from '../../test/support/worst-inputs/hostile-values.ts';
import { worstInputs as rows } from '../../test/support/worst-inputs/index.ts';
import type { WorstInput } from '../../test/support/worst-inputs/row.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';

const rounds = 8;
/** A schema of 64 KiB, and a value of 256 KiB. A smaller input may cost as much, and a larger one has several values. */
const boundBytes = 327_680;

const shownInputs = 20;
const shownFunctions = 8;

export const worstInputs: Part = {
  name: 'worst-inputs',
  title: 'Worst inputs',
  about: `CPU time of one thread for each pure function that gets a schema, config, answer or log of a tenant, with the worst input, for each 320 KiB
of it: a schema and a value of their bounds. The thread of an API or controller does nothing else meanwhile, for anybody. The tests count how often
the same inputs are read.`,
  run({ say }) {
    const costs = measureWorstInputs().toSorted((one, other) => other.ms - one.ms);
    for (const { of, input, ms } of costs.slice(0, shownInputs)) {
      say(`${ms.toFixed(1)} ms: ${of}, ${input}`);
    }
    return Promise.resolve({ figures: figuresOf(costs) });
  },
};

function figuresOf(costs: readonly Cost[]): readonly Figure[] {
  const most = (values: readonly number[]) => [Math.max(...values)];
  const functions = Map.groupBy(costs, ({ of }) => of.split(' ').at(-1));
  return [
    figure('The worst', 'CPU-ms', most(costs.map(({ ms }) => ms)), {
      atMost: 50,
      source: 'nobody notices it',
    }),
    figure('The worst, ratio to JSON.parse', 'ratio', most(costs.map(({ ratio }) => ratio)), {
      atMost: 30,
      source: 'it grows as its input does',
    }),
    ...[...functions]
      .slice(0, shownFunctions)
      .map(([name, inputs]) => figure(`\`${name}\``, 'CPU-ms', most(inputs.map(({ ms }) => ms)))),
    figure('Inputs', 'inputs', [costs.length]),
  ];
}

interface Cost {
  readonly of: string;
  readonly input: string;
  /** CPU milliseconds for each `boundBytes` of the input. */
  readonly ms: number;
  /** To `JSON.parse` of an object with as many bytes. */
  readonly ratio: number;
}

function measureWorstInputs(): readonly Cost[] {
  const text = JSON.stringify(members(() => 1, { bytes: boundBytes }));
  const parseMs = meanOf(
    () => text,
    (given) => JSON.parse(given),
  );
  return rows.map((row) => costOf(row, parseMs));
}

function costOf({ of, input, args, call }: WorstInput, parseMs: number): Cost {
  const bounds = Math.max(1, JSON.stringify(args()).length / boundBytes);
  const ms = meanOf(args, (given) => call(...(given as never[]))) / bounds;
  return { of, input, ms, ratio: ms / parseMs };
}

/** Nothing is kept from one round to the next. The first one is not counted: it also compiles. */
function meanOf<T>(make: () => T, work: (made: T) => unknown): number {
  work(make());
  let took = 0;
  for (let round = 0; round < rounds; round += 1) {
    const made = make();
    const before = process.threadCpuUsage();
    work(made);
    const { user, system } = process.threadCpuUsage(before);
    took += user + system;
  }
  return took / rounds / 1_000;
}
