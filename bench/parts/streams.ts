import { figure, type Part } from '../report/figures.ts';
import { measureStreams } from '../streams.ts';

export const streams: Part = {
  name: 'streams',
  title: 'Idle watches',
  about:
    'Memory of the service per open watch over HTTP (server-sent events) on which nothing happens, 500 of them.',
  async run() {
    return { figures: [figure('Memory of an idle watch', 'KiB', [await measureStreams()])] };
  },
};
