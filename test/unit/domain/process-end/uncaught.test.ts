// Real output of Node 24 for uncaught errors, and the messages for authors.
import { expect, it } from 'vitest';
import { crashSentence } from '../../../../src/domain/process-end/sentence.ts';

interface Case {
  readonly exitCode: number;
  readonly printed: string;
  readonly want: string;
}

const started =
  '{"level":"info","time":"2026-01-01T00:00:00.000Z","message":"The provider accepts events","provider":"vault","url":"http://10.0.0.1:8080"}';

const cases: Record<string, Case> = {
  'an uncaught error': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw new Error('Boom: the vault is on fire'); }, 900);
                    ^

Error: Boom: the vault is on fire
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: Boom: the vault is on fire (dist/index.js:3)',
  },
  'an unhandled rejection': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 setTimeout(() => { Promise.reject(new TypeError('no key')); }, 300);
                                   ^

TypeError: no key
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:36)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: TypeError: no key (dist/index.js:3)',
  },
  'a rejection with a string': {
    exitCode: 1,
    printed: `${started}
node:internal/process/promises:392
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "just text".
    at throwUnhandledRejectionsMode (node:internal/process/promises:392:7)
    at processPromiseRejections (node:internal/process/promises:475:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:106:37) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: a promise was rejected with just text',
  },
  'a thrown string': {
    exitCode: 1,
    printed: `${started}

file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw 'just text'; }, 300);
                    ^
just text
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: just text (dist/index.js:3)',
  },
  'a thrown object': {
    exitCode: 1,
    printed: `${started}

file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw { code: 42, why: 'odd' }; }, 300);
                    ^
{ code: 42, why: 'odd' }

Node.js v24.21.0
`,
    want: "The process ended with code 1: { code: 42, why: 'odd' } (dist/index.js:3)",
  },
  'a thrown null': {
    exitCode: 1,
    printed: `${started}

file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw null; }, 300);
                    ^
null
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: null (dist/index.js:3)',
  },
  'an error with a cause': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw new Error('cannot open the vault', { cause: new Error('connect ECONNREFUSED 10.0.0.9:5432') }); }, 300);
                    ^

Error: cannot open the vault
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7) {
  [cause]: Error: connect ECONNREFUSED 10.0.0.9:5432
      at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:71)
      at listOnTimeout (node:internal/timers:685:17)
      at process.processTimers (node:internal/timers:618:7)
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: cannot open the vault, caused by Error: connect ECONNREFUSED 10.0.0.9:5432 (dist/index.js:3)',
  },
  'a message of several lines': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw new Error('first line\\nsecond line\\n  third'); }, 300);
                    ^

Error: first line
second line
  third
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: first line second line third (dist/index.js:3)',
  },
  'an error of a custom class': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 class VaultError extends Error { constructor(m){super(m); this.name='VaultError'; this.code='E_VAULT'; this.details={a:1,b:[1,2]}} }; setTimeout(() => { throw new VaultError('sealed'); }, 300);
                                                                                                                                                          ^

VaultError: sealed
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:161)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7) {
  code: 'E_VAULT',
  details: { a: 1, b: [ 1, 2 ] }
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: VaultError: sealed (dist/index.js:3)',
  },
  'an assertion': {
    exitCode: 1,
    printed: `${started}
node:assert:152
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal:

{
  a: 1
}

should loosely deep-equal

{
  a: 2
}
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:62)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7) {
  generatedMessage: true,
  code: 'ERR_ASSERTION',
  actual: { a: 1 },
  expected: { a: 2 },
  operator: 'deepEqual',
  diff: 'simple'
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal: { a: 1 } should loosely deep-equal { a: 2 } (dist/index.js:3)',
  },
  'several errors in one': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 setTimeout(() => { throw new AggregateError([new Error('one'), new Error('two')], 'all failed'); }, 300);
                    ^

AggregateError: all failed
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)
    at listOnTimeout (node:internal/timers:685:17)
    at process.processTimers (node:internal/timers:618:7) {
  [errors]: [
    Error: one
        at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:47)
        at listOnTimeout (node:internal/timers:685:17)
        at process.processTimers (node:internal/timers:618:7),
    Error: two
        at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:65)
        at listOnTimeout (node:internal/timers:685:17)
        at process.processTimers (node:internal/timers:618:7)
  ]
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: AggregateError: all failed (dist/index.js:3)',
  },
  'an endless recursion': {
    exitCode: 1,
    printed: `${started}
file:///workspace/code/dist/index.js:3
 function f(){ return f()+1 }; setTimeout(() => { f(); }, 300);
               ^

RangeError: Maximum call stack size exceeded
    at f (file:///workspace/code/dist/index.js:3:16)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)
    at f (file:///workspace/code/dist/index.js:3:23)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: RangeError: Maximum call stack size exceeded (dist/index.js:3)',
  },
  'an error of a handler, after others have ended': {
    exitCode: 1,
    printed: `Error: a stack that the author printed
    at f (file:///workspace/code/dist/other.js:9:1)

Node.js is great
{"level":"info","time":"2026-01-01T00:00:30.000Z","message":"The last other handler ends"}
Error: Boom
    at Timeout._onTimeout (file:///workspace/code/dist/index.js:3:27)
    at listOnTimeout (node:internal/timers:685:17)

The handler of vault/door/front ended the process: Error: Boom (dist/index.js:3)
`,
    want: 'The process ended with code 1: Error: Boom (dist/index.js:3)',
  },
  'a handler that exits': {
    exitCode: 3,
    printed: `no VAULT_KEY, giving up
ProcessExit: process.exit(3)
    at create (file:///workspace/code/dist/index.js:3:27)

The handler of vault/door/front ended the process: process.exit(3) (dist/index.js:3)
`,
    want: 'The process ended with code 3: process.exit(3) (dist/index.js:3)',
  },
  'an error event without a listener': {
    exitCode: 1,
    printed: `${started}
node:events:505
    throw er; // Unhandled 'error' event
    ^

Error: connect ECONNREFUSED 127.0.0.1:9
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:2021:16)
Emitted 'error' event on Socket instance at:
    at emitErrorNT (node:internal/streams/destroy:170:8)
    at emitErrorCloseNT (node:internal/streams/destroy:129:3)
    at process.processTicksAndRejections (node:internal/process/task_queues:90:21) {
  errno: -111,
  code: 'ECONNREFUSED',
  syscall: 'connect',
  address: '127.0.0.1',
  port: 9
}

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: connect ECONNREFUSED 127.0.0.1:9',
  },
};

it.each(Object.entries(cases))('%s', (_name, { exitCode, printed, want }) => {
  expect(crashSentence({ exitCode, message: printed })).toBe(want);
});
