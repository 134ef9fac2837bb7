// `tenancy.pods`: what the chart passes on for the pods of builds and providers.
import { beforeAll, expect, it } from 'vitest';
import type { Helm } from '../../packaging/helm.ts';
import { loadConfig } from '../../src/app/config/index.ts';
import { rendered, requireHelm } from '../support/tools/chart.ts';

let helm: Helm;

beforeAll(async () => {
  helm = await requireHelm();
});

const name = 'FAIRLEAD_POD_SCHEDULING';
const given = (pods: object) =>
  rendered(helm, '--set-json', `tenancy.pods=${JSON.stringify(pods)}`);

it('goes to the controller, in a setting that the program accepts', async () => {
  const pods = {
    runtimeClassName: 'gvisor',
    nodeSelector: { 'example.org/pool': 'tenants' },
    tolerations: [
      { key: 'tenants', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3_600 },
    ],
    priorityClassName: 'tenants',
  };
  const { environment } = await given(pods);
  const { [name]: text } = environment('fairlead-controller');
  expect(loadConfig([], { [name]: text }, 'cluster').pods.scheduling).toEqual(pods);
  expect(environment('fairlead-api')).not.toHaveProperty(name);
});

it('is left out by default, and by values of an older release', async () => {
  for (const { environment } of [
    await rendered(helm),
    await rendered(helm, '--set', 'tenancy.pods=null'),
  ]) {
    expect(environment('fairlead-controller')).not.toHaveProperty(name);
  }
});

it('rejects other fields, which could undo the isolation of tenants', async () => {
  await expect(given({ hostNetwork: true })).rejects.toThrow(/hostNetwork/);
});
