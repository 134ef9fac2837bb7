import { figure, type Part } from '../report/figures.ts';
import { measureStartUp } from '../start-up.ts';

export const startUp: Part = {
  name: 'start-up',
  title: 'Start of the client',
  about:
    'CPU time of whole commands of the client `fairlead`, over that of a Node.js that does nothing, in the same minute.',
  notes: {
    '`fairlead --version`, over Node.js': `Reading the bundle of 770 kB and its compiled code, which every command does: 13 of the milliseconds below.`,
    '`fairlead --help`, over Node.js':
      'Declaring all verbs, their options and help takes the rest, also in the commands below.',
    '`fairlead get`, over Node.js':
      'A bare request with `node:http` takes 19 ms of CPU, and the table of 50 rows some ten.',
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
