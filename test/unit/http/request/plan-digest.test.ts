// What makes a plan another one, and what is named then.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DeleteSetQuery } from '../../../../src/api/schemas/sets.ts';
import {
  changedPlanParts,
  type PlanParts,
  planDigest,
  planPart,
} from '../../../../src/http/request/plan-digest.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';

const key = createSecretKey(Buffer.from('k'.repeat(32)));
const partsOf = (resources: Record<string, JsonValue>, by = key): PlanParts =>
  new Map(Object.entries(resources).map(([name, facts]) => [name, planPart(by, name, facts)]));
const request = { replace: false };
const parts = partsOf({ 'a/b/one': 1, 'a/b/two': 2 });
const digest = planDigest(key, request, parts);

it('is the same for the same facts, whatever their order', () => {
  expect(planDigest(key, request, partsOf({ 'a/b/two': 2, 'a/b/one': 1 }))).toBe(digest);
});

const otherKey = createSecretKey(Buffer.from('x'.repeat(32)));

it.each<[string, string]>([
  ['another key', planDigest(otherKey, request, parts)],
  [
    'parts of another key',
    planDigest(key, request, partsOf({ 'a/b/one': 1, 'a/b/two': 2 }, otherKey)),
  ],
  ['another request', planDigest(key, { replace: true }, parts)],
  ['another resource', planDigest(key, request, partsOf({ 'a/b/one': 1, 'a/b/three': 2 }))],
  ['other facts', planDigest(key, request, partsOf({ 'a/b/one': 1, 'a/b/two': 3 }))],
])('differs for %s', (_reason, other) => {
  expect(other).not.toBe(digest);
});

it.each<[string, PlanParts, readonly string[]]>([
  ['one resource', partsOf({ 'a/b/one': 1, 'a/b/two': 3 }), ['a/b/two']],
  ['the request alone', parts, []],
  ['fewer resources', partsOf({ 'a/b/one': 1 }), []],
])('names what has changed: %s', (_reason, now, changed) => {
  expect(changedPlanParts(digest, now)).toEqual(changed);
});

/** @returns the facts of many resources, of which some have changed */
const manyFacts = (count: number, changed: readonly number[] = []) =>
  Object.fromEntries(
    Array.from({ length: count }, (_each, at) => [`a/b/${at}`, changed.includes(at) ? 2 : 1]),
  );

describe.each([1_000, 1_001, 3_800])('a plan of %i resources', (count) => {
  const approved = planDigest(key, request, partsOf(manyFacts(count)));

  it('has a digest that a query takes', () => {
    expect(DeleteSetQuery.safeParse({ resources: 'leave', plan: approved }).success).toBe(true);
  });

  it.each([[[7]], [[7, 500, 999]]])('names of it what has changed: %j', (changed) => {
    const names = changed.map((at) => `a/b/${at}`).sort();
    expect(changedPlanParts(approved, partsOf(manyFacts(count, changed)))).toEqual(names);
  });
});

it('names in a large plan what is new, and nothing for what is gone', () => {
  const approved = planDigest(key, request, partsOf(manyFacts(2_000)));
  const more = partsOf({ ...manyFacts(2_000), 'a/b/new': 1 });
  expect(changedPlanParts(approved, more)).toEqual(['a/b/new']);
  expect(changedPlanParts(approved, partsOf(manyFacts(1_999)))).toEqual([]);
  // The codes of a plan that was not large are of another kind.
  expect(changedPlanParts(approved, partsOf(manyFacts(900)))).toEqual([]);
});

it('takes 22 characters and less than three more for each resource', () => {
  expect(planDigest(key, {}, partsOf({}))).toHaveLength(22);
  const many = Array.from({ length: 500 }, (_each, index) => [`a/b/${index}`, 1] as const);
  expect(planDigest(key, {}, partsOf(Object.fromEntries(many))).length).toBeLessThan(1_500);
});
