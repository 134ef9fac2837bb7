import { expect, it } from 'vitest';
import { type Figure, type Goal, verdictOf } from '../../../bench/report/figures.ts';
import { page } from '../../../bench/report/page.ts';
import { drawPlot } from '../../../bench/report/plot.ts';
import type { Result } from '../../../bench/report/results.ts';
import { rise, slopeOf } from '../../../bench/soak/slope.ts';

const because = { source: 'because' };

it.each<[string, readonly number[], Goal, string]>([
  ['the median decides', [1, 1.2, 9], { atMost: 1.3, ...because }, 'met'],
  ['the mean of an even number', [1, 2], { atMost: 1.3, ...because }, 'missed'],
  ['least', [0.9], { atLeast: 0.95, ...because }, 'missed'],
  ['counts', [3], { exactly: 3, ...because }, 'met'],
  ['a control out of range', [1.2], { between: [0.9, 1.1], ...because }, 'void'],
  ['nothing was measured', [], { atMost: 1, ...because }, 'missed'],
])('verdict: %s', (_name, values, goal, verdict) => {
  expect(verdictOf({ name: 'x', unit: 'ratio', values, goal })).toBe(verdict);
});

const setting = {
  commit: '0123456',
  node: '24.0.0',
  kubernetes: '1.36.3',
  etcd: '3.6.8',
  processor: 'a processor',
  cores: 2,
  memoryGiB: 8,
  load: 3,
};

it('writes measured parts, what is in the way of missed goals, and that the machine was busy', () => {
  const missed: Figure = {
    name: 'A page',
    unit: 'ratio',
    values: [2],
    goal: { atMost: 1.3, ...because },
  };
  const result: Result = { at: '2026-01-02T03:04:05Z', seconds: 61, setting, figures: [missed] };
  const run = () => Promise.reject(new Error('not here'));
  const part = { about: 'About.', notes: { 'A page': 'The list is read twice.' }, run };
  const text = page(
    [
      { ...part, name: 'reads', title: 'Reads' },
      { ...part, name: 'idle', title: 'Idle' },
    ],
    { reads: result },
  );
  expect(text).toContain('| [Reads](#reads) | 0 of 1 met | `reads` | 2026-01-02 |');
  expect(text).toContain('| Idle | not measured yet | `idle` | |');
  expect(text).toContain('| A page | 2 |  | ≤ 1.30: because | **missed** |');
  expect(text).toContain('**A page**: The list is read twice.');
  expect(text).toContain('**busy**');
  expect(text).not.toContain('## Idle');
});

it('draws the median with a bar, and escapes text', () => {
  const svg = drawPlot({
    file: 'x',
    title: 'a < b',
    x: { label: 'size' },
    y: { label: 'ms' },
    series: [{ name: 'one', points: [{ x: 1, values: [1, 2, 9] }] }],
  });
  expect(svg).toContain('<title>a &lt; b</title>');
  expect(svg).toContain('class="bar"');
  expect(svg).not.toContain('NaN');
});

it('tells a slope from noise', () => {
  const at = (y: (x: number) => number) => Array.from({ length: 60 }, (_, x) => ({ x, y: y(x) }));
  const noise = (x: number) => 10 * Math.sin(x * 12.9898);
  const growing = slopeOf(at((x) => 100 + x + noise(x)));
  expect(growing.perUnit).toBeCloseTo(1, 0);
  expect(rise(growing)).toBeGreaterThan(3);
  expect(rise(slopeOf(at((x) => 100 + noise(x))))).toBeLessThan(3);
  expect(rise(slopeOf(at(() => 7)))).toBe(0);
});
