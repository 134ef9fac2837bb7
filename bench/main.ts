// `npm run bench`: ratios against a bare client on the same API server in the same minutes. Absolute figures are shown
// beside them, but only the ratios are meaningful on a shared machine.
import { measureGrowth } from './growth.ts';
import { applyToHandler, writeToWatch } from './latency.ts';
import { countWrites, type Sample, throughBareClient, throughFairlead } from './lifecycle.ts';
import { median, percentile } from './measure.ts';
import { garbageTokenCpuMs, type Phase, startNeighbours } from './neighbours.ts';
import { few, many, measureReads } from './reads.ts';
import { relist } from './relist.ts';
import { measureStartUp } from './start-up.ts';
import { measureStreams } from './streams.ts';
import { type Subject, startSubject } from './subject.ts';

const rounds = 5;
const perRound = 300;
const latencySamples = 100;
const writesSample = 50;
const neighbourRounds = 3;
const growthRounds = 3;
const readsRounds = 3;

const number = (value: number) => value.toFixed(2).padStart(9);

function row(name: string, values: readonly number[], aim: string): void {
  const spread = `${number(Math.min(...values))} …${number(Math.max(...values))}`;
  console.log(`${name.padEnd(44)}${number(median(values))}   (${spread})   ${aim}`);
}

async function writes(subject: Subject): Promise<void> {
  await throughFairlead(subject, 'warm-', writesSample);
  const before = await countWrites(subject);
  await throughFairlead(subject, 'writes-', writesSample);
  const perLifecycle = ((await countWrites(subject)) - before) / writesSample;
  row('writes per lifecycle', [perLifecycle], 'exactly 3');
  if (perLifecycle !== 3) process.exitCode = 1;
}

async function throughput(subject: Subject): Promise<void> {
  await throughBareClient(subject, 'warm-', perRound);
  await throughFairlead(subject, 'warm2-', perRound);
  const bare: Sample[] = [];
  const control: number[] = [];
  const ours: Sample[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
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
  row('lifecycle throughput, ratio to bare client', ratios, 'aim 0.5 or more');
  row('  A/A control, bare to bare', control, 'invalid if far from 1');
  row(
    '  Fairlead, resources/s',
    ours.map(({ perSecond }) => perSecond),
    '',
  );
  row(
    '  bare client, resources/s',
    bare.map(({ perSecond }) => perSecond),
    '',
  );
  row(
    '  Fairlead, CPU-ms per resource',
    ours.map(({ cpuMsPerResource }) => cpuMsPerResource),
    '',
  );
  row(
    '  bare client, CPU-ms per resource',
    bare.map(({ cpuMsPerResource }) => cpuMsPerResource),
    '',
  );
}

async function latency(subject: Subject): Promise<void> {
  const ratios: number[] = [];
  const tails: number[] = [];
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const raw = await writeToWatch(subject, `w${round}-`, latencySamples);
    const handled = await applyToHandler(subject, `l${round}-`, latencySamples);
    ratios.push(median(handled) / median(raw));
    tails.push(percentile(handled, 0.99) / percentile(raw, 0.99));
    ours.push(median(handled));
    bare.push(median(raw));
  }
  row('apply → handler, p50, ratio to raw watch', ratios, 'aim 1.5 or less');
  row('apply → handler, p99, ratio to raw watch', tails, 'aim 2 or less');
  row('  Fairlead, p50 in ms', ours, '');
  row('  raw watch, p50 in ms', bare, '');
}

async function neighbours(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const two = await startNeighbours();
  stack.defer(() => two.close());
  await compared('p99 beside a flood at 10x the limit', () => two.flood());
  await compared('p99 beside hostile schemas', () => two.hostileSchemas());
  row('CPU-ms to reject an invalid token', [await garbageTokenCpuMs()], 'aim 0.2 or less');
}

async function compared(name: string, measure: () => Promise<Phase>): Promise<void> {
  const phases: Phase[] = [];
  for (let round = 0; round < neighbourRounds; round += 1) phases.push(await measure());
  const ratios = phases.map(({ disturbedP99, quietP99 }) => disturbedP99 / quietP99);
  row(`${name}, ratio to quiet`, ratios, 'aim 2 or less');
  row(
    '  quiet, ms',
    phases.map(({ quietP99 }) => quietP99),
    '',
  );
  console.log(
    `  responses to the other organization: ${JSON.stringify(phases.map(({ statuses }) => statuses))}`,
  );
}

async function lifecycles(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const subject = await startSubject();
  stack.defer(() => subject.close());
  await writes(subject);
  await throughput(subject);
  await latency(subject);
}

async function growth(): Promise<void> {
  const measured = await measureGrowth(growthRounds);
  const ratios = measured.map(
    ({ smallPerSecond, largePerSecond }) => largePerSecond / smallPerSecond,
  );
  row('lifecycles/s, 10,000 ready to 1,000 ready', ratios, 'aim 0.8 or more');
  row(
    '  beside 1,000, resources/s',
    measured.map(({ smallPerSecond }) => smallPerSecond),
    '',
  );
  row(
    '  beside 10,000, resources/s',
    measured.map(({ largePerSecond }) => largePerSecond),
    '',
  );
  const shares = measured.map(({ collectorShare }) => collectorShare);
  row('  garbage collection of the API server', shares, 'aim 0.25 or less');
}

async function reads(): Promise<void> {
  const measured = await measureReads(readsRounds);
  const values = (key: keyof (typeof measured)[number]) => measured.map((each) => each[key]);
  const ratios = measured.map(({ fewPage, manyPage }) => manyPage / fewPage);
  row(`a page of 50, beside ${many} to ${few}`, ratios, 'aim 1.3 or less');
  row(`  beside ${few}, ms`, values('fewPage'), '');
  row(`  beside ${many}, ms`, values('manyPage'), '');
  row(`  bare client, beside ${few}, ms`, values('fewRaw'), '');
  row(`  bare client, beside ${many}, ms`, values('manyRaw'), '');
  row('pages of 50 a second, ten readers', values('pagesPerSecond'), 'aim 100 or more');
  row('whole list, ratio to raw list and parse', values('wholeRatio'), 'aim 1.1 or less');
}

async function relists(): Promise<void> {
  const objects = 5_000;
  const { bytes, ratio } = await relist(objects);
  row('most memory in a relist, ratio to its cache', [ratio], 'aim 1.3 or less');
  row('  the cache, bytes per object', [bytes / objects], '');
}

async function startUp(): Promise<void> {
  const { costs, bareMs } = await measureStartUp();
  for (const { command, overBareMs, aimMs } of costs) {
    row(`fairlead ${command}, CPU-ms over node`, overBareMs, `aim ${aimMs} or less`);
  }
  row('  node -e 0, CPU-ms', bareMs, '');
}

async function streams(): Promise<void> {
  row('memory of an idle watch, KiB', [await measureStreams()], '');
}

/** `npm run bench -- neighbours` runs one part, `npm run bench` all of them. */
const parts: Readonly<Record<string, () => Promise<void>>> = {
  lifecycles,
  neighbours,
  growth,
  reads,
  relists,
  'start-up': startUp,
  streams,
};

console.log(`${''.padEnd(44)}   median   (      min …      max)`);
for (const [name, run] of Object.entries(parts)) {
  if (process.argv.length === 2 || process.argv.includes(name)) await run();
}
