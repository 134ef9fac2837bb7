// The priority of the API's requests at the API server; test/chart/cluster.test.ts checks how a real one classifies them.
import { expect, it } from 'vitest';
import { type Rendered, rendered, requireHelm, set } from '../support/tools/chart.ts';

function kindsOf({ objects }: Rendered): readonly string[] {
  return objects
    .filter(({ apiVersion }) => apiVersion.startsWith('flowcontrol.'))
    .map(({ kind }) => kind);
}

it('gives the service account of the API a priority level with the configured shares', async () => {
  const shares = set('api.priorityAndFairness.nominalConcurrencyShares', 60);
  const { get } = await rendered(await requireHelm(), ...shares);
  expect(get('PriorityLevelConfiguration', 'fairlead-api').spec).toMatchObject({
    type: 'Limited',
    limited: { nominalConcurrencyShares: 60, limitResponse: { type: 'Queue' } },
  });
  const account = { name: 'fairlead-api', namespace: 'fairlead-system' };
  expect(get('FlowSchema', 'fairlead-api').spec).toMatchObject({
    priorityLevelConfiguration: { name: 'fairlead-api' },
    distinguisherMethod: { type: 'ByNamespace' },
    rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: account }] }],
  });
});

it('creates neither object where it is disabled', async () => {
  const helm = await requireHelm();
  expect(kindsOf(await rendered(helm))).toHaveLength(2);
  const disabled = set('api.priorityAndFairness.enabled', false);
  expect(kindsOf(await rendered(helm, ...disabled))).toEqual([]);
});
