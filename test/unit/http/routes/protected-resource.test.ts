// The metadata of RFC 9728 contains what clients need to sign in, and nothing else of the settings.
import type { Request } from 'express';
import { expect, it } from 'vitest';
import { ProtectedResource } from '../../../../src/api/schemas/protected-resource.ts';
import type { IssuerSettings } from '../../../../src/http/auth/issuer-settings.ts';
import {
  metadataUrlOf,
  protectedResourceRoutes,
} from '../../../../src/http/routes/protected-resource.ts';

const ignored = { about: () => undefined, onUnexpected: () => undefined };
const publicUrl = 'https://fairlead.test';
const settings: IssuerSettings = {
  issuer: 'https://id.test',
  audience: 'secret-audience',
  algorithms: ['ES256'],
  organizationClaim: 'org_id',
  rolesClaim: 'roles',
  platform: false,
};

async function metadata(
  issuers: readonly IssuerSettings[],
  url: string | undefined = publicUrl,
): Promise<Record<string, unknown>> {
  const [endpoint] = protectedResourceRoutes({ publicUrl: url, issuers, release: '1.2.3' });
  const unread = () => Promise.reject(new TypeError('not read'));
  const closed = () => new AbortController().signal;
  const raw = { path: {}, search: '', body: unread, file: unread, closed, ...ignored };
  const answer = await endpoint?.handle({ headers: {} } as Request, raw);
  if (answer?.content === undefined || 'stream' in answer.content) throw new TypeError('no body');
  const body = JSON.parse(answer.content.bytes.toString()) as Record<string, unknown>;
  expect(ProtectedResource.safeParse(body).error).toBeUndefined();
  return body;
}

it('lists an issuer with the defaults of its client', async () => {
  expect(await metadata([{ ...settings, cli: { clientId: 'fl' } }])).toEqual({
    resource: publicUrl,
    authorization_servers: ['https://id.test'],
    bearer_methods_supported: ['header'],
    resource_name: 'Fairlead',
    resource_documentation: 'https://fairlead.test/docs',
    fairlead_version: '1.2.3',
    fairlead_clients: [
      {
        issuer: 'https://id.test',
        client_id: 'fl',
        scope: 'openid offline_access',
        parameters: {},
        token: 'access_token',
        console_client_id: null,
      },
    ],
  });
});

it('lists what the settings of a client contain', async () => {
  const parameters = { audience: 'https://api.test' };
  const cli = { clientId: 'fl', scope: 'openid', parameters, token: 'id_token' } as const;
  const given = { ...settings, cli, console: { clientId: 'web' } };
  expect(await metadata([given])).toMatchObject({
    fairlead_clients: [
      { scope: 'openid', parameters, token: 'id_token', console_client_id: 'web' },
    ],
  });
});

it('lists no issuer without a client, and omits empty lists', async () => {
  const body = await metadata([settings]);
  expect(body).not.toHaveProperty('authorization_servers');
  expect(body).not.toHaveProperty('fairlead_clients');
  const listed = await metadata([
    settings,
    { ...settings, issuer: 'https://b.test', cli: { clientId: 'b' } },
  ]);
  expect(listed['authorization_servers']).toEqual(['https://b.test']);
  expect(JSON.stringify(listed)).not.toMatch(/id\.test|secret-audience/);
});

it('does not exist without a public URL', async () => {
  const [endpoint] = protectedResourceRoutes({ publicUrl: undefined, issuers: [], release: '1' });
  const unread = () => Promise.reject(new TypeError('not read'));
  const closed = () => new AbortController().signal;
  const raw = { path: {}, search: '', body: unread, file: unread, closed, ...ignored };
  await expect(endpoint?.handle({ headers: {} } as Request, raw)).rejects.toMatchObject({
    code: 'not_found',
    help: expect.stringContaining('FAIRLEAD_PUBLIC_URL'),
  });
  expect(metadataUrlOf({ publicUrl: undefined })).toBeUndefined();
  expect(metadataUrlOf({ publicUrl })).toBe(`${publicUrl}/.well-known/oauth-protected-resource`);
});
