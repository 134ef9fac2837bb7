// What people read of a group of dead letters.
import { expect, it } from 'vitest';
import { causeView } from '../../../../src/cli/resources/dead-letter-view.ts';
import { causeMessage } from '../../../../src/client/words/dead-letter-cause.ts';

const common = 'TIMEOUT: <name> did not answer within <n> s';
const one = 'TIMEOUT: orders did not answer within 30 s';

it.each([
  ['an only event has its own message', 1, common, one, one, undefined],
  ['several have what they share, and an example', 2, common, one, common, one],
  ['several with one message have it', 2, 'FULL: disk', 'FULL: disk', 'FULL: disk', undefined],
  ['lines of a message stay', 2, 'FULL: a b', 'FULL: a\nb', 'FULL: a\nb', undefined],
  ['a server of before has no example', 1, common, undefined, common, undefined],
  ['an example that is gone is none', 1, common, null, common, undefined],
])('%s', (_, count, error_message, example, message, shown) => {
  const given = {
    count,
    error_message,
    ...(example === undefined ? {} : { example_message: example }),
  };
  expect(causeMessage(given)).toEqual({ message, ...(shown && { example: shown }) });
  const cell = causeView.columns.at(-1)?.cell(given as never, {} as never);
  expect(cell).toBe(shown === undefined ? message : `${message}; such as: ${shown}`);
});
