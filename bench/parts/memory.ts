import { few, type MemoryPerResource, many, measureMemory, type Process } from '../memory.ts';
import { type Figure, figure, type Part, shown } from '../report/figures.ts';

/** MiB per 1,000 resources. */
const goals: Readonly<Record<Process, number>> = { controller: 8, api: 4 };
const names: Readonly<Record<Process, string>> = { controller: 'Controller', api: 'API' };

export const memory: Part = {
  name: 'memory',
  title: 'Memory',
  about: `Controller and API, each a process, with ${shown(few)} and with ${shown(many)} ready resources whose configs have 550 bytes; the
difference, per 1,000 resources. Garbage is collected before each measurement, except where it says otherwise.`,
  notes: {
    'API, resident': `The objects take what the heap takes. The rest is gaps in pages of V8 and in blocks of glibc, which vary from start to start.`,
  },
  async run({ say }) {
    const measured = await measureMemory(say);
    return { figures: [...figuresOf('controller', measured), ...figuresOf('api', measured)] };
  },
};

function figuresOf(of: Process, { listed, watched }: MemoryPerResource): readonly Figure[] {
  const goal = { atMost: goals[of], source: 'twice to four times the JSON of a resource' };
  const unit = 'MiB per 1,000';
  const heap = [mebibytes(listed[of].heap), mebibytes(watched[of].heap)];
  const resident = [mebibytes(listed[of].resident), mebibytes(watched[of].resident)];
  return [
    figure(`${names[of]}, heap`, unit, heap, goal),
    figure(`${names[of]}, resident`, unit, resident, goal),
    figure(`${names[of]}, resident with garbage`, unit, [
      mebibytes(listed[of].uncollected),
      mebibytes(watched[of].uncollected),
    ]),
  ];
}

function mebibytes(bytesPerResource: number): number {
  return (bytesPerResource * 1_000) / 1_048_576;
}
