// What makes a plan another one, and what is named then.
import { expect, it } from 'vitest';
import {
  changedPlanParts,
  type PlanFacts,
  planDigest,
} from '../../../../src/http/request/plan-digest.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';

const key = Buffer.from('k'.repeat(32));
const facts = (request: JsonValue, resources: Record<string, JsonValue>): PlanFacts => ({
  request,
  resources: new Map(Object.entries(resources)),
});
const plan = facts({ replace: false }, { 'a/b/one': 1, 'a/b/two': 2 });

it('is the same for the same facts, whatever their order', () => {
  const other = facts({ replace: false }, { 'a/b/two': 2, 'a/b/one': 1 });
  expect(planDigest(key, other)).toBe(planDigest(key, plan));
});

it.each([
  ['another key', Buffer.from('x'.repeat(32)), plan],
  ['another request', key, facts({ replace: true }, { 'a/b/one': 1, 'a/b/two': 2 })],
  ['another resource', key, facts({ replace: false }, { 'a/b/one': 1, 'a/b/three': 2 })],
  ['other facts', key, facts({ replace: false }, { 'a/b/one': 1, 'a/b/two': 3 })],
])('differs for %s', (_reason, with_, other) => {
  expect(planDigest(with_, other)).not.toBe(planDigest(key, plan));
});

it.each<[string, PlanFacts, readonly string[]]>([
  ['one resource', facts({ replace: false }, { 'a/b/one': 1, 'a/b/two': 3 }), ['a/b/two']],
  ['the request alone', facts({ replace: true }, { 'a/b/one': 1, 'a/b/two': 2 }), []],
  ['more resources', facts({ replace: false }, { 'a/b/one': 1 }), []],
])('names what has changed: %s', (_reason, now, changed) => {
  expect(changedPlanParts(planDigest(key, plan), key, now)).toEqual(changed);
});

it('takes 22 characters and less than three more for each resource', () => {
  expect(planDigest(key, facts({}, {}))).toHaveLength(22);
  const many = Array.from({ length: 500 }, (_each, index) => [`a/b/${index}`, 1] as const);
  expect(planDigest(key, facts({}, Object.fromEntries(many))).length).toBeLessThan(1_500);
});
