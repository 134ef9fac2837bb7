import { expect, it } from 'vitest';
import { forcedByIn } from '../../../src/client/forced-by.ts';
import { forcedByHeader } from '../../../src/http/request/dry-run.ts';

it.each([
  [[['region']], ['/config/region']],
  [
    [['zone'], ['größe', 'a, b'], ['x/y'], ['100%']],
    ['/config/zone', '/config/größe/a, b', '/config/x~1y', '/config/100%'],
  ],
  [[], []],
])('the fields %j are read as they were sent', (fields, pointers) => {
  expect(forcedByIn(forcedByHeader(fields)['Fairlead-Forced-By'])).toEqual(pointers);
});

it('shows a header as it is that was changed on its way', () => {
  expect(forcedByIn('/config/%E0%A4%A')).toEqual(['/config/%E0%A4%A']);
  expect(forcedByIn(null)).toEqual([]);
});
