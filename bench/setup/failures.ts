// Fills an organization with resources that failed, and with their dead letters. The resources are written to etcd, as their creation is
// not measured; the dead letters are written to the API server, as a controller does.
import { randomUUID } from 'node:crypto';
import { resourceFinalizer } from '../../src/crds/resource.ts';
import { eventId } from '../../src/domain/event.ts';
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { contentHash } from '../../src/domain/lifecycle.ts';
import { type DeadLetter, toConfigMap } from '../../src/store/dead-letters/object.ts';
import { eventually } from '../../test/support/runner/eventually.ts';
import { inParallel } from '../measure.ts';
import { storeInEtcd } from './copies.ts';
import type { Installation } from './installation.ts';

const width = 32;
const providers = ['postgres', 'kafka', 'bucket'] as const;
const errors = ['REFUSED', 'DENIED', 'QUOTA', 'TIMEOUT', 'CONFLICT', 'NO_SPACE', 'TLS'] as const;
/** One in so many has an error of its own. */
const rareness = 1_000;

export interface Failures {
  /** Creates failed resources, without dead letters. */
  resources(count: number): Promise<void>;
  /** Writes the dead letters of the resources with these numbers. */
  deadLetters(range: { readonly from: number; readonly to: number }): Promise<void>;
  /** Path of the ConfigMaps of the organization. */
  readonly path: string;
}

export interface Place {
  readonly installation: Pick<Installation, 'etcd' | 'raw'>;
  readonly namespace: string;
  readonly organizationId: string;
  readonly project: string;
}

export function failuresIn({ installation, namespace, ...place }: Place): Failures {
  const { etcd, raw } = installation;
  const failed: DeadLetter[] = [];
  const path = `/api/v1/namespaces/${namespace}/configmaps`;

  async function fail(index: number): Promise<string> {
    const { resource, deadLetter } = failureOf(index, { namespace, ...place });
    failed[index] = deadLetter;
    const { name } = resource.metadata;
    await storeInEtcd(etcd, `/registry/fairlead.dev/resources/${namespace}/${name}`, resource);
    return name;
  }

  return {
    path,
    async resources(count) {
      let last = '';
      await inParallel(count, width, async (index) => {
        last = await fail(index);
      });
      const resources = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources`;
      await eventually(() => raw.send('GET', `${resources}/${last}`));
    },
    deadLetters: ({ from, to }) =>
      inParallel(to - from, width, async (at) => {
        const deadLetter = failed[from + at];
        if (deadLetter === undefined) throw new Error(`there is no resource ${from + at}`);
        await raw.send('POST', path, toConfigMap({ ...deadLetter, failedAt: new Date() }));
      }),
  };
}

function failureOf(
  index: number,
  { namespace, organizationId, project }: Omit<Place, 'installation'>,
) {
  const provider = providers[index % providers.length] ?? '';
  const tuple = { provider, resource: 'thing', name: `thing-${String(index).padStart(6, '0')}` };
  const name = objectNameOf(keyOf(tuple));
  const uid = randomUUID();
  const config = { size: index, note: 'x'.repeat(500) };
  const content = contentHash({ lifecycle: 'Committed', config });
  const id = eventId({ uid, generation: 1, content }, 'CREATE');
  const errorCode = index % rareness === 0 ? 'RARE' : (errors[index % errors.length] ?? '');
  const errorMessage = `${errorCode}: ${tuple.name} at 10.0.${index % 200}.7:5432 after ${index} ms`;
  const at = new Date().toISOString();
  const resource = {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: {
      ...{ name, namespace, uid, generation: 1, creationTimestamp: at.replace(/\.\d+/, '') },
      finalizers: [resourceFinalizer],
    },
    spec: { ...tuple, project, lifecycle: 'Committed', config },
    status: {
      state: 'failed',
      reason: 'ProviderFailed',
      observedGeneration: 1,
      content,
      event: {
        ...{ id, type: 'CREATE', generation: 1, content, declared: content },
        ...{ attempt: 5, sequence: 5, startedAt: at },
      },
      error: errorMessage,
    },
  };
  const deadLetter: DeadLetter = {
    eventId: id,
    eventType: 'CREATE',
    organizationId,
    projectId: project,
    provider,
    resourceType: tuple.resource,
    resourceName: tuple.name,
    errorMessage,
    errorCode,
    attemptCount: 5,
    failedAt: new Date(),
    payload: { event_id: id, event_type: 'CREATE', ...tuple, config },
    resource: { name, namespace, uid },
    generation: 1,
  };
  return { resource, deadLetter };
}
