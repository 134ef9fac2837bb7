import { figure, type Part } from '../report/figures.ts';
import { measureStartUp } from '../start-up.ts';

export const startUp: Part = {
  name: 'start-up',
  title: 'Start of the client',
  about:
    'CPU time of whole commands of the client `fairlead`, over that of a Node.js that does nothing, in the same minute.',
  notes: {
    '`fairlead --version`, over Node.js':
      'Reading the bundle and its compiled code, which every command does: seven of the milliseconds below.',
    '`fairlead --help`, over Node.js':
      'Opening standard output takes Node.js three, for its streams, and reading the command line two; in the commands below, too.',
    '`fairlead get`, over Node.js':
      'A bare request with `node:http` takes Node.js 19 of CPU time; parsing the answer and printing 50 rows take four.',
  },
  async run() {
    const { costs, bareMs } = await measureStartUp();
    const figures = costs.map(({ command, overBareMs, aimMs }) =>
      figure(`\`fairlead ${command}\`, over Node.js`, 'CPU-ms', overBareMs, {
        atMost: aimMs,
        source: 'less than a person notices',
      }),
    );
    return { figures: [...figures, figure('`node -e 0`', 'CPU-ms', bareMs)] };
  },
};
