// Provides a test file with a service and an organization whose providers have one type, `crate`. Tests build and deploy
// versions of them over HTTP.
import { expect } from 'vitest';
import type { DeliveryOptions } from '../../src/domain/delivery-options.ts';
import { organizationOf } from '../../src/domain/identity.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { apiOfFile } from './api-of-file.ts';
import { becomesReady } from './deployment-status.ts';
import { eventually } from './eventually.ts';
import { buildEnds, push, pushed } from './provider-code.ts';
import { type ApiCaller, callerBy } from './served-api.ts';

export type Types = readonly ({
  resource: string;
  description: string;
  schema?: JsonObject;
} & DeliveryOptions)[];

const artifact = { digest: `sha256:${'a'.repeat(64)}`, size: 1 };

/** @param required names of members */
export const sized = (...required: string[]): JsonObject => ({
  type: 'object',
  properties: { size: { type: 'integer' }, colour: { type: 'string' } },
  required,
});

export const crate = (schema: JsonObject = sized()) => [
  { resource: 'crate', description: 'A crate', schema },
];

/** Call it at the top of a test file: its tests share the service. */
export function deployedCode(organization: string) {
  const api = apiOfFile();
  let caller: Promise<ApiCaller> | undefined;
  const admin = callerBy(async (...request) => {
    caller ??= api().caller(organization);
    return (await caller).send(...request);
  });
  return {
    /** The service, once a test runs. */
    api,
    /** An administrator of the organization. */
    admin,
    /** @returns the version of a build that succeeded */
    async built(provider: string, types: Types = crate(), settings?: object): Promise<string> {
      const { version, job_name: name } = pushed(await push(admin, provider));
      const declared = settings === undefined ? {} : { settings };
      const built = types.map((each) => ({ ...each }));
      const status = { phase: 'success', artifact, types: built, ...declared } as const;
      await buildEnds(api(), { organization, name }, status as Parameters<typeof buildEnds>[2]);
      return version;
    },
    deploy: (provider: string, body: unknown = {}, query = '') =>
      admin.post(`/providers/${provider}/deploy${query}`, body),
    /** Makes the pods of the wanted version ready, as Kubernetes does, and waits until the version has taken over. */
    async serves(provider: string, version: string): Promise<void> {
      const { namespace } = organizationOf(api().issuer.url, organization);
      await eventually(async () => {
        await becomesReady({ namespace, name: `provider-${provider}` }, version);
        const { body } = await admin.get(`/providers/${provider}/deployment`);
        expect(body).toMatchObject({ version, status: 'available' });
      });
    },
    rollback: (provider: string) => admin.send('POST', `/providers/${provider}/rollback`),
    commit: (provider: string, name: string, config: object = {}) =>
      admin.post('/resources/apply', {
        provider,
        resource: 'crate',
        name,
        config,
        lifecycle_state: 'pending',
      }),
    async typesOf(provider: string): Promise<readonly unknown[]> {
      const { body } = await admin.get('/resources/types');
      return (body as readonly { provider: string }[]).filter((each) => each.provider === provider);
    },
  };
}
