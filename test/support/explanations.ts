// Explains resources from given facts, for tests.

import { isPermitted, ruleOf } from '../../src/api/permissions.ts';
import type { Holder } from '../../src/api/roles.ts';
import type { Resource } from '../../src/crds/resource.ts';
import { explain } from '../../src/store/resources/explanation/explain.ts';
import type {
  DeadLetterFacts,
  Explanation,
  Facts,
  ProviderFacts,
} from '../../src/store/resources/explanation/facts.ts';
import type { Rights } from '../../src/store/resources/explanation/next-steps/rights.ts';
import { finder, since } from './explained-resources.ts';

/** 24 seconds after `since`. */
export const explainedAt = new Date('2026-01-01T00:01:24.000Z');

export const served = { isServed: true, isRegistered: true, limitSeconds: 30 };
export const unserved = { ...served, isServed: false };

export const admin: Holder = { role: 'admin', project: undefined };
export const editor: Holder = { role: 'editor', project: undefined };
export const viewer: Holder = { role: 'viewer', project: undefined };
/** With a token of one project. */
export const confinedEditor: Holder = { role: 'editor', project: 'p' };

export const available: ProviderFacts = {
  provider: 'postgres',
  state: 'available',
  reason: 'Available',
  message: null,
  since,
  version: '20260101.000000',
  external: false,
  previousVersion: null,
  build: undefined,
  missingSettings: [],
  newSettings: [],
  skewedSince: null,
};
export const absent: ProviderFacts = {
  ...available,
  state: 'missing',
  reason: null,
  since: null,
  version: null,
};
export const letter: DeadLetterFacts = {
  eventId: 'evt-1',
  resource: 'postgres/database/seller',
  provider: 'postgres',
  cause: '0f1e2d3c4b5a',
  sameCause: 2,
  log: [],
};

/** By the table of the API. */
export function rightsOf(holder: Holder): Rights {
  return {
    may: (operation) => isPermitted(holder, operation),
    roleFor: (operation) => ruleOf(operation).role,
  };
}

/** @returns the explanation of the first resource; by default its provider serves, and an admin asks */
export function explained(
  [asked, ...others]: readonly [Resource, ...Resource[]],
  changes: Partial<Facts> = {},
  caller = admin,
): Explanation {
  const facts = {
    path: finder(asked, ...others)(asked),
    delivery: served,
    provider: available,
    deadLetter: undefined,
    users: [],
    maxAttempts: 5,
    confined: false,
    ...changes,
  };
  return explain(facts, { now: explainedAt, rights: rightsOf(caller) });
}
