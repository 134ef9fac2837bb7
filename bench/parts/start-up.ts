import { figure, type Part } from '../report/figures.ts';
import { measureStartUp } from '../start-up.ts';

export const startUp: Part = {
  name: 'start-up',
  title: 'Start of the client',
  about:
    'CPU time of whole commands of the client `fairlead`, over that of a Node.js that does nothing, in the same minute.',
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
