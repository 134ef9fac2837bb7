// Real output of Node 24 when code cannot be loaded or its process is terminated, and the messages for authors.
import { expect, it } from 'vitest';
import { crashSentence } from '../../../../src/domain/process-end/sentence.ts';
import type { Terminated } from '../../../../src/reconcilers/workloads.ts';

interface Case {
  readonly exitCode: number;
  readonly reason?: string;
  readonly printed: string;
  readonly want: string;
}

const started =
  '{"level":"info","time":"2026-01-01T00:00:00.000Z","message":"The provider accepts events","provider":"vault","url":"http://10.0.0.1:8080"}';

const cases: Record<string, Case> = {
  'a package that is imported later and is not installed': {
    exitCode: 1,
    printed: `${started}
node:internal/modules/package_json_reader:331
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'slugify2' imported from /workspace/code/dist/index.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:331:9)
    at packageResolve (node:internal/modules/esm/resolve:784:25)
    at moduleResolve (node:internal/modules/esm/resolve:873:18)
    at defaultResolve (node:internal/modules/esm/resolve:1006:11)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:705:20)
    at #resolveAndMaybeBlockOnLoaderThread (node:internal/modules/esm/loader:725:38)
    at ModuleLoader.resolveSync (node:internal/modules/esm/loader:763:56)
    at #resolve (node:internal/modules/esm/loader:687:17)
    at ModuleLoader.getOrCreateModuleJob (node:internal/modules/esm/loader:607:35)
    at node:internal/modules/esm/loader:636:32 {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.21.0
`,
    want: "The process ended with code 1: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'slugify2' imported from dist/index.js",
  },
  'an error while the code is imported': {
    exitCode: 1,
    printed: `Error: no luck at import
    at file:///workspace/code/dist/index.js:1:7
    at ModuleJob.run (node:internal/modules/esm/module_job:561:25)
    at async node:internal/modules/esm/loader:647:26
    at async imported (file:///app/src/providers/runtime/load.ts:33:13)
    at async loadProvider (file:///app/src/providers/runtime/load.ts:15:18)
    at async runProvider (file:///app/src/providers/runtime/run.ts:45:20)
    at async runtimeVerb (file:///app/src/providers/runtime/verb.ts:19:5)
    at async file:///app/src/providers/runtime/main.ts:4:1
Provider vault cannot run: The code cannot be imported. Error: no luck at import
`,
    want: 'Provider vault cannot run: The code cannot be imported. Error: no luck at import (dist/index.js:1)',
  },
  'code that is not JavaScript': {
    exitCode: 1,
    printed: `SyntaxError: Unexpected end of input
    at compileSourceTextModule (node:internal/modules/esm/utils:319:16)
    at ModuleLoader.moduleStrategy (node:internal/modules/esm/translators:89:18)
    at #translate (node:internal/modules/esm/loader:438:20)
    at afterLoad (node:internal/modules/esm/loader:506:29)
    at ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:511:12)
    at #getOrCreateModuleJobAfterResolve (node:internal/modules/esm/loader:564:36)
    at afterResolve (node:internal/modules/esm/loader:611:52)
    at ModuleLoader.getOrCreateModuleJob (node:internal/modules/esm/loader:617:12)
    at node:internal/modules/esm/loader:636:32
    at TracingChannel.tracePromise (node:diagnostics_channel:362:14)
Provider vault cannot run: The code cannot be imported. SyntaxError: Unexpected end of input
`,
    want: 'Provider vault cannot run: The code cannot be imported. SyntaxError: Unexpected end of input',
  },
  'a file that is not there': {
    exitCode: 1,
    printed: `Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/workspace/code/dist/not-there.js' imported from /workspace/code/dist/index.js
    at finalizeResolution (node:internal/modules/esm/resolve:272:11)
    at moduleResolve (node:internal/modules/esm/resolve:879:10)
    at defaultResolve (node:internal/modules/esm/resolve:1006:11)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:705:20)
    at #resolveAndMaybeBlockOnLoaderThread (node:internal/modules/esm/loader:725:38)
    at ModuleLoader.resolveSync (node:internal/modules/esm/loader:763:56)
    at #resolve (node:internal/modules/esm/loader:687:17)
    at ModuleLoader.getOrCreateModuleJob (node:internal/modules/esm/loader:607:35)
    at ModuleJob.syncLink (node:internal/modules/esm/module_job:276:33)
    at ModuleJob.link (node:internal/modules/esm/module_job:381:17)
Provider vault cannot run: The code cannot be imported. Error: Cannot find module '/workspace/code/dist/not-there.js' imported from /workspace/code/dist/index.js
`,
    want: "Provider vault cannot run: The code cannot be imported. Error: Cannot find module 'dist/not-there.js' imported from dist/index.js",
  },
  'a package that is not installed': {
    exitCode: 1,
    printed: `Provider vault cannot run: The code imports slugify, which is not installed; add it to the dependencies in package.json
`,
    want: 'Provider vault cannot run: The code imports slugify, which is not installed; add it to the dependencies in package.json',
  },
  'an exit without output': {
    exitCode: 3,
    printed: `${started}
`,
    want: 'The process ended with code 3 without an error message',
  },
  'an exit with output': {
    exitCode: 3,
    printed: `${started}
no VAULT_KEY, giving up
`,
    want: 'The process ended with code 3: no VAULT_KEY, giving up',
  },
  'a heap that is full': {
    exitCode: 134,
    printed: `${started}

<--- Last few GCs --->

[22725:0x24cd5000]      935 ms: Mark-Compact 58.5 (124.2) -> 58.5 (124.2) MB, pooled: 0 MB, 77.00 / 0.00 ms  (average mu = 0.644, current mu = 0.138) allocation failure; scavenge might not succeed

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0x931db0  [node]
 2: 0x75968e node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
 3: 0xc70d60  [node]
 4: 0xc70e4f  [node]
 5: 0xf14725  [node]
 6: 0xf2608c  [node]
 7: 0xefb543  [node]
 8: 0xed0694  [node]
 9: 0xeb7657  [node]
10: 0x110cfc3  [node]
11: 0x111f609  [node]
12: 0x113ba58  [node]
13: 0x1141914  [node]
14: 0x13b4de5  [node]
15: 0x1add9b6  [node]
`,
    want: 'The process ran out of memory: JavaScript heap out of memory',
  },
  'a kill': {
    exitCode: 137,
    printed: `${started}
`,
    want: 'The process was terminated by SIGKILL without an error message',
  },
  'an abort': {
    exitCode: 134,
    printed: `${started}
----- Native stack trace -----

 1: 0x931db0  [node]
 2: 0x9eb6c2  [node]
 3: 0x7fe29e58f08d 

----- JavaScript stack trace -----

1: file:///workspace/code/dist/index.js:3:29
2: listOnTimeout (node:internal/timers:685:17)
3: processTimers (node:internal/timers:618:7)
`,
    want: 'The process was terminated by SIGABRT without an error message (dist/index.js:3)',
  },
  'an out-of-memory kill': {
    exitCode: 137,
    reason: 'OOMKilled',
    printed: `${started}\n`,
    want: 'The process ran out of memory (OOMKilled)',
  },
  'a stack trace without its beginning': {
    exitCode: 1,
    printed: `Error: lost head
    at f (file:///workspace/code/node_modules/pg/lib/client.js:7:3)
    at g (file:///workspace/code/dist/open.js:12:16)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: lost head (dist/open.js:12)',
  },
  'an error inside a dependency': {
    exitCode: 1,
    printed: `file:///workspace/code/node_modules/pg/lib/client.js:7
  throw new Error('no');
  ^

Error: no
    at f (/workspace/code/node_modules/pg/lib/client.js:7:3)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: no (node_modules/pg/lib/client.js:7)',
  },
  'a folder of the local node': {
    exitCode: 1,
    printed: `file:///home/me/.fairlead/node/pods/0f-1/volumes/code/code/index.ts:58
  throw new Error('Boom');
  ^

Error: Boom
    at Timeout._onTimeout (file:///home/me/.fairlead/node/pods/0f-1/volumes/code/code/index.ts:58:9)

Node.js v24.21.0
`,
    want: 'The process ended with code 1: Error: Boom (index.ts:58)',
  },
  'the output of the step that fetches the code': {
    exitCode: 1,
    printed: '{"code":"damaged","message":"The code is damaged"}\n',
    want: 'The code is damaged',
  },
  'a probe that failed': {
    exitCode: 143,
    printed: 'Liveness probe failed: HTTP probe failed with statuscode: 503',
    want: 'The process was terminated by SIGTERM: Liveness probe failed: HTTP probe failed with statuscode: 503',
  },
  'only white space': {
    exitCode: 9,
    printed: ' \n',
    want: 'The process ended with code 9 without an error message',
  },
};

it.each(Object.entries(cases))('%s', (_name, { exitCode, reason, printed, want }) => {
  const ended: Terminated = {
    exitCode,
    message: printed,
    ...(reason === undefined ? {} : { reason }),
  };
  expect(crashSentence(ended)).toBe(want);
});

it('is one line of at most 512 characters, for any output', () => {
  const long = `Error: ${'x\u0000'.repeat(3_000)}`;
  for (const printed of [
    long,
    `${long}\n    at f (index.ts:1:1)\n\nNode.js v24.21.0`,
    `  ^\n${long}\nNode.js v24`,
  ]) {
    const sentence = crashSentence({ exitCode: 1, message: printed });
    expect(sentence.length).toBeLessThanOrEqual(512);
    expect(sentence).toMatch(/^The process ended with code 1: Error: x[^\n]*$/);
  }
});
