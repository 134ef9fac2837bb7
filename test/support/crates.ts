// Provides an organization with one type `box/crate` and a recording provider: the start of end-to-end tests of the
// lifecycle.
import { expect } from 'vitest';
import type { Resource } from '../../src/crds/resource.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { kinds } from '../../src/store/kinds.ts';
import { eventually } from './eventually.ts';
import type { Caller, Fairlead } from './fairlead.ts';
import { type RecordingProvider, recordingProvider } from './receipts.ts';

export interface CrateRecord {
  readonly lifecycle_state: string;
  readonly reason: string;
  readonly error: string | null;
  readonly outputs: object;
  readonly config: object;
  readonly tags: string[] | null;
}

export interface Crates {
  readonly fairlead: Fairlead;
  readonly acme: Caller;
  /** The namespace of the organization. */
  readonly namespace: string;
  readonly provider: RecordingProvider;
  /** Applies a Provider that sends events to `endpoint`, as a cluster admin does. */
  readonly pointAt: (name: string, endpoint: string) => Promise<string>;
  readonly fetched: (name: string) => Promise<CrateRecord>;
  /** Waits for a state of a crate and returns its record. @throws when that takes too long */
  readonly reaches: (name: string, state: string) => Promise<CrateRecord>;
  /** Names of the organization's Resource objects in the API server. */
  readonly stored: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

const schema = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, owner: { type: 'string' } },
  required: ['size'],
  additionalProperties: false,
};

/** The body of an apply. */
export function crate(name: string, config: object = { size: 1 }, more: object = {}) {
  return { provider: 'box', resource: 'crate', name, config, lifecycle_state: 'pending', ...more };
}

/** @param organization one that no other file uses on this Fairlead */
export async function startCrates(fairlead: Fairlead, organization = 'acme'): Promise<Crates> {
  const acme = await fairlead.caller(organization);
  const { namespace } = (await acme.get('/auth/me')).body as { namespace: string };
  const cluster = createKubeClient(loadCluster({ kubeconfig: fairlead.kubeconfig }));
  const provider = await recordingProvider();
  const description = 'A crate';
  const type = { provider: 'box', resource: 'crate', description, schema };
  expect((await acme.post('/resources/register', type)).status).toBe(200);

  async function fetched(name: string): Promise<CrateRecord> {
    const { status, body } = await acme.get(`/resources/box%2Fcrate%2F${name}`);
    expect(status).toBe(200);
    return body as CrateRecord;
  }

  const crates: Crates = {
    fairlead,
    acme,
    namespace,
    provider,
    fetched,
    pointAt: (name, endpoint) =>
      fairlead.apply({
        apiVersion: 'fairlead.dev/v1alpha1',
        kind: 'Provider',
        metadata: { name, namespace },
        spec: { provider: name, endpoint },
      }),
    reaches: (name, state) =>
      eventually(async () => {
        const record = await fetched(name);
        expect(record.lifecycle_state).toBe(state);
        return record;
      }),
    async stored() {
      const { items } = await cluster.list<Resource>(kinds.resource, { namespace });
      return items.map(({ spec }) => spec.name);
    },
    async close() {
      await cluster.close();
      await provider.close();
    },
  };
  await crates.pointAt('box', provider.url);
  return crates;
}
