import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { contentHashOf, declaredHashOf } from '../../../../src/store/resources/content.ts';
import { storedTypeVersion } from '../../../../src/store/resources/type-version.ts';
import { aClaim, aResource } from '../../../support/fixtures/builders.ts';

/** The claim of an event for the content of a resource. */
const claimOf = ({ spec }: Resource, event: Partial<ClaimedEvent> = {}) =>
  aClaim({ content: contentHashOf(spec), declared: declaredHashOf(spec), ...event });
const other = aResource({ spec: { config: { name: 'other' } } });

interface Row {
  readonly reason: string;
  readonly spec?: Partial<Resource['spec']>;
  readonly event?: ClaimedEvent;
  readonly want: number | undefined;
}

it.each<Row>([
  { reason: 'what an apply wrote decides', spec: { typeVersion: 2 }, want: 2 },
  {
    reason: 'what an apply wrote decides over the claim',
    spec: { typeVersion: 1 },
    event: claimOf(aResource(), { typeVersion: 2 }),
    want: 1,
  },
  { reason: 'nothing says it before the first claim', want: undefined },
  {
    reason: 'the claim of this content decides for kubectl',
    event: claimOf(aResource(), { typeVersion: 3 }),
    want: 3,
  },
  {
    reason: 'the claim of another content says nothing',
    event: claimOf(other, { typeVersion: 3 }),
    want: undefined,
  },
  {
    reason: 'a raised retry counter is the same declared content',
    spec: { retry: 3 },
    event: claimOf(aResource(), { typeVersion: 2 }),
    want: 2,
  },
  { reason: 'a claim without a version has version 1', event: claimOf(aResource()), want: 1 },
])('$reason', ({ spec = {}, event, want }) => {
  const status = event === undefined ? {} : { status: { event } };
  expect(storedTypeVersion(aResource({ spec, ...status }))).toBe(want);
});

it('keeps every hash of before, and tells later versions apart', () => {
  const hash = (typeVersion?: number) =>
    contentHashOf(aResource({ spec: typeVersion === undefined ? {} : { typeVersion } }).spec);
  expect(hash()).toBe('9dfc8b8a48d16210b3517ac93e9b39a9');
  expect(hash(1)).toBe(hash());
  expect(new Set([hash(1), hash(2), hash(3)]).size).toBe(3);
});
