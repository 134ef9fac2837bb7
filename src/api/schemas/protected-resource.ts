// Defines the metadata of the API as a protected resource (RFC 9728).
import { z } from 'zod';

export const tokenKinds = ['access_token', 'id_token'] as const;
export type TokenKind = (typeof tokenKinds)[number];

const Client = z.object({
  issuer: z.url().describe('Issuer at which the client signs in.'),
  client_id: z.string().describe('Public client of the command line; it has no secret.'),
  scope: z.string().describe('Scope to request.'),
  parameters: z
    .record(z.string(), z.string())
    .describe('Additional parameters of the authorization request.'),
  token: z.enum(tokenKinds).describe('Token of the issuer that the API accepts.'),
  console_client_id: z
    .string()
    .nullable()
    .describe('Public client of the web console. Null when the issuer has none.'),
});

export const ProtectedResource = z
  .object({
    resource: z.url().describe('Public URL of the API; equals the address that a client uses.'),
    authorization_servers: z
      .array(z.url())
      .optional()
      .describe('Issuers at which clients sign in. Absent when there is none.'),
    bearer_methods_supported: z.array(z.literal('header')),
    resource_name: z.string(),
    resource_documentation: z.url(),
    fairlead_version: z.string().describe('Version of Fairlead.'),
    fairlead_clients: z
      .array(Client)
      .optional()
      .describe('How to sign in at each of these issuers. Absent when there is none.'),
  })
  .meta({
    examples: [
      {
        resource: 'https://fairlead.example.org',
        authorization_servers: ['https://id.example.org/realms/main'],
        bearer_methods_supported: ['header'],
        resource_name: 'Fairlead',
        resource_documentation: 'https://fairlead.example.org/docs',
        fairlead_version: '0.2.0',
        fairlead_clients: [
          {
            issuer: 'https://id.example.org/realms/main',
            client_id: 'fairlead-cli',
            scope: 'openid offline_access',
            parameters: {},
            token: 'access_token',
            console_client_id: null,
          },
        ],
      },
    ],
  });
