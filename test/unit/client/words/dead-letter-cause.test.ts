// What people read of a group of dead letters.
import { expect, it } from 'vitest';
import { causeView } from '../../../../src/cli/commands/resources/dead-letters.ts';
import { causeMessage } from '../../../../src/client/words/dead-letter-cause.ts';

const common = 'TIMEOUT: <name> did not answer within <n> s';
const one = 'TIMEOUT: orders did not answer within 30 s';

const sentence = 'orders did not answer within 30 s [TIMEOUT]';
const likeIt = 'orders did not answer within 30 s, and 1 like it [TIMEOUT]';
const shared = '<name> did not answer within <n> s';

type Row = readonly [
  name: string,
  count: number,
  error: string,
  example: string | null,
  message: string,
  shown: string | undefined,
  cell: string,
];
const full = 'FULL: disk';
const rows: readonly Row[] = [
  ['an only event has its own message', 1, common, one, one, undefined, sentence],
  ['several share one', 2, common, one, common, one, likeIt],
  ['several with one message have it', 2, full, full, full, undefined, 'disk [FULL]'],
  ['lines of a message stay', 2, 'FULL: a b', 'FULL: a\nb', 'FULL: a\nb', undefined, 'a\nb [FULL]'],
  ['an example that is gone is none', 1, common, null, common, undefined, `${shared} [TIMEOUT]`],
];

it.each(rows)('%s', (_, count, error_message, example, message, shown, cellText) => {
  const given = { count, error_message, example_message: example };
  expect(causeMessage(given)).toEqual({ message, ...(shown && { example: shown }) });
  const cell = causeView.columns.at(-1)?.cell(given as never, {} as never);
  expect(cell).toBe(cellText);
});
