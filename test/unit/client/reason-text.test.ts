import { expect, it } from 'vitest';
import { reasonText } from '../../../src/client/reason-text.ts';

const cases: readonly (readonly [string, string | null, string | null])[] = [
  ['UnknownOutput: first has no output', 'UnknownOutput', 'UNKNOWN_OUTPUT: first has no output'],
  ['InvalidConfig: config.x: too long', 'InvalidConfig', 'INVALID_CONFIG: config.x: too long'],
  // Another word than the reason says more than it.
  ['ProviderFailed: nobody: Nobody', 'ProviderFailed', 'nobody: Nobody'],
  ['Paused: spec.paused is true', 'Paused', 'spec.paused is true'],
  ['Queued', 'Queued', null],
  ['a text', null, 'a text'],
  ['', null, ''],
];

it.each(cases)('writes "%s"', (text, reason, message) => {
  expect(reasonText(reason, message)).toBe(text);
});
