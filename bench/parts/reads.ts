import { few, many, measureReads, type ReadsRound } from '../reads.ts';
import { figure, type Part, shown } from '../report/figures.ts';

const rounds = 3;

export const reads: Part = {
  name: 'reads',
  title: 'Reads',
  about: `A page of 50 from the middle of a list, beside ${shown(few)} and beside ${shown(many)} resources of the same organization; ten readers of
such pages at once; and the whole list, beside a bare client that reads and parses the same.`,
  async run({ say }) {
    const measured = await measureReads(rounds, say);
    const values = (key: keyof ReadsRound) => measured.map((each) => each[key]);
    const ratios = measured.map(({ fewPage, manyPage }) => manyPage / fewPage);
    const figures = [
      figure(`A page of 50, beside ${shown(many)} to ${shown(few)}`, 'ratio', ratios, {
        atMost: 1.3,
        source: 'a page costs what it returns',
      }),
      figure('Pages of 50 a second, ten readers', 'pages/s', values('pagesPerSecond'), {
        atLeast: 100,
        source: '10 ms of CPU a page, on two cores',
      }),
      figure('Requests for one resource, ratio to the bare client', 'ratio', values('oneRatio'), {
        atLeast: 0.6,
        source: 'one request each, and checks',
      }),
      figure('The whole list, ratio to a raw list and parse', 'ratio', values('wholeRatio'), {
        atMost: 1.1,
        source: 'written while it is read',
      }),
      figure(`A page beside ${shown(few)}`, 'ms', values('fewPage')),
      figure(`A page beside ${shown(many)}`, 'ms', values('manyPage')),
      figure(`A page of the bare client beside ${shown(few)}`, 'ms', values('fewRaw')),
      figure(`A page of the bare client beside ${shown(many)}`, 'ms', values('manyRaw')),
    ];
    return { figures };
  },
};
