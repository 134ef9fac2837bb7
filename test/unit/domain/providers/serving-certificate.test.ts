import { expect, it } from 'vitest';
import { organizationOf } from '../../../../src/domain/identity.ts';
import {
  certificatesIn,
  expiryOf,
  fingerprintOf,
  renewalOf,
  serverNameOf,
} from '../../../../src/domain/providers/serving-certificate.ts';
import { testAuthority } from '../../../support/fixtures/authority.ts';

const names: Record<string, readonly [string, string]> = {
  'shop.fl-acme-0123456789ab.fairlead.internal': ['fl-acme-0123456789ab', 'shop'],
  'shop-2.fl-globex-0123456789ab.fairlead.internal': ['fl-globex-0123456789ab', 'shop-2'],
};

it.each(Object.entries(names))('is named %s', (want, [namespace, provider]) => {
  expect(serverNameOf(namespace, provider)).toBe(want);
});

it('has labels that DNS allows for the longest names', () => {
  const { namespace } = organizationOf('https://issuer.test', 'o'.repeat(500));
  const labels = serverNameOf(namespace, 'p'.repeat(40)).split('.');
  expect(labels).toHaveLength(4);
  expect(Math.max(...labels.map((each) => each.length))).toBeLessThanOrEqual(63);
});

const expiries = [
  { now: '2026-01-01T00:00:00.000Z', want: '2026-04-01T00:00:00.000Z' },
  { now: '2026-01-01T23:59:59.999Z', want: '2026-04-01T00:00:00.000Z' },
  { now: '2026-01-02T00:00:00.000Z', want: '2026-04-02T00:00:00.000Z' },
];

it.each(expiries)('made at $now expires at $want', ({ now, want }) => {
  expect(expiryOf(new Date(now)).toISOString()).toBe(want);
});

const renewals = [
  { spread: 0, want: '2026-03-02T00:00:00.000Z', reason: 'Two thirds of 90 days' },
  { spread: 0.5, want: '2026-03-05T18:00:00.000Z', reason: 'In the middle' },
  { spread: 1, want: '2026-03-09T12:00:00.000Z', reason: 'Three quarters at most' },
];

it.each(renewals)('is renewed at $want with a spread of $spread', ({ spread, want, reason }) => {
  const expiresAt = new Date('2026-04-01T00:00:00Z');
  expect(renewalOf(expiresAt, spread).toISOString(), reason).toBe(want);
});

it('reads the certificates of a bundle, whatever is between them', async () => {
  const [first, second] = [await testAuthority(), await testAuthority()];
  const bundle = `# first\r\n${first.certificate}\n\n${second.certificate}-----BEGIN`;
  const found = certificatesIn(bundle);
  expect(found.map(fingerprintOf)).toEqual([first.signing, second.signing]);
});
