import { few, many, measureReads, type ReadsRound } from '../reads.ts';
import { figure, type Part, shown } from '../report/figures.ts';

const rounds = 3;

const growth = `A page of 50, beside ${shown(many)} to ${shown(few)}`;
const pagesPerSecond = 'Pages of 50 a second, ten readers';
const onePerSecond = 'Requests for one resource, ratio to the bare client';
const whole = 'The whole list, ratio to a raw list and parse';

export const reads: Part = {
  name: 'reads',
  title: 'Reads',
  about: `A page of 50 from the middle of a list, beside ${shown(few)} and beside ${shown(many)} resources of the same organization; ten readers of
such pages at once; and the whole list, beside a bare client that reads and parses the same.`,
  notes: {
    [growth]: `The page of the bare client grows more than ours: the API server takes longer to find the place in a larger snapshot.`,
    [onePerSecond]: `Both sides make one request to the API server. What is left is the second HTTP request and the check of the token.`,
    [pagesPerSecond]: `The API server takes half of the CPU time of a page.`,
    [whole]: `The bare client reads and parses; here a second process also makes each record and writes it as JSON, and the client parses that. On two
cores the API server, Fairlead and the client share the time that they take.`,
  },
  async run({ say }) {
    const measured = await measureReads(rounds, say);
    const values = (key: keyof ReadsRound) => measured.map((each) => each[key]);
    const ratios = measured.map(({ fewPage, manyPage }) => manyPage / fewPage);
    const figures = [
      figure(growth, 'ratio', ratios, {
        atMost: 1.3,
        source: 'a page costs what it returns',
      }),
      figure(pagesPerSecond, 'pages/s', values('pagesPerSecond'), {
        atLeast: 100,
        source: '10 ms of CPU a page, on two cores',
      }),
      figure(onePerSecond, 'ratio', values('oneRatio'), {
        atLeast: 0.6,
        source: 'one request each, and checks',
      }),
      figure(whole, 'ratio', values('wholeRatio'), {
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
