import { expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import { rollbackVersionOf } from '../../../../src/store/providers/rollback.ts';

const [first, second, third] = ['20260101.000000', '20260102.000000', '20260103.000000'];

const cases: Record<string, [string | undefined, Provider['status'], string | undefined]> = {
  'nothing before a version has served': [first, undefined, undefined],
  'nothing while only one has served': [first, { deployedVersion: first }, undefined],
  'the one that serves, while another one starts or fails': [
    second,
    { deployedVersion: first },
    first,
  ],
  'the one that served before, and not one that never did': [
    third,
    { deployedVersion: third, previousVersion: first },
    first,
  ],
  'the one that still serves, while a rollback has not taken over': [
    first,
    { deployedVersion: second, previousVersion: first },
    second,
  ],
  'nothing for a provider elsewhere': [undefined, { deployedVersion: first }, undefined],
};

it.each(Object.entries(cases))('a rollback deploys %s', (_, [version, status, expected]) => {
  const spec = { provider: 'box', ...(version === undefined ? {} : { version }) };
  expect(rollbackVersionOf({ spec, status })).toBe(expected);
});
