import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/domain/limits.ts';
import {
  amountsOf,
  cpuPattern,
  memoryPattern,
  type Sizing,
  sizingProblems,
} from '../../../../src/domain/providers/pod-resources.ts';

const most = { ...defaultLimits, pods: 8, cpu: 4, memory: '4Gi' };

describe('the size of a provider', () => {
  const cases: Record<string, { sizing: Partial<Sizing>; want: readonly [string, RegExp][] }> = {
    'may be the default': { sizing: {}, want: [] },
    'may use all that the organization has': {
      sizing: { replicas: 4, resources: { limits: { cpu: '1', memory: '1Gi' } } },
      want: [],
    },
    'is refused with more pods than the organization may have': {
      sizing: { replicas: 9, resources: { limits: { cpu: '100m', memory: '64Mi' } } },
      want: [['replicas', /^must be at most 8, the pods .* raise limits\.pods/]],
    },
    'is refused when all pods together exceed a limit': {
      sizing: { replicas: 5, resources: { limits: { memory: '1Gi', cpu: '800m' } } },
      want: [
        [
          'resources.limits.memory',
          /^the limit of 1Gi in each of 5 pods exceeds 4Gi, .* lower it, or ask the administrator to raise limits\.memory/,
        ],
      ],
    },
    'names the number of pods when the limit is the default': {
      sizing: { replicas: 5, resources: { limits: { memory: '256Mi' } } },
      want: [['replicas', /^the limit of 1 in each of 5 pods exceeds 4, .* raise limits\.cpu/]],
    },
    'is refused beyond what one container may have': {
      sizing: { resources: { limits: { cpu: '8500m', memory: '17Gi' } } },
      want: [
        ['resources.limits.cpu', /^must be at most 8; lower it, and set more replicas$/],
        ['resources.limits.memory', /^must be at most 16Gi/],
      ],
    },
    'is refused with a request above the limit': {
      sizing: { resources: { requests: { cpu: '0.6' }, limits: { cpu: '500m' } } },
      want: [['resources.requests.cpu', /^must be at most the limit, 500m; lower it, or set/]],
    },
    'is refused with a request above the default limit': {
      sizing: { resources: { requests: { memory: '1Gi' } } },
      want: [['resources.requests.memory', /^must be at most the limit, 512Mi; .*limits\.memory$/]],
    },
  };

  it.each(Object.entries(cases))('%s', (_name, { sizing, want }) => {
    const found = sizingProblems({ replicas: 1, resources: undefined, ...sizing }, most);
    expect(found.map(({ at }) => at.join('.'))).toEqual(want.map(([at]) => at));
    for (const [index, [, rule]] of want.entries()) expect(found[index]?.rule).toMatch(rule);
  });
});

it('fills in defaults, and requests no more than the limit', () => {
  expect(amountsOf()).toEqual({
    requests: { cpu: '50m', memory: '64Mi' },
    limits: { cpu: '1', memory: '512Mi' },
  });
  expect(amountsOf({ limits: { cpu: '20m', memory: '1Gi' } })).toEqual({
    requests: { cpu: '20m', memory: '64Mi' },
    limits: { cpu: '20m', memory: '1Gi' },
  });
});

it.each([
  [
    cpuPattern,
    ['1', '0.5', '2.25', '0.005', '500m', '8'],
    ['0', '0m', '0.0', '.5', '1e3', '1.', '-1'],
  ],
  [memoryPattern, ['64Mi', '16Gi'], ['0Mi', '1', '1G', '1.5Gi', '64mi', ' 1Gi']],
])('%s accepts quantities without zero', (pattern, good, bad) => {
  expect(good.filter((text) => !pattern.test(text))).toEqual([]);
  expect(bad.filter((text) => pattern.test(text))).toEqual([]);
});
