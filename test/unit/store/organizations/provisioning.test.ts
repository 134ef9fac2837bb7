// Which new organizations an issuer may bring in: a table over what is there, and when it came.
import { expect, it } from 'vitest';
import type { Organization as StoredOrganization } from '../../../../src/crds/organization.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import {
  defaultProvisioning,
  requireProvisioning,
} from '../../../../src/store/organizations/provisioning.ts';

const now = new Date('2026-01-01T12:00:00Z');
const issuer = 'https://id.test';
const newcomer = organizationOf(issuer, 'newcomer');
const limits = { maxOrganizations: 4, organizationsPerHour: 2 };

function born(minutesAgo: number, of = issuer): StoredOrganization {
  const { namespace: name } = organizationOf(of, `${minutesAgo}`);
  const creationTimestamp = new Date(now.getTime() - minutesAgo * 60_000).toISOString();
  return {
    metadata: { name, creationTimestamp },
    spec: { issuer: of, externalId: `${minutesAgo}` },
  } as unknown as StoredOrganization;
}

interface Row {
  readonly reason: string;
  readonly stored?: readonly StoredOrganization[];
  readonly underWay?: readonly string[];
  /** Its code, and the seconds after which it may come again. */
  readonly refused?: readonly [string, number | undefined];
}

const rows: readonly Row[] = [
  { reason: 'the first of an issuer is accepted' },
  { reason: 'the first of this hour is accepted', stored: [born(61), born(90), born(70)] },
  {
    reason: 'a full hour blocks until its oldest is an hour old',
    stored: [born(10), born(59)],
    refused: ['too_many_requests', 60],
  },
  {
    reason: 'an overfull hour blocks until there is room for one',
    stored: [born(10), born(20), born(59)],
    refused: ['too_many_requests', 2_400],
  },
  {
    reason: 'a reservation that is not in the cache counts',
    stored: [born(30)],
    underWay: ['a'],
    refused: ['too_many_requests', 1_800],
  },
  {
    reason: 'a reservation that is in the cache counts once',
    stored: [born(30)],
    underWay: ['30'],
  },
  {
    reason: 'the total is limited',
    stored: [born(100), born(200), born(300), born(400)],
    refused: ['limit_reached', undefined],
  },
  {
    reason: 'organizations of other issuers do not count',
    stored: [1, 2, 3, 4].map((minutes) => born(minutes, 'https://other.test')),
  },
];

it.each(rows)('[I7] $reason', ({ stored = [], underWay = [], refused }) => {
  const made = underWay.map((id) => organizationOf(issuer, id));
  const ask = () => requireProvisioning(newcomer, () => limits, { stored, underWay: made, now });
  if (refused === undefined) {
    expect(ask).not.toThrow();
    return;
  }
  const [code, retryAfter] = refused;
  expect(ask).toThrow(expect.objectContaining({ code, retryAfter }));
});

it('[I7] has default limits for an issuer without any', () => {
  const stored = Array.from({ length: defaultProvisioning.maxOrganizations }, (_, n) =>
    born(100 + n),
  );
  const ask = () => requireProvisioning(newcomer, () => ({}), { stored, underWay: [], now });
  expect(ask).toThrow(/ask an administrator to raise maxOrganizations/);
});

it('[I7] names the Organization to create where tokens create none', () => {
  const ask = () => requireProvisioning(newcomer, undefined, { stored: [], underWay: [], now });
  expect(ask).toThrow(expect.objectContaining({ code: 'organization_unknown' }));
  expect(ask).toThrow(
    `ask an administrator to create the Organization ${newcomer.namespace} with issuer ${issuer} and externalId newcomer`,
  );
});
