import { expect, it } from 'vitest';
import { actorOf, callerFrom } from '../../../../src/http/auth/claims.ts';
import type { IssuerSettings } from '../../../../src/http/auth/issuer-settings.ts';

const settings: IssuerSettings = {
  platform: false,
  issuer: 'https://id.example.com',
  audience: 'fairlead',
  algorithms: ['ES256'],
  organizationClaim: 'org_id',
  defaultRole: 'viewer',
};
const email = 'ada@example.com';

it.each<[string, Record<string, unknown>, string | undefined]>([
  ['the name of the sign-in', { preferred_username: 'ada', email, name: 'Ada' }, 'ada'],
  ['the address without one', { email, name: 'Ada' }, email],
  ['the full name without both', { name: 'Ada' }, 'Ada'],
  ['the next when one is no text', { preferred_username: 7, email: ' ', name: 'Ada' }, 'Ada'],
  ['the next when one is too long', { preferred_username: 'a'.repeat(300), email }, email],
  ['it cleaned', { name: 'Ada\u001b[2J\nadmin' }, 'Ada [2J admin'],
  ['nothing without any', {}, undefined],
])('shows %s', (_what, claims, name) => {
  const caller = callerFrom({ org_id: 'acme', sub: 's-1', ...claims }, settings);
  expect(actorOf(caller)).toEqual({ subject: 's-1', name });
});
