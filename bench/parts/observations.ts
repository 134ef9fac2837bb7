import { type Measured, measureObservations, resources } from '../observations.ts';
import { type Figure, figure, type Part, shown } from '../report/figures.ts';

export const observations: Part = {
  name: 'observations',
  title: 'Observations',
  about: `One process with API and controller beside ${shown(resources)} ready resources of 1.5 KB of one provider on loopback, whose objects
are as declared. The cost of an observation is the CPU time of minutes in which all are observed, with the shortest interval, without that of a
minute in which none is. Lifecycles, 500 in a turn and 32 at once, are measured with and without observations every hour, in turns, in the
tenth of the hour in which all of them come: 28 a second.`,
  async run({ say }) {
    return { figures: figuresOf(await measureObservations(say)) };
  },
};

function figuresOf({ cost, beside }: Measured): readonly Figure[] {
  return [
    figure('Lifecycles beside observations, ratio to without', 'ratio', beside.ratios, {
      atLeast: 0.95,
      source: 'events come first',
    }),
    figure('A/A control, without to without', 'ratio', beside.controls, {
      between: [0.9, 1.1],
      source: 'else the machine is too unsteady',
    }),
    figure('Writes during observations', 'requests', [cost.writes], {
      exactly: 0,
      source: 'what is in sync is not written',
    }),
    figure('CPU per observation', 'CPU-ms', cost.cpuMs, {
      atMost: 0.5,
      source: 'twice a delivery',
    }),
    figure('Observations during the lifecycles', 'per second', beside.observations),
    figure('Lifecycles beside observations', 'resources/s', beside.withThem),
    figure('Lifecycles without', 'resources/s', beside.without),
  ];
}
