// What Node 24 throws, and what users and authors read about it.
import { expect, it } from 'vitest';
import { describe } from '../../../../src/sdk/crash/describe.ts';
import { ProcessExit } from '../../../../src/sdk/crash/process-exit.ts';

const folder = '/workspace/code';

function thrownAt(error: Error, ...frames: readonly string[]): Error {
  const head = error.stack?.split('\n    at ')[0] ?? '';
  error.stack = [head, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

const inOwn = 'Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)';
const inPackage = 'f (/workspace/code/node_modules/pg/lib/client.js:7:3)';
const inNode = 'listOnTimeout (node:internal/timers:685:17)';
const inSdk = 'run (file:///app/src/sdk/run.ts:40:3)';

class VaultError extends Error {
  override readonly name = 'VaultError';
  readonly code = 'E_VAULT';
}

it('leaves paths as they are when the code is in the root folder', () => {
  const error = thrownAt(new Error("open '/etc/hosts'"), inNode);
  expect(describe(error, '/').message).toBe("Error: open '/etc/hosts'");
});

const cases: Record<string, { thrown: unknown; want: string; reason?: string }> = {
  'an error': {
    thrown: thrownAt(new Error('Boom'), inOwn, inNode),
    want: 'Error: Boom (dist/index.js:3)',
  },
  'an error in a dependency': {
    reason: 'The author can change only the own code.',
    thrown: thrownAt(new Error('no'), inPackage, inOwn),
    want: 'Error: no (dist/index.js:3)',
  },
  'an error only in a dependency': {
    thrown: thrownAt(new Error('no'), inPackage, inNode),
    want: 'Error: no (node_modules/pg/lib/client.js:7)',
  },
  'an error outside of the code': {
    reason: 'A place in Fairlead helps nobody, and shows a path of the pod.',
    thrown: thrownAt(new Error('no'), inSdk, inNode),
    want: 'Error: no',
  },
  'an error without frames': {
    thrown: thrownAt(new TypeError('no key')),
    want: 'TypeError: no key',
  },
  'an error of a custom class': {
    thrown: thrownAt(new VaultError('sealed'), inOwn),
    want: 'VaultError: sealed (dist/index.js:3)',
  },
  'a message of several lines': {
    thrown: thrownAt(new Error('first\nsecond\n  third'), inOwn),
    want: 'Error: first second third (dist/index.js:3)',
  },
  'a message with a path': {
    reason: 'Users do not know the folders of the pod.',
    thrown: thrownAt(new Error("ENOENT: open '/workspace/code/data/x.json'"), inOwn),
    want: "Error: ENOENT: open 'data/x.json' (dist/index.js:3)",
  },
  'an error with a cause': {
    thrown: thrownAt(
      new Error('cannot open', { cause: thrownAt(new Error('refused'), inPackage) }),
      inOwn,
    ),
    want: 'Error: cannot open, caused by Error: refused (dist/index.js:3)',
  },
  'a text': { thrown: 'just text', want: 'just text' },
  'an object': { thrown: { code: 42, why: 'odd' }, want: "{ code: 42, why: 'odd' }" },
  nothing: { thrown: undefined, want: 'undefined' },
  'an exit': {
    thrown: thrownAt(new ProcessExit(3, thrownAt), inOwn),
    want: 'process.exit(3) (dist/index.js:3)',
  },
  'a value that throws when it is shown': {
    thrown: {
      [Symbol.for('nodejs.util.inspect.custom')]() {
        throw new Error('no');
      },
    },
    want: 'a value that cannot be shown',
  },
};

it.each(Object.entries(cases))('%s', (_name, { thrown, want, reason }) => {
  expect(describe(thrown, folder).message, reason).toBe(want);
});

it('is one line of at most 512 characters', () => {
  const { message } = describe(thrownAt(new Error('x\n'.repeat(3_000)), inOwn), folder);
  expect(message).toMatch(/^Error: x x [^\n]*… \(dist\/index\.js:3\)$/);
  expect(message.length).toBeLessThanOrEqual(512);
});

it('has the stack in full', () => {
  const { full } = describe(thrownAt(new Error('Boom'), inOwn, inNode), folder);
  expect(full).toBe(`Error: Boom\n    at ${inOwn}\n    at ${inNode}`);
});
