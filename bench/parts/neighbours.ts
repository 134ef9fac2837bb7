import { garbageTokenCpuMs, type Phase, startNeighbours } from '../neighbours.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';
import { freezes } from '../setup/freezes.ts';

const rounds = 3;

export const neighbours: Part = {
  name: 'neighbours',
  title: 'Neighbours',
  about: `The p99 of 40 requests a second of one organization, beside another that floods the API with ten times its rate limit, and beside
one that registers and uses the most expensive schemas that are accepted, and beside one that repeats requests whose work grows with what
tenants write: one after the other, in five ways that are not the same. Quiet, disturbed, quiet: eight seconds each.`,
  notes: {
    'p99 beside a flood, ratio to quiet': `The flood, the API server and both organizations share the cores.`,
    'p99 beside hostile schemas, ratio to quiet': `The worker that evaluates hostile schemas takes one of the two cores while it works, as often as its limits
allow.`,
    'p99 beside reads and applies of worst values, ratio to quiet': `The secrets of a record are looked for in one turn of the thread, for a body with
as many names as it may have. Three requests are under way at a time, and the API server reads and writes as many bytes on the same cores.`,
    'p99 beside observations of changes beside secrets, ratio to quiet': `The API and the controller are one process here, and two in an installation.`,
  },
  async run({ say }) {
    await using stack = new AsyncDisposableStack();
    const two = await startNeighbours();
    stack.defer(() => two.close());
    const compared = async (name: string, measure: () => Promise<Phase>, atMost = 1.5) => {
      const phases: Phase[] = [];
      for (let round = 0; round < rounds; round += 1) {
        say(`${name}, round ${round + 1} of ${rounds}`);
        phases.push(await measure());
      }
      const statuses = phases.map((phase) => phase.statuses);
      say(`responses to the other organization: ${JSON.stringify(statuses)}`);
      return figuresOf(name, phases, atMost);
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

function figuresOf(name: string, phases: readonly Phase[], atMost: number): readonly Figure[] {
  const ratios = phases.map(({ disturbedP99, quietP99 }) => disturbedP99 / quietP99);
  return [
    figure(`p99 beside ${name}, ratio to quiet`, 'ratio', ratios, {
      atMost,
      source: 'tenants share two cores, and no queue',
    }),
    figure(
      `p99 before and after ${name}`,
      'ms',
      phases.map(({ quietP99 }) => quietP99),
    ),
  ];
}
