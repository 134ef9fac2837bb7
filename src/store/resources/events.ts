// Reads the Kubernetes Events of a resource, which the API server keeps for an hour by default.
import type { Organization, ResourceAddress } from '../../domain/identity.ts';
import {
  allow,
  eventKind,
  type KubeClient,
  type KubeObject,
  type ScopedRules,
} from '../../kube/api.ts';
import type { GetOptions } from '../interfaces.ts';
import { find, isVisible, resourceNotFound } from './lookup.ts';
import { iso, latest } from './state.ts';

/** `npm run generate` generates roles from these. */
export const resourceEventRules = {
  tenant: [allow(['list'], 'events.k8s.io', ['events'])],
} satisfies ScopedRules;

export interface ResourceEventRecord {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** How often it was observed. */
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface ResourceEvents {
  /** The oldest first, at most the newest hundred. @throws FairleadError `resource_not_found` */
  list(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions,
  ): Promise<readonly ResourceEventRecord[]>;
}

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly regarding?: { readonly uid?: string };
}

const maxRead = 500;
const maxShown = 100;

export function createResourceEvents({ client }: { client: KubeClient }): ResourceEvents {
  return {
    list: async (organization, address, options) => {
      const found = await find(client, organization, address);
      if (found === undefined || !isVisible(found, options)) throw resourceNotFound(address);
      const { namespace } = organization;
      const { uid } = found.metadata;
      const fieldSelector = `regarding.uid=${uid}`;
      const where = { namespace, fieldSelector, limit: maxRead };
      const { items } = await client.list<EventObject>(eventKind, where);
      return items
        .filter(({ regarding }) => regarding?.uid === uid)
        .map(eventRecord)
        .sort((left, right) => (left.lastAt < right.lastAt ? -1 : 1))
        .slice(-maxShown);
    },
  };
}

function eventRecord(event: EventObject): ResourceEventRecord {
  const { metadata, series, type, reason = '', note = '' } = event;
  const firstAt = iso(
    event.eventTime ?? event.deprecatedFirstTimestamp ?? metadata.creationTimestamp,
  );
  return {
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason,
    message: note,
    count: series?.count ?? event.deprecatedCount ?? 1,
    firstAt,
    lastAt: latest(firstAt, series?.lastObservedTime, event.deprecatedLastTimestamp),
  };
}
