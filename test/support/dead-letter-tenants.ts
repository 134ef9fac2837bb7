// Creates separate organizations with failed resources, for tests of dead letters over HTTP.
import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Resource } from '../../src/crds/resource.ts';
import { type Organization, organizationOf } from '../../src/domain/identity.ts';
import type { KubeClient } from '../../src/kube/api.ts';
import type { DeadLetter } from '../../src/store/dead-letters/object.ts';
import { kinds } from '../../src/store/kinds.ts';
import { apiOfFile } from './api-of-file.ts';
import { eventually } from './eventually.ts';
import { failedResource } from './failed-resources.ts';
import type { Answer, ApiCaller, ServedApi } from './served-api.ts';
import { sharedClient } from './shared-client.ts';

export interface DeadLetterTenant {
  readonly organization: Organization;
  readonly admin: ApiCaller;
  /** @returns the letter of a resource that failed, once the service takes it for one that can be retried */
  readonly fail: (
    provider: string,
    name: string,
    changes?: Partial<DeadLetter>,
  ) => Promise<DeadLetter>;
  readonly listed: (search?: string) => Promise<readonly ListedDeadLetter[]>;
  /** @returns the resource of a letter as it is stored */
  readonly resourceOf: (deadLetter: DeadLetter) => Promise<Resource>;
}

export interface ListedDeadLetter {
  readonly event_id: string;
  readonly superseded: boolean;
}

export interface DeadLetterTenants {
  /** The service, once a test runs. */
  api(): ServedApi;
  /** A client of its control plane. */
  readonly client: KubeClient;
  /** Creates another organization. */
  tenant(): Promise<DeadLetterTenant>;
}

/** Call it at the top of a test file: its tests share the service, and the client. */
export function deadLetterTenants(): DeadLetterTenants {
  const client = sharedClient();
  const api = apiOfFile();
  return { api, client, tenant: () => deadLetterTenant(api(), client) };
}

async function deadLetterTenant(api: ServedApi, client: KubeClient): Promise<DeadLetterTenant> {
  const id = `letters-${randomUUID().slice(0, 8)}`;
  const organization = organizationOf(api.issuer.url, id);
  const admin = await api.caller(id);
  const listed = async (search = '') => {
    const { status, body, text } = await admin.get(`/ops/dead-letter${search}`);
    expect(status, text).toBe(200);
    return body as readonly ListedDeadLetter[];
  };
  await listed();
  return {
    organization,
    admin,
    listed,
    resourceOf: ({ resource }) => client.get<Resource>(kinds.resource, resource),
    async fail(provider, resourceName, changes = {}) {
      const wanted = { provider, resourceName, ...changes };
      const deadLetter = await failedResource(client, organization, wanted);
      await eventually(async () => {
        const found = (await listed()).find((each) => each.event_id === deadLetter.eventId);
        expect(found?.superseded).toBe(false);
      });
      return deadLetter;
    },
  };
}

/** @returns an event id, the same for the same text */
export function eventIdFor(text: string): string {
  return `evt-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** The id of no dead letter, unless a test writes one with it. */
export const never = eventIdFor('never');

export function idsIn({ body }: Answer): readonly string[] {
  return (body as readonly ListedDeadLetter[]).map((each) => each.event_id);
}

export const minute = (count: number) => new Date(Date.UTC(2026, 0, 1, 0, count));
