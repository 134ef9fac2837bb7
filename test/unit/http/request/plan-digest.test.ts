// What makes a plan another one, and what is named then.
import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
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

it('takes 22 characters and less than three more for each resource', () => {
  expect(planDigest(key, {}, partsOf({}))).toHaveLength(22);
  const many = Array.from({ length: 500 }, (_each, index) => [`a/b/${index}`, 1] as const);
  expect(planDigest(key, {}, partsOf(Object.fromEntries(many))).length).toBeLessThan(1_500);
});
