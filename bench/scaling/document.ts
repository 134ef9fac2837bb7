// `node bench/scaling/document.ts` writes the tables of docs/scaling.md that are computed from the figures of the model.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsOf, rateOf, sizes } from './sizes.ts';

const file = join(import.meta.dirname, '../../docs/scaling.md');
const processors = [4, 8, 16, 32];

/** By the name in the markers: `<!-- sizes -->` … `<!-- /sizes -->`. */
export function tables(): Readonly<Record<string, string>> {
  return { sizes: sizesTable(), rates: ratesTable() };
}

export function withTables(page: string): string {
  return Object.entries(tables()).reduce((text, [name, table]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/scaling.md lacks the markers of ${name}`);
    return `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`;
  }, page);
}

function sizesTable(): string {
  const needs = sizes.map((size) => needsOf(size));
  const row = (name: string, cell: (each: (typeof needs)[number]) => string) =>
    `| ${[name, ...needs.map(cell)].join(' | ')} |`;
  return [
    row('Organizations', ({ organizations }) => whole(organizations)),
    `|---|${needs.map(() => '---:|').join('')}`,
    row('Resources', ({ resources }) => whole(resources)),
    row('Objects in etcd', ({ objects }) => whole(objects)),
    row('Live data in etcd', ({ etcdBytes }) => bytes(etcdBytes)),
    row('Memory of one kube-apiserver for them', ({ apiServerBytes }) => bytes(apiServerBytes)),
    row('Memory of one controller', ({ controllerMiB }) => memory(controllerMiB)),
    row('Memory of one API process', ({ apiMiB }) => memory(apiMiB)),
    row('A process lists everything in', ({ startSeconds }) => duration(startSeconds)),
    row('Processors of kube-apiserver for the relists of one process', ({ relistProcessors }) =>
      relistProcessors.toLocaleString('en', { maximumSignificantDigits: 1 }),
    ),
    row('Clusters, by the thresholds of Kubernetes', ({ clusters }) => whole(clusters)),
  ].join('\n');
}

function ratesTable(): string {
  const rows = processors
    .map((each) => rateOf(each))
    .map(({ processors: count, lifecycles, controllers, apis, historyBytes }) => {
      const replicas = [controllers ?? 'too many events', apis ?? 'too many events'];
      const cells = [count, whole(lifecycles), ...replicas, bytes(historyBytes)];
      return `| ${cells.join(' | ')} |`;
    });
  return [
    '| Processors of kube-apiserver | Lifecycles a second, at most | Controllers | API processes | History in etcd |',
    '|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function bytes(value: number): string {
  return memory(value / 2 ** 20);
}

function memory(mebibytes: number): string {
  return mebibytes < 1_000 ? `${round(mebibytes)} MiB` : `${round(mebibytes / 1_024)} GiB`;
}

function duration(value: number): string {
  return value < 90 ? `${round(value)} s` : `${round(value / 60)} min`;
}

/** More digits would promise more than the figures hold. */
function round(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

if (import.meta.main) writeFileSync(file, withTables(readFileSync(file, 'utf8')));
