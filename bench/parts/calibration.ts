import {
  type Calibration,
  calibrate,
  eventsOfLifecycle,
  watchesOfResources,
} from '../calibration.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';

export const calibration: Part = {
  name: 'calibration',
  title: 'Costs of one operation',
  about: `CPU time of every program for one operation, and memory of the API server for one resource: the figures on which the arithmetic of
[Scaling](scaling.md) rests. One value for each number of applies at a time.`,
  async run({ say }) {
    return { figures: figuresOf(await calibrate(say)) };
  },
};

function figuresOf(calibrated: Calibration): readonly Figure[] {
  const { lifecycles, watcherMs, listMs, parseMs, apiServerBytes } = calibrated;
  const watchesMs = eventsOfLifecycle * watchesOfResources * watcherMs;
  const cpu = (name: string, values: readonly number[]) =>
    figure(`CPU of ${name}`, 'CPU-ms', values);
  return [
    cpu(
      'the API server, the three writes of a lifecycle',
      lifecycles.map((each) => Math.max(0, each['kube-apiserver'] - watchesMs)),
    ),
    cpu('the API server, an event to one more watch', [watcherMs]),
    cpu('the API server, a listed resource', [listMs]),
    cpu(
      'etcd, a write',
      lifecycles.map(({ etcd }) => etcd / eventsOfLifecycle),
    ),
    cpu(
      'the API, an apply',
      lifecycles.map(({ api, spare }) => Math.max(0, api - spare)),
    ),
    cpu(
      'the controller, a lifecycle',
      lifecycles.map(({ controller, spare }) => Math.max(0, controller - spare)),
    ),
    cpu(
      'a process that only caches, an event',
      lifecycles.map(({ spare }) => spare / eventsOfLifecycle),
    ),
    cpu('a process, a listed resource', [parseMs]),
    figure('Memory of the API server, a resource', 'KiB', [apiServerBytes / 1_024]),
  ];
}
