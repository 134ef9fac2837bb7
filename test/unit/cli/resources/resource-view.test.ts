// The rows of resources with options, at the widths of terminals.
import { expect, it } from 'vitest';
import { resourceView } from '../../../../src/cli/resources/resource-view.ts';
import { styleOf } from '../../../../src/cli/terminal/style.ts';
import { tableLines } from '../../../../src/cli/terminal/table.ts';
import { widthOf } from '../../../../src/client/width.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';

const style = styleOf({ colours: false, unicode: true });
const look = { style, now: new Date('2026-01-31T12:05:00.000Z'), wide: false };
const options = { protected: true, paused: true, deletion_policy: 'orphan' } as const;
const failed = { lifecycle_state: 'failed', reason: 'Refused', message: 'It was refused' } as const;
const records = [
  resourceRecord('orders-2026-archive-of-the-region-north-west-eu', { ...failed, ...options }),
  resourceRecord('crm', { expires_at: '2026-01-31T15:05:00.000Z' }),
];

it.each([40, 60, 80, 120])('fits options into %i columns', (width) => {
  const lines = tableLines(records, resourceView.columns, { look, width });
  expect(lines[0]).toContain('OPTIONS');
  expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
});

it('shows options before the reason', () => {
  const [, first, second] = tableLines(records, resourceView.columns, { look, width: undefined });
  expect(first).toMatch(/protected, paused, orphaned on delete +It was refused \[Refused\]$/);
  expect(second).toMatch(/crm +✓ ready +5m +expires in 3h$/);
});

it('has no column for options where no resource has any', () => {
  const [titles] = tableLines([resourceRecord('a')], resourceView.columns, { look, width: 80 });
  expect(titles).toMatch(/AGE +REASON$/);
});
