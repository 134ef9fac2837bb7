import { percentile } from '../measure.ts';
import { garbageTokenCpuMs, type Round, startNeighbours } from '../neighbours.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';
import { freezes } from '../setup/freezes.ts';

const rounds = 3;

export const neighbours: Part = {
  name: 'neighbours',
  title: 'Neighbours',
  about: `The p99 of 40 requests a second of one organization, beside another that floods the API with ten times its rate limit, and beside
one that registers and uses the most expensive schemas that are accepted, and beside one that repeats requests whose work grows with what
tenants write: one after the other, in five ways that are not the same. API and controller are processes of their own, as in an installation,
and so are the measured caller, the other one and its provider; all share two cores with etcd and the API server. The control is the same load
at another replica of the API: it costs the machine, the API server and the controller the same, and the measured replica no more than the
watch events. Quiet, disturbed, control, quiet: eight seconds each.`,
  notes: {
    'p99 beside a flood, ratio to quiet': `See the control: the flood, the API server and both organizations share the cores, whichever replica is
flooded.`,
    'p99 beside hostile schemas, ratio to quiet': `The worker that evaluates hostile schemas takes one of the two cores while it works, as often as its limits
allow, at the other replica too.`,
    'p99 beside reads and applies of worst values, ratio to quiet': `See the control, which is no better: the API server reads and writes as many bytes
on the same cores, and each replica parses them as watch events.`,
    'p99 beside observations of changes beside secrets, ratio to quiet': `See the control, which is no better: the controller compares the largest
answers on one core, and the API server stores four states for each on the other.`,
  },
  async run({ say }) {
    await using stack = new AsyncDisposableStack();
    const two = await startNeighbours();
    stack.defer(() => two.close());
    const compared = async (name: string, measure: () => Promise<Round>, atMost = 1.5) => {
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        say(`${name}, round ${round + 1} of ${rounds}`);
        measured.push(await measure());
      }
      const statuses = measured.map((each) => each.statuses);
      say(`responses to the other organization: ${JSON.stringify(statuses)}`);
      return figuresOf(name, measured, atMost);
    };
    const figures: Figure[] = [
      ...(await compared('a flood', () => two.flood())),
      ...(await compared('hostile schemas', () => two.hostileSchemas())),
    ];
    for (const name of Object.keys(freezes)) {
      figures.push(...(await compared(name, () => two.freeze(name), 2)));
    }
    figures.push(
      figure('Rejection of an invalid token', 'CPU-ms', [await garbageTokenCpuMs()], {
        atMost: 0.2,
        source: 'costs less than sending it',
      }),
    );
    return { figures };
  },
};

/** The goal beside the control: the thread that both share may add half of what everything else costs. */
const atMostBeside = 1.5;

function figuresOf(name: string, measured: readonly Round[], atMost: number): readonly Figure[] {
  const p99 = measured.map(({ quiet, beside, control }) => ({
    quiet: percentile(quiet, 0.99),
    beside: percentile(beside, 0.99),
    control: percentile(control, 0.99),
  }));
  return [
    figure(
      `p99 beside ${name}, ratio to quiet`,
      'ratio',
      p99.map(({ beside, quiet }) => beside / quiet),
      { atMost, source: 'tenants share two cores, and no queue' },
    ),
    figure(
      `p99 beside ${name}, ratio to the control`,
      'ratio',
      p99.map(({ beside, control }) => beside / control),
      { atMost: atMostBeside, source: 'what is shared is mostly the machine' },
    ),
    figure(
      `The control of ${name}, ratio to quiet`,
      'ratio',
      p99.map(({ control, quiet }) => control / quiet),
    ),
    figure(
      `p99 before and after ${name}`,
      'ms',
      p99.map(({ quiet }) => quiet),
    ),
  ];
}
