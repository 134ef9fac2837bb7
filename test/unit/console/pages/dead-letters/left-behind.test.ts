import { expect, it } from 'vitest';
import {
  leftByEvent,
  leftByRemoval,
} from '../../../../../src/console/pages/dead-letters/left-behind.ts';

it.each([
  [{ exists: true }, 'An object exists.'],
  [{ exists: false }, 'Nothing was left behind.'],
  [{ exists: null }, 'Whether an object exists is unknown.'],
])('says of %j: %s', (leftover, sentence) => {
  expect(leftByEvent({ event_type: 'CREATE', ...leftover })).toBe(sentence);
  expect(leftByRemoval({ kind: 'Abandoned', ...leftover })).toBe(sentence);
  expect(leftByEvent({ event_type: 'UPDATE', ...leftover })).toBeUndefined();
  expect(leftByRemoval({ kind: 'Orphaned', ...leftover })).toBeUndefined();
});
