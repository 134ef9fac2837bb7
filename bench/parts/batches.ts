import { figure, type Part, shown } from '../report/figures.ts';
import {
  type BatchRound,
  manyDocuments,
  measureBatches,
  measureClient,
  perBatch,
} from '../writes/batches.ts';

const rounds = 3;
const newBatch = `${perBatch} new resources, ratio to bare creates`;
const clientRounds = 2;

export const batches: Part = {
  name: 'batches',
  title: 'Batches',
  about: `${perBatch} resources of 1.5 KB in one \`POST /resources/batch\`, and in one \`PUT /sets/{set}\`, against as many creates of a bare client with as many at once, without a
controller; the same request again; and \`fairlead apply\` of ${shown(manyDocuments)} documents to a whole Fairlead, whose provider answers at once.`,
  notes: {
    [newBatch]: `One request to create each, as the bare client makes. On two cores, what else they cost shows: the plan before the first write, and the API server
sends each new object to the watch of Fairlead, which reads it.`,
  },
  async run({ say }) {
    const measured = await measureBatches(rounds, say);
    const client = await measureClient(clientRounds, say);
    const values = (key: keyof BatchRound) => measured.map((each) => each[key]);
    const figures = [
      figure(newBatch, 'ratio', values('newRatio'), {
        atMost: 1.1,
        source: 'one write each',
      }),
      figure(`A new set of ${perBatch}, ratio to bare creates`, 'ratio', values('newSetRatio'), {
        atMost: 1.1,
        source: 'one write each, and two',
      }),
      figure(`${perBatch} unchanged resources`, 's', values('unchangedSeconds'), {
        atMost: 2,
        source: 'nothing is written',
      }),
      figure(`An unchanged set of ${perBatch}`, 's', values('unchangedSetSeconds'), {
        atMost: 2,
        source: 'nothing is written',
      }),
      figure(`Writes of both, unchanged`, 'requests', values('unchangedWrites'), {
        exactly: 0,
        source: 'what is equal is not written',
      }),
      figure(
        `\`fairlead apply\` of ${shown(manyDocuments)} new documents`,
        's',
        client.map(({ newSeconds }) => newSeconds),
        { atMost: 25, source: 'a third of one request for each' },
      ),
      figure(
        `\`fairlead apply\` of ${shown(manyDocuments)} unchanged documents`,
        's',
        client.map(({ unchangedSeconds }) => unchangedSeconds),
      ),
      figure(`${perBatch} new resources`, 's', values('newSeconds')),
    ];
    return { figures };
  },
};
