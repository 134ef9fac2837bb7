// Shows the figures of the model as this machine measures them, beside those that the simulation uses.
import { type Figure, figure } from '../report/figures.ts';
import type { Calibration } from './calibrate.ts';
import { type Costs, measured } from './figures.ts';
import { costsOf } from './validate.ts';

const names: Partial<Record<keyof Costs, string>> = {
  createMs: 'CPU of the API server, a create',
  statusMs: 'CPU of the API server, a status',
  watcherMs: 'CPU of the API server, an event to one more watch',
  listMs: 'CPU of the API server, a listed resource',
  etcdMs: 'CPU of etcd, a write',
  applyMs: 'CPU of the API, an apply',
  lifecycleMs: 'CPU of the controller, a lifecycle',
  eventMs: 'CPU of a process that only caches, an event',
  parseMs: 'CPU of a process, a listed resource',
};

export function figuresOfModel(calibration: Calibration): readonly Figure[] {
  const here = costsOf(calibration);
  const costs = Object.entries(names).map(([key, name]) => {
    const ms = here[key as keyof Costs];
    return figure(`${name} (model: ${measured[key as keyof Costs]})`, 'CPU-ms', [ms]);
  });
  const bytes = calibration.apiServerBytes / 1_024;
  return [...costs, figure('Memory of the API server, a resource', 'KiB', [bytes])];
}
