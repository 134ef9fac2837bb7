import { expect, it } from 'vitest';
import { culpritAnswer } from '../../../../src/providers/runtime/supervisor/evidence.ts';

const frames: Record<string, readonly [readonly string[], string]> = {
  'a function with a name': [['    at loop (file:///code/src/index.ts:7)'], ' (src/index.ts:7)'],
  'a function without a name': [['    at file:///code/src/index.ts:7'], ' (src/index.ts:7)'],
  'the own code before a dependency': [
    [
      '    at spin (file:///code/node_modules/busy/main.js:3)',
      '    at file:///code/src/index.ts:9',
    ],
    ' (src/index.ts:9)',
  ],
  'no code of the author': [['    at node:internal:1'], ''],
};

it.each(Object.entries(frames))('a blocked event loop is shown at %s', (_of, [stack, place]) => {
  const killed = 'The handler blocked the event loop for 10 s';
  const end = { code: null, signal: 'SIGKILL', printed: '', codeFolder: '/code' } as const;
  const evidence = { ...end, killed, blocked: { event: 1, frames: stack } };
  const { body } = culpritAnswer(evidence, 'evt-1');
  expect(JSON.parse(body)).toMatchObject({ error: { message: `${killed}${place}` } });
});
