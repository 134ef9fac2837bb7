// A provider that a HorizontalPodAutoscaler scales by the subresource of its Provider, without losing an event.
import { expect, it } from 'vitest';
import type { Tenant } from '../support/cluster/installation.ts';
import { becomes, declare, serves } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

const autoscaler = 'crates';

export function scaling(stage: Stage): void {
  it('is scaled to 3 pods and back to 1 by an autoscaler, and loses no event', async () => {
    const { at, north, report } = stage;
    const version = await at.read('{.spec.version}', ...providerOf(north));
    const begun = performance.now();
    await bounds(stage, north, 3);
    await podsAre(stage, north, 3);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    report.fact('From an autoscaler to three available pods', `${seconds} s`);
    await eventually(async () => {
      const budget = ['pdb', 'provider-crates', '--namespace', north.namespace];
      expect(await at.read('{.status.disruptionsAllowed}', ...budget)).toBe('1');
    });
    // Handlers of `many-…` run for five seconds, so that some run in the pods that end.
    const names = Array.from({ length: 40 }, (_, index) => `many-scaled-${index}`);
    await Promise.all(names.slice(0, 20).map((name) => declare(north, name)));
    await bounds(stage, north, 1);
    for (const name of names.slice(20)) await declare(north, name);
    for (const name of names) await becomes(north, name, 'ready', 120_000);
    await podsAre(stage, north, 1);
    await serves(north, version);
    expect((await north.get('/ops/dead-letter')).body).toEqual([]);
    await at.kubectl('delete', 'hpa', autoscaler, '--namespace', north.namespace);
  });
}

const providerOf = ({ namespace }: Tenant) =>
  ['provider.fairlead.dev', 'crates', '--namespace', namespace] as const;

/** With equal bounds, it sets the number by itself, also where no metrics are served. */
async function bounds({ at }: Stage, { namespace }: Tenant, replicas: number): Promise<void> {
  await at.apply({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: autoscaler, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'fairlead.dev/v1alpha1', kind: 'Provider', name: 'crates' },
      minReplicas: replicas,
      maxReplicas: replicas,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    },
  });
}

async function podsAre({ at }: Stage, tenant: Tenant, count: number): Promise<void> {
  const path = '{.spec.replicas} {.status.replicas} {.status.availableReplicas}';
  await eventually(async () => {
    expect(await at.read(path, ...providerOf(tenant))).toBe(`${count} ${count} ${count}`);
  }, 180_000);
}
