// Shows providers, builds and deployments as rows.
import type { Build, Deployment, Provider } from '../../api/shapes.ts';
import { deploymentState, type Pods, podCounts } from '../../client/deployment.ts';
import { elapsed } from '../../client/time.ts';
import type { View } from '../terminal/output.ts';
import { stateText } from '../terminal/style.ts';
import { timeColumn } from '../terminal/table.ts';
import { hasItsPods } from './rollout.ts';

export function podsText(provider: Pods): string {
  const { ready, replicas } = podCounts(provider);
  return replicas > 1 ? `${ready}/${replicas}` : String(ready);
}

/** @returns why no drift is corrected, undefined when corrections are not held */
export function heldCorrections({ corrections_held: held }: Provider): string | undefined {
  return held == null ? undefined : held.message;
}

export const providerView: View<Provider> = {
  columns: [
    { title: 'PROVIDER', cell: ({ provider }) => provider },
    { title: 'STATE', cell: (provider, { style }) => stateText(deploymentState(provider), style) },
    { title: 'VERSION', cell: ({ version, hosted }) => version ?? (hosted ? '' : 'elsewhere') },
    { title: 'PREVIOUS', wide: true, cell: ({ previous_version }) => previous_version ?? '' },
    { title: 'PODS', cell: podsText },
    timeColumn('UPDATED', ({ updated_at }) => updated_at),
    {
      title: 'MESSAGE',
      cell: (provider) =>
        provider.status === 'available' && hasItsPods(provider) ? '' : provider.message,
    },
    {
      title: 'CORRECTIONS',
      sparse: true,
      cell: (provider) => (heldCorrections(provider) === undefined ? '' : 'held'),
    },
  ],
  nameOf: ({ provider }) => provider,
};

export const buildView: View<Build> = {
  columns: [
    { title: 'BUILD', cell: ({ job_name }) => job_name },
    { title: 'VERSION', cell: ({ version }) => version },
    { title: 'STATE', cell: ({ status }, { style }) => stateText(status, style) },
    timeColumn('AGE', ({ created_at }) => created_at),
    { title: 'TOOK', cell: tookOf },
    { title: 'ERROR', cell: ({ error_message }) => error_message ?? '' },
  ],
  nameOf: ({ job_name }) => job_name,
};

function tookOf({ started_at, finished_at }: Build): string {
  if (started_at === null || finished_at === null) return '';
  return elapsed(Date.parse(finished_at) - Date.parse(started_at));
}

export const deploymentView: View<Deployment> = {
  columns: [
    { title: 'VERSION', cell: ({ version }) => version },
    { title: 'STATE', cell: (found, { style }) => stateText(deploymentState(found), style) },
    { title: 'PODS', cell: podsText },
    { title: 'MESSAGE', cell: ({ message }) => message },
  ],
  nameOf: ({ version }) => version,
};
