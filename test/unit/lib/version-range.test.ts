import { expect, it } from 'vitest';
import { satisfies } from '../../../src/lib/version-range.ts';

const version = '24.3.1';

it.each([
  ['>=26', false],
  ['>=24', true],
  ['>= 24.3.0', true],
  ['>24', false],
  ['>24.3', false],
  ['>24.3.0', true],
  ['<24', false],
  ['<=24', true],
  ['<=24.2', false],
  ['24', true],
  ['24.x', true],
  ['=24.3.1', true],
  ['v24.3.2', false],
  ['^24.1.0', true],
  ['^22.0.0 || ^24', true],
  ['^0.3.1', false],
  ['~24.3', true],
  ['~24.2.0', false],
  ['~24', true],
  ['20 - 22', false],
  ['20 - 24', true],
  ['>=18 <24', false],
  ['>=18 <25', true],
  ['*', true],
  ['', true],
  ['>=25.0.0-rc.1', undefined],
  ['lts', undefined],
])('24.3.1 and %j: %s', (range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});
