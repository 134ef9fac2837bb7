// Writes docs/performance.md and its plots from the kept results. It measures nothing.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import { median } from '../measure.ts';
import { type Figure, goalText, type Part, shown, verdictOf } from './figures.ts';
import { drawPlot } from './plot.ts';
import { docs, type Result, type Results, readResults } from './results.ts';
import { isBusy } from './setting.ts';

const folder = join(docs, 'performance');

/** @param parts in the order of the page */
export function writePage(parts: readonly Part[]): void {
  const results = readResults();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(docs, 'performance.md'), page(parts, results));
  const plots = parts.flatMap(({ name }) => results[name]?.plots ?? []);
  for (const plot of plots) writeFileSync(join(folder, `${plot.file}.svg`), drawPlot(plot));
  const wanted = new Set(plots.map((plot) => `${plot.file}.svg`));
  // Those of parts without results are of earlier measurements that other pages show.
  const isMeasured = (file: string) => Object.keys(results).some((name) => file.startsWith(name));
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.svg') && isMeasured(file) && !wanted.has(file)) rmSync(join(folder, file));
  }
}

export function page(parts: readonly Part[], results: Results): string {
  const sections = parts.flatMap((part) => {
    const result = results[part.name];
    return result === undefined ? [] : [section(part, result)];
  });
  return [
    '<!-- Written by npm run bench, from docs/performance/results.json. Do not edit. -->',
    '# Performance',
    introduction,
    overview(parts, results),
    ...sections,
    '',
  ].join('\n\n');
}

const introduction = `\`npm run bench\` measures what Fairlead costs and writes this page; [Development](development.md#benchmarks) shows how to repeat it. Most
figures are ratios to a bare client that does the same work on the same API server in the same minutes, because absolute figures say more about the
machine than about Fairlead. Rounds alternate between the two sides (ABBA). Each figure has the median of its rounds, and the least and the
largest; a goal is met or missed by the median. CPU-ms are milliseconds of CPU time of the Fairlead processes alone.`;

function overview(parts: readonly Part[], results: Results): string {
  const rows = parts.map(({ name, title }) => {
    const result = results[name];
    if (result === undefined) return `| ${title} | not measured yet | \`${name}\` | |`;
    const verdicts = result.figures.flatMap((figure) => verdictOf(figure) ?? []);
    const met = verdicts.filter((verdict) => verdict === 'met').length;
    const goals = verdicts.length === 0 ? 'no goals' : `${met} of ${verdicts.length} met`;
    return `| [${title}](#${slug(title)}) | ${goals} | \`${name}\` | ${result.at.slice(0, 10)} |`;
  });
  return ['| Part | Goals | Name | Measured |', '|---|---|---|---|', ...rows].join('\n');
}

function section(part: Part, result: Result): string {
  const { title, about } = part;
  const plots = (result.plots ?? []).map(
    (plot) => `![${plot.title}](performance/${plot.file}.svg)`,
  );
  return [
    `## ${title}`,
    about,
    table(result.figures),
    ...missed(part, result),
    ...plots,
    circumstances(result),
  ].join('\n\n');
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, unit, values, goal } = figure;
    const spread =
      values.length > 1 ? `${shown(Math.min(...values))} … ${shown(Math.max(...values))}` : '';
    const cells = [
      unit === 'ratio' ? name : `${name}, ${unit}`,
      shown(median(values)),
      spread,
      goal === undefined ? '' : `${goalText(goal)}: ${goal.source}`,
      resultOf(figure),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| Figure | Median | Min … max | Goal | Result |',
    '|---|---:|---:|---|---|',
    ...rows,
  ].join('\n');
}

function resultOf(figure: Figure): string {
  const verdict = verdictOf(figure);
  return verdict === 'missed' || verdict === 'void' ? `**${verdict}**` : (verdict ?? '');
}

function missed({ notes = {} }: Part, { figures }: Result): readonly string[] {
  return figures.flatMap((figure) => {
    const verdict = verdictOf(figure);
    const note = notes[figure.name];
    if (verdict === 'void')
      return [`${figure.name}: the control is out of range, so the ratios are void.`];
    return verdict === 'missed' && note !== undefined ? [`**${figure.name}**: ${note}`] : [];
  });
}

function circumstances({ at, seconds, setting }: Result): string {
  const { commit, node, kubernetes, etcd, processor, cores, memoryGiB, load } = setting;
  const when = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC, ${shown(Math.round(seconds))} s`;
  const versions = `Fairlead \`${commit}\`, Node.js ${node}, Kubernetes ${kubernetes}, etcd ${etcd}`;
  const machine = `${cores} cores of ${processor}, ${memoryGiB} GiB, load ${shown(load)} at the start`;
  const warning = isBusy(setting) ? ' (**busy**: times say little)' : '';
  return `<sub>${when}; ${versions}; ${machine}${warning}.</sub>`;
}
