import { median, percentile } from '../measure.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';
import { countWrites, totalOf, type Writes, writesSince } from '../setup/api-server-metrics.ts';
import { type OwnSubject, startSubject } from '../setup/subject.ts';
import { applyToHandler, writeToWatch } from '../writes/latency.ts';
import {
  applyDrafts,
  createBare,
  type Sample,
  throughBareClient,
  throughFairlead,
} from '../writes/lifecycle.ts';

const rounds = 5;
const perRound = 300;
const latencySamples = 100;

export const lifecycle: Part = {
  name: 'lifecycle',
  title: 'Lifecycle',
  about: `${perRound} resources of 1.5 KB from \`apply\` to \`ready\`, 32 at once, with a provider that answers immediately. The bare client
makes the same three writes (create, status \`processing\`, status \`ready\`) with the same bytes to a kind with the same schema, without
delivering anything. Latency is measured one resource after the other on an idle system; the raw watch is the time from a bare create
until a bare watch shows the object.`,
  notes: {
    'Throughput, ratio to the bare client': `API server, etcd, clients, provider and Fairlead share the cores, so that CPU time decides. The API
server and etcd take some 15 CPU-ms for three writes, the bare client about 1, Fairlead, which also authenticates, validates and delivers,
about 3: 16 to 19 is 0.85. For 0.95, Fairlead would have to take as much as the bare client. With a core of its own it does not slow the API
server down.`,
    'Drafts applied, ratio to bare creates': `A draft is two writes, the object and its status, and the bare client makes one, so that 0.5 is the
limit. [Decisions](decisions/storage.md) say why a draft is not one write.`,
    'Apply → handler, p99, ratio to a raw watch': `The slowest of 100, on cores that the API server and its garbage collection share.`,
  },
  async run({ say }) {
    await using stack = new AsyncDisposableStack();
    const subject = await startSubject();
    stack.defer(() => subject.close());
    say('counts writes');
    const writes = await writesPerLifecycle(subject, say);
    const throughput = await measureThroughput(subject, say);
    const drafts = await measureDrafts(subject, say);
    const latency = await measureLatency(subject, say);
    return { figures: [writes, ...throughput, drafts, ...latency] };
  },
};

type Say = (line: string) => void;

/** As many at once as may be: what is surplus shows where deliveries wait for each other. */
async function writesPerLifecycle(subject: OwnSubject, say: Say): Promise<Figure> {
  const { raw, path } = subject;
  await throughFairlead(subject, 'warm-', perRound);
  const reasons = new Map<string, number>();
  const watch = await raw.watch(path, ({ spec, status }) => {
    if (!spec.name.startsWith('writes-')) return;
    const shown = status === undefined ? 'no status' : `${status.state} ${status.reason}`;
    reasons.set(shown, (reasons.get(shown) ?? 0) + 1);
  });
  const before = await countWrites(raw);
  await throughFairlead(subject, 'writes-', perRound);
  const writes = writesSince(before, await countWrites(raw));
  watch.stop();
  say(`writes of ${perRound} lifecycles: ${inWords(writes)}`);
  say(`what they left: ${inWords(reasons)}`);
  return figure('Writes per lifecycle', 'requests', [totalOf(writes) / perRound], {
    exactly: 3,
    source: 'the states have to be stored',
  });
}

function inWords(counts: Writes): string {
  return [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
}

async function measureThroughput(subject: OwnSubject, say: Say): Promise<readonly Figure[]> {
  await throughBareClient(subject, 'warm-', perRound);
  await throughFairlead(subject, 'warm2-', perRound);
  const bare: Sample[] = [];
  const control: number[] = [];
  const ours: Sample[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`throughput, round ${round + 1} of ${rounds}`);
    // ABBA: drift of the machine within a round affects both sides equally.
    const first = await throughBareClient(subject, `a${round}-`, perRound);
    const one = await throughFairlead(subject, `b${round}-`, perRound);
    const two = await throughFairlead(subject, `c${round}-`, perRound);
    const last = await throughBareClient(subject, `d${round}-`, perRound);
    bare.push(first, last);
    ours.push(one, two);
    control.push(last.perSecond / first.perSecond);
    ratios.push((one.perSecond + two.perSecond) / (first.perSecond + last.perSecond));
  }
  const perSecond = (samples: readonly Sample[]) => samples.map((sample) => sample.perSecond);
  const cpuMs = (samples: readonly Sample[]) => samples.map((sample) => sample.cpuMsPerResource);
  return [
    figure('Throughput, ratio to the bare client', 'ratio', ratios, {
      atLeast: 0.95,
      source: 'the API server is the limit',
    }),
    figure('A/A control, bare client to bare client', 'ratio', control, {
      between: [0.9, 1.1],
      source: 'else the machine is too unsteady',
    }),
    figure('CPU per lifecycle', 'CPU-ms', cpuMs(ours), {
      atMost: 5,
      source: 'twice that of the bare client',
    }),
    figure('CPU per lifecycle of the bare client', 'CPU-ms', cpuMs(bare)),
    figure('Throughput', 'resources/s', perSecond(ours)),
    figure('Throughput of the bare client', 'resources/s', perSecond(bare)),
  ];
}

async function measureDrafts(subject: OwnSubject, say: Say): Promise<Figure> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`drafts, round ${round + 1} of ${rounds}`);
    const first = await createBare(subject, `e${round}-`, { count: perRound });
    const one = await applyDrafts(subject, `f${round}-`, perRound);
    const two = await applyDrafts(subject, `g${round}-`, perRound);
    const last = await createBare(subject, `h${round}-`, { count: perRound });
    ratios.push((one + two) / (first + last));
  }
  return figure('Drafts applied, ratio to bare creates', 'ratio', ratios, {
    atLeast: 0.65,
    source: 'one write, checked and authorized',
  });
}

async function measureLatency(subject: OwnSubject, say: Say): Promise<readonly Figure[]> {
  const ours: number[][] = [];
  const bare: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`latency, round ${round + 1} of ${rounds}`);
    bare.push(await writeToWatch(subject, `w${round}-`, latencySamples));
    ours.push(await applyToHandler(subject, `l${round}-`, latencySamples));
  }
  const ratios = (of: (values: readonly number[]) => number) =>
    ours.map((values, round) => of(values) / of(bare[round] ?? []));
  return [
    figure('Apply → handler, p50, ratio to a raw watch', 'ratio', ratios(median), {
      atMost: 1.3,
      source: 'a watch, one write, one request',
    }),
    figure(
      'Apply → handler, p99, ratio to a raw watch',
      'ratio',
      ratios((values) => percentile(values, 0.99)),
      { atMost: 2, source: 'no pauses' },
    ),
    figure('Apply → handler, p50', 'ms', ours.map(median)),
    figure('Raw watch, p50', 'ms', bare.map(median)),
  ];
}
