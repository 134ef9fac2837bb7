import { expect, it } from 'vitest';
import { preferredWait } from '../../../../src/http/request/prefer.ts';

it.each<[string, number | undefined]>([
  ['', undefined],
  ['wait=30', 30],
  ['wait=0', 0],
  ['wait=3600', 60],
  ['Wait = "10"', 10],
  ['respond-async, wait=10', 10],
  ['wait=10; foo=bar, return=minimal', 10],
  ['wait=5, wait=10', 5],
  ['wait', undefined],
  ['wait=', undefined],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['wait=soon', undefined],
  ['await=10', undefined],
])('Prefer: %s', (header, expected) => {
  expect(preferredWait(header)).toBe(expected);
});
