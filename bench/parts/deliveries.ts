import { type Deliveries, startDeliveries } from '../deliveries.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';

const rounds = 7;
const perRound = 3_000;
const connections = 100;
/** CPU milliseconds of a lifecycle, the goal of the part lifecycle: a delivery is one of its steps. */
const lifecycleCpuMs = 5;

export const deliveries: Part = {
  name: 'deliveries',
  title: 'Deliveries over TLS',
  about: `CPU time of the dispatcher per event of 1.4 KB, for ${perRound} events over TLS 1.3 and as many over plain HTTP, in turns, 32 at once,
to a provider in another process that answers immediately. Connections stay open; a new one is measured beside it.`,
  async run({ say }) {
    await using stack = new AsyncDisposableStack();
    const measured = await startDeliveries();
    stack.defer(() => measured.close());
    return { figures: await figuresOf(measured, say) };
  },
};

async function figuresOf(
  measured: Deliveries,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  for (const over of ['http', 'https'] as const) await measured.deliver(over, 2 * perRound);
  const plain: number[] = [];
  const secure: number[] = [];
  const controls: number[] = [];
  const anew: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    // ABBA: drift of the machine within a round affects both sides equally.
    const first = await measured.deliver('http', perRound);
    const one = await measured.deliver('https', perRound);
    const two = await measured.deliver('https', perRound);
    const last = await measured.deliver('http', perRound);
    plain.push((first + last) / 2);
    secure.push((one + two) / 2);
    controls.push(last / first);
    const tcp = await measured.deliverAnew('http', connections);
    anew.push((await measured.deliverAnew('https', connections)) - tcp);
  }
  const extra = secure.map((each, round) => each - (plain[round] ?? Number.NaN));
  return [
    figure(
      'TLS, share of a lifecycle',
      'ratio',
      extra.map((each) => each / lifecycleCpuMs),
      { atMost: 0.05, source: 'one request is a small part of a lifecycle' },
    ),
    figure('A/A control, HTTP to HTTP', 'ratio', controls, {
      between: [0.9, 1.1],
      source: 'else the machine is too unsteady',
    }),
    figure(
      'CPU per delivery, ratio of TLS to HTTP',
      'ratio',
      secure.map((each, round) => each / (plain[round] ?? Number.NaN)),
    ),
    figure('CPU per delivery over TLS', 'CPU-ms', secure),
    figure('CPU per delivery over HTTP', 'CPU-ms', plain),
    figure('CPU of a TLS handshake', 'CPU-ms', anew),
  ];
}
