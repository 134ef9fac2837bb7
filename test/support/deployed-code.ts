// Provides providers with one type, `crate`, whose versions a test builds and deploys over HTTP.
import type { JsonObject } from '../../src/domain/json.ts';
import { buildEnds, push, pushed } from './provider-code.ts';
import type { ApiCaller, ServedApi } from './served-api.ts';

export type Types = readonly { resource: string; description: string; schema?: JsonObject }[];

/** @param required names of members */
export const sized = (...required: string[]): JsonObject => ({
  type: 'object',
  properties: { size: { type: 'integer' }, colour: { type: 'string' } },
  required,
});

export const crate = (schema: JsonObject = sized()) => [
  { resource: 'crate', description: 'A crate', schema },
];

/** @param who gives the API and an administrator of the organization, once they are there */
export function deployedCode(
  organization: string,
  who: () => { readonly api: ServedApi; readonly admin: ApiCaller },
) {
  return {
    /** @returns the version of a build that succeeded */
    async built(provider: string, types: Types = crate()): Promise<string> {
      const { api, admin } = who();
      const { version, job_name: name } = pushed(await push(admin, provider));
      const status = { phase: 'success', types: types.map((each) => ({ ...each })) } as const;
      await buildEnds(api, { organization, name }, status as Parameters<typeof buildEnds>[2]);
      return version;
    },
    deploy: (provider: string, body: unknown = {}, query = '') =>
      who().admin.post(`/providers/${provider}/deploy${query}`, body),
    rollback: (provider: string) => who().admin.send('POST', `/providers/${provider}/rollback`),
    commit: (provider: string, name: string, config: object = {}) =>
      who().admin.post('/resources/apply', {
        provider,
        resource: 'crate',
        name,
        config,
        lifecycle_state: 'pending',
      }),
    async typesOf(provider: string): Promise<readonly unknown[]> {
      const { body } = await who().admin.get('/resources/types');
      return (body as readonly { provider: string }[]).filter((each) => each.provider === provider);
    },
  };
}
