import { type Letters, measureLetters, more, present, type Times } from '../letters.ts';
import { type Figure, figure, type Part, shown } from '../report/figures.ts';

/** Milliseconds on a quiet system, and how many times as long at most while more are written. */
const goals: Readonly<Partial<Record<keyof Times, number>>> = {
  page: 50,
  pageOfProvider: 50,
  pageOfRareCause: 50,
  groups: 500,
  retryAll: 1_000,
};
const whileWritten = 10;

const names: Readonly<Record<keyof Times, string>> = {
  page: 'A page of 50',
  pageOfProvider: 'A page of 50 of one provider',
  pageOfRareCause: 'A page of a cause that one in 1,000 has',
  groups: '`group_by=error`',
  retryAll: '`retry-all`',
  dryRun: '`retry-all?dry_run=true`',
  progress: 'The progress of a retry',
  bare: 'A page of 50 of the bare client',
};

export const letters: Part = {
  name: 'letters',
  title: 'Dead letters',
  about: `Requests of one client beside ${shown(present)} dead letters of the same organization, on a quiet system; and the longest of each
while a bare client with 32 connections writes ${shown(more)} more.`,
  async run({ say }) {
    const measured = await measureLetters(say);
    const keys = Object.keys(names) as (keyof Times)[];
    const figures = [
      ...keys.map((key) => quietFigure(key, measured)),
      ...keys.map((key) => writtenFigure(key, measured)),
      figure('A page of 50, ratio to the bare client', 'ratio', pageRatios(measured)),
      figure('The first `group_by=error` after a start of the API', 'ms', [measured.firstGroupsMs]),
      figure('CPU of one `group_by=error`', 'ms', [measured.groupsCpuMs]),
      figure('Dead letters written meanwhile', '1/s', [measured.writtenPerSecond]),
      figure('From the last write until groups have all', 'ms', [measured.behindMs]),
    ];
    return { figures };
  },
};

function pageRatios({ quiet }: Letters): readonly number[] {
  return quiet.page.map((ms, round) => ms / (quiet.bare[round] ?? Number.NaN));
}

function quietFigure(key: keyof Times, { quiet }: Letters): Figure {
  const goal = goals[key];
  if (goal === undefined) return figure(names[key], 'ms', quiet[key]);
  return figure(names[key], 'ms', quiet[key], { atMost: goal, source: 'nobody waits' });
}

function writtenFigure(key: keyof Times, { written }: Letters): Figure {
  const name = `${names[key]}, longest beside writes`;
  const longest = [Math.max(...written[key])];
  const goal = goals[key];
  if (goal === undefined) return figure(name, 'ms', longest);
  const source = `${whileWritten} × the goal of a quiet system`;
  return figure(name, 'ms', longest, { atMost: whileWritten * goal, source });
}
