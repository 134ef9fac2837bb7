// The last lines of a process, from the end of its container's log.
import { expect, it } from 'vitest';
import { lastLines } from '../../../../src/domain/process-end/last-lines.ts';

const logged = (event: string | undefined, message: string, more: object = {}) =>
  JSON.stringify({
    level: 'info',
    time: '2026-01-31T12:00:00.000Z',
    message,
    ...(event !== undefined && { event, organization: 'acme', resource: 'a/b/c', attempt: 1 }),
    ...more,
  });
const of = (...lines: readonly string[]) =>
  lastLines({ exitCode: 1, message: `${lines.join('\n')}\n` }, 'evt-1');

const cases: Record<string, { reason: string; given: readonly string[]; want: readonly string[] }> =
  {
    'printed and logged lines keep their order': {
      reason: 'They look as in the answer of the SDK.',
      given: [logged('evt-1', 'begins', { size: 3 }), 'No luck today', '{"msg":"mine"}'],
      want: ['2026-01-31T12:00:00.000Z info begins {"size":3}', 'No luck today', '{"msg":"mine"}'],
    },
    'what came before the end of another event is not shown': {
      reason: 'It is of that event.',
      given: [logged('evt-1', 'begins'), 'early', logged('evt-2', 'ends'), 'No luck today'],
      want: ['No luck today'],
    },
    'lines of the runtime are not shown': {
      reason: 'They have an address of the installation.',
      given: [logged(undefined, 'The provider accepts events', { url: 'https://10.0.0.1' }), 'x'],
      want: ['x'],
    },
    'a stack has the places in the code': {
      reason: 'Paths and addresses of the machine are nobody else’s.',
      given: [
        'Error: Boom',
        '    at create (file:///workspace/code/index.ts:3:1)',
        '    at f (file:///workspace/code/node_modules/pg/a.js:3:1)',
        '    at node:internal/timers:1:1',
        ' 1: 0xb76dc5 node::OOMErrorHandler [node]',
        logged('evt-1', 'fails', {
          error: "Error: '/workspace/code/a'\n    at f (/workspace/code/index.ts:1:1)",
        }),
      ],
      want: [
        'Error: Boom',
        'at create (index.ts:3:1)',
        `2026-01-31T12:00:00.000Z info fails {"error":"Error: 'a'"}`,
      ],
    },
    'a line without its beginning is not shown': {
      reason: 'It may be the end of a secret.',
      given: [`${'x'.repeat(1_000)}hunter22`, 'y'.repeat(1_100)],
      want: ['y'.repeat(1_100)],
    },
    'nothing is shown of an empty log': { reason: 'There is none.', given: [''], want: [] },
  };

it.each(Object.entries(cases))('%s', (_name, { reason, given, want }) => {
  expect(of(...given), reason).toEqual(want);
});
