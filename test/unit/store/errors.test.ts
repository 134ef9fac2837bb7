import { describe, expect, it } from 'vitest';
import { KubeError, type KubeReason } from '../../../src/kube/errors.ts';
import { translateKubeError } from '../../../src/store/errors.ts';

const forbidden = 'resources.fairlead.dev "crates-crate-x" is forbidden: ';
// Texts of kube-apiserver 1.36.
const exceeded =
  'exceeded quota: fairlead, requested: count/resources.fairlead.dev=1, used: count/resources.fairlead.dev=3, limited: count/resources.fairlead.dev=3';
const unknown = 'status unknown for quota: fairlead, resources: count/resources.fairlead.dev';
const others =
  'exceeded quota: fairlead, requested: count/configmaps=1, used: count/configmaps=20k, limited: count/configmaps=20k';

interface Row {
  readonly reason: KubeReason;
  readonly message: string;
  readonly want: object;
}

describe('errors of the API server', () => {
  it.each<Row>([
    {
      reason: 'forbidden',
      message: forbidden + exceeded,
      want: { code: 'limit_reached', message: expect.stringMatching(/limit of 3 resources; /) },
    },
    {
      reason: 'forbidden',
      message: forbidden + exceeded.replaceAll('=3', '=10k'),
      want: { code: 'limit_reached', message: expect.stringMatching(/limit of 10k resources; /) },
    },
    // The quota controller counts soon; then the same request is accepted or rejected permanently.
    { reason: 'forbidden', message: forbidden + unknown, want: { code: 'unavailable' } },
    { reason: 'forbidden', message: others, want: { code: 'unavailable' } },
    { reason: 'conflict', message: 'changed', want: { code: 'conflict' } },
    { reason: 'tooLarge', message: 'etcd', want: { code: 'too_large' } },
  ])('are reported as $want.code: $message', ({ reason, message, want }) => {
    expect(translateKubeError(new KubeError({ reason, message }))).toMatchObject(want);
  });
});
