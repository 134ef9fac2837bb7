import { relist } from '../relist.ts';
import { figure, type Part, shown } from '../report/figures.ts';

const objects = 5_000;

export const relists: Part = {
  name: 'relists',
  title: 'Relists',
  about: `The most memory that an informer uses while it lists ${shown(objects)} objects of 1.5 KB again, relative to its cache. The pages are
generated, and garbage is collected before each measurement.`,
  async run() {
    const { bytes, ratio } = await relist(objects);
    const figures = [
      figure('Most memory in a relist, ratio to the cache', 'ratio', [ratio], {
        atMost: 1.3,
        source: 'one page beside the cache',
      }),
      figure('The cache, per object', 'bytes', [bytes / objects]),
    ];
    return { figures };
  },
};
